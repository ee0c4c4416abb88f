"""`tapwright team`: one module for each command."""
