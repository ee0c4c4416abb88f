"""`tapwright annotate`: one module for each command."""
