"""Any web page in Chromium as a device: address, tabs, dialogs, downloads."""
