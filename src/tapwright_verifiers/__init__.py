"""Devices with tasks for verifiers, which finds them by this name: `tapwright-verifiers`."""

from tapwright.faces.errors import require_version

require_version("verifiers", "0.4", "0.5")  # another has other classes, or none of their names

from tapwright_verifiers.play import DeviceEnv, DeviceHarness  # noqa: E402
from tapwright_verifiers.tasks import DeviceTaskset  # noqa: E402

__all__ = ["DeviceEnv", "DeviceHarness", "DeviceTaskset"]
