"""`tapwright sft`: one module for each command."""
