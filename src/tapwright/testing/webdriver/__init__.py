"""A WebDriver server that reacts: an app behind the drivers of phones and desktops."""
