"""Event graphs: what is seen to happen on a device, and what it adds up to for a task."""
