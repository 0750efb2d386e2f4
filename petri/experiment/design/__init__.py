"""What shall run: the points of a design, their warm-up, and the tasks that replications are."""
