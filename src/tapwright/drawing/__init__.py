"""Drawing on a picture: marks, captions, text."""
