"""A Linux desktop of its own: a virtual screen with real GTK and LibreOffice applications."""
