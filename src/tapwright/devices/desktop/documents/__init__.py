"""Office documents and files of settings in a desktop's home, for checks and for start states."""
