"""How it runs: replications on workers until they are precise enough, and single ones again."""
