"""`tapwright sites`."""
