"""Devices that stand at another machine, driven over a WebSocket."""
