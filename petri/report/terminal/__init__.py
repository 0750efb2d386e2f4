"""What a person sees on a terminal, at every width."""
