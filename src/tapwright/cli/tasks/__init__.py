"""`tapwright tasks`: one module for each command."""
