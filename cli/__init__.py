"""The command line `pnsim`: one module per subcommand, imported when it is called."""
