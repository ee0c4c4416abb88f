"""The built-in phone: pages in a browser, and the device that drives them."""
