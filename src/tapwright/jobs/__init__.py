"""One unit of work over many items, here or on a Ray cluster; what runs in a process apart."""
