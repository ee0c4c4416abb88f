"""Files: written whole or not at all, appended line by line, locked, and kept at a URL."""
