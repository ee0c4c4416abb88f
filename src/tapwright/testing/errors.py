"""Errors of conformance checks."""

from tapwright.errors import TapwrightError

__all__ = ["ConformanceError"]


class ConformanceError(TapwrightError, AssertionError, code="TW700"):
    """A device, environment, convention, model or agent breaks a law of its family."""
