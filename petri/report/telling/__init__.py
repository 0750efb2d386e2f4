"""What there is to say of a net and its figures: words, numbers with units, and tables as data. Nothing prints here."""
