"""The benchmark nets written for other simulators, each as its users would, and as fast as it allows."""
