"""GreatSPN's projects (.PNPRO): GSPN, DSPN and SWN."""
