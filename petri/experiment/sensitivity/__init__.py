"""How much each figure changes with each parameter and each time: `pnsim sensitivity`, `Model.sensitivity`."""
