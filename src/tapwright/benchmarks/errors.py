"""Errors of benchmarks."""

from tapwright.errors import TapwrightError

__all__ = ["BadBenchmarkError"]


class BadBenchmarkError(TapwrightError, code="TW600"):
    """A benchmark's data breaks its schema; the message names file and row."""
