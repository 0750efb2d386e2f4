"""The command line `pnsim`: `commands/` has a module for each subcommand, imported when it is called."""
