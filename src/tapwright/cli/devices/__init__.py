"""`tapwright devices`: one module for each command."""
