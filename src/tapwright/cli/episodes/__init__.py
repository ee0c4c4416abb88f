"""`tapwright episodes`: one module for each command."""
