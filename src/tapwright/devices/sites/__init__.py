"""Installed sites in a desktop browser, as a device whose apps are the sites."""
