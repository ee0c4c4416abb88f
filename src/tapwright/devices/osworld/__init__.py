"""A machine behind OSWorld's HTTP protocol, and the desktop that is served by it."""
