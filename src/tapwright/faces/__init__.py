"""How trainers and agents of others reach a device with a task: a package for each protocol."""
