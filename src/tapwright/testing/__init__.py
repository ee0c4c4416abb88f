"""For tests of your own members: conformance checks, and servers of chats and devices."""

from tapwright.testing.benchmarks import check_benchmark
from tapwright.testing.chat import (
    BadBody,
    CutBody,
    FakeChatServer,
    Fault,
    HttpError,
    Received,
    Reset,
    Slow,
)
from tapwright.testing.checks import (
    check_agent,
    check_convention,
    check_device,
    check_environment,
    check_model,
)
from tapwright.testing.serving import DeviceServer

__all__ = [
    "BadBody",
    "CutBody",
    "DeviceServer",
    "FakeChatServer",
    "Fault",
    "HttpError",
    "Received",
    "Reset",
    "Slow",
    "check_agent",
    "check_benchmark",
    "check_convention",
    "check_device",
    "check_environment",
    "check_model",
]
