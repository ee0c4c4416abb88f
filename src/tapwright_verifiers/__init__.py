"""Devices with tasks for verifiers, which finds them by this name: `tapwright-verifiers`."""

from tapwright_verifiers.play import DeviceEnv, DeviceHarness
from tapwright_verifiers.tasks import DeviceTaskset

__all__ = ["DeviceEnv", "DeviceHarness", "DeviceTaskset"]
