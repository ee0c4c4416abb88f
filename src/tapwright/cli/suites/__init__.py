"""`tapwright suites`."""
