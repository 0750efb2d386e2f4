"""The bodies of nets and modules: places, streams, transitions with their arcs, instances of modules."""
