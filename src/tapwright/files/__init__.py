"""Files: whole or not there, and directories that are kept at a URL, too."""
