"""The tasks of MiniWoB++ as a device: its pages in our own Chromium, with a clock of ours."""
