"""Drawing on a picture: marks and text."""
