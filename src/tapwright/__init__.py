"""The workbench for GUI-agent data and evaluation."""

__version__ = "0.1.0"
