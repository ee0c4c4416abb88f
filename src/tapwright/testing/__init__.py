"""For tests of your own members: conformance checks, and servers of chats and devices."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tapwright.testing.conformance import check_agent, check_benchmark, check_model
    from tapwright.testing.conventions import check_convention
    from tapwright.testing.devices import check_device, check_environment
    from tapwright.testing.importers import check_importer
    from tapwright.testing.local_server import (
        BadBody,
        CutBody,
        DeviceServer,
        FakeChatServer,
        Fault,
        HttpError,
        Received,
        Reset,
        Slow,
    )
    from tapwright.testing.webdriver.server import FakeWebDriver

__all__ = [
    "BadBody", "CutBody", "DeviceServer", "FakeChatServer", "FakeWebDriver", "Fault", "HttpError",
    "Received", "Reset", "Slow", "check_agent", "check_benchmark", "check_convention",
    "check_device", "check_environment", "check_importer", "check_model",
]  # fmt: skip

# Imported on first use: a check of a convention needs no server, and an error's meaning neither.
_MODULES = {
    **dict.fromkeys(("check_agent", "check_benchmark", "check_model"), "conformance"),
    "check_convention": "conventions",
    **dict.fromkeys(("check_device", "check_environment"), "devices"),
    "check_importer": "importers",
    "FakeWebDriver": "webdriver.server",
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first used."""
    if name not in __all__:
        raise AttributeError(f"module 'tapwright.testing' has no attribute {name!r}")
    module = import_module(f"tapwright.testing.{_MODULES.get(name, 'local_server')}")
    value: object = getattr(module, name)
    globals()[name] = value
    return value
