"""For tests of your own members: conformance checks, and servers of chats and devices."""

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
