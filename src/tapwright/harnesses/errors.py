"""Errors of suites, whose own code sets tasks up and judges them."""

from tapwright.errors import DeviceLostError, ErrorCode, TapwrightError, TaskError

__all__ = [
    "SUITE_CHANGED", "SUITE_INSTALL", "SuiteDeviceError", "SuiteEvaluatorError", "SuiteLostError",
    "SuiteMissingError", "SuiteProtocolError", "SuiteSetupError",
]  # fmt: skip


class SuiteMissingError(TapwrightError, code="TW710"):
    """A suite is not installed, or a part of it cannot be imported."""


class SuiteSetupError(TaskError, code="TW711"):
    """A suite could not set up one of its tasks."""


class SuiteEvaluatorError(TapwrightError, code="TW712"):
    """The evaluator of a suite failed, so an attempt that was played has no score."""


class SuiteLostError(TapwrightError, code="TW713"):
    """The process of a suite ended or did not answer in time."""


class SuiteProtocolError(TapwrightError, code="TW714"):
    """The process of a suite answered what the protocol does not have."""


class SuiteDeviceError(DeviceLostError, code="TW715"):
    """A suite does not reach the device."""


# fmt: off
SUITE_CHANGED = ErrorCode("TW716", TapwrightError,
    "A suite has another version or commit than at the beginning of the run.", fatal=True)
SUITE_INSTALL = ErrorCode("TW717", TapwrightError,
    "The packages of a suite cannot be installed.", fatal=True)
