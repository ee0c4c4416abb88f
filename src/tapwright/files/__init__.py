"""Files: whole or not at all, appended line by line, locked, kept at a URL; Python source."""
