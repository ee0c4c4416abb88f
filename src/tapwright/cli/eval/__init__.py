"""`tapwright eval`: one module for each command."""
