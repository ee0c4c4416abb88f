"""`tapwright.toml`: the defaults of a project's commands."""
