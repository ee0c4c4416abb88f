"""Errors of suites, whose own code sets tasks up and judges them."""

from tapwright.errors import DeviceLostError, ErrorCode, TapwrightError, TaskError

__all__ = [
    "SUITE_CHANGED",
    "SUITE_INSTALL",
    "SuiteDeviceError",
    "SuiteEvaluatorError",
    "SuiteLostError",
    "SuiteMissingError",
    "SuiteProtocolError",
    "SuiteSetupError",
]


class SuiteMissingError(TapwrightError):
    """A suite is not installed, or a part of it cannot be imported."""

    code = "TW710"


class SuiteSetupError(TaskError):
    """A suite could not set up one of its tasks."""

    code = "TW711"


class SuiteEvaluatorError(TapwrightError):
    """The evaluator of a suite failed, so an attempt that was played has no score."""

    code = "TW712"


class SuiteLostError(TapwrightError):
    """The process of a suite ended or did not answer in time."""

    code = "TW713"


class SuiteProtocolError(TapwrightError):
    """The process of a suite answered what the protocol does not have."""

    code = "TW714"


class SuiteDeviceError(DeviceLostError):
    """A suite does not reach the device."""

    code = "TW715"


# fmt: off
SUITE_CHANGED = ErrorCode("TW716", TapwrightError,
    "A suite has another version or commit than at the beginning of the run.", fatal=True)
SUITE_INSTALL = ErrorCode("TW717", TapwrightError,
    "The packages of a suite cannot be installed.", fatal=True)
