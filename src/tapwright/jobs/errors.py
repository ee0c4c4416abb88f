"""Errors of jobs and clusters."""

from tapwright.errors import ErrorCode, StoreError, TapwrightError, UsageError

__all__ = ["CLUSTER", "UNSUPPORTED_SYSTEM", "WORKER_LOST", "LedgerError"]


class LedgerError(StoreError, code="TW207"):
    """A job's ledger belongs to other work, or holds a line that is not a record."""


# fmt: off
UNSUPPORTED_SYSTEM = ErrorCode("TW104", UsageError,
    "Something is done by calls that this operating system does not have.")
CLUSTER = ErrorCode("TW230", TapwrightError,
    "A cluster is not there, or its workers cannot do what they are there for.", fatal=True)
WORKER_LOST = ErrorCode("TW231", TapwrightError,
    "The workers that were given an item died or were silent, one after the other.")
