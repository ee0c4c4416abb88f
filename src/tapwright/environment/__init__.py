"""A device with a task, and the loop in which an agent acts on it."""
