"""Errors of jobs and clusters."""

from tapwright.errors import ErrorCode, StoreError, TapwrightError

__all__ = ["CLUSTER", "WORKER_LOST", "LedgerError"]


class LedgerError(StoreError):
    """A job's ledger belongs to other work, or holds a line that is not a record."""

    code = "TW207"


# fmt: off
CLUSTER = ErrorCode("TW230", TapwrightError,
    "A cluster is not there, or its workers cannot do what they are there for.", fatal=True)
WORKER_LOST = ErrorCode("TW231", TapwrightError,
    "The workers that were given an item died or were silent, one after the other.")
