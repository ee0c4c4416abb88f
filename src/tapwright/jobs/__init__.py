"""One unit of work over many items, on this machine or on a Ray cluster."""
