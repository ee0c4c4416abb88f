"""Errors of jobs and clusters."""

from tapwright.errors import StoreError, TapwrightError

__all__ = [
    "ClusterError",
    "LedgerError",
    "WorkerLostError",
]


class LedgerError(StoreError):
    """A job's ledger belongs to other work, or holds a line that is not a record."""

    code = "TW207"


class ClusterError(TapwrightError):
    """A cluster is not there, or its workers cannot do what they are there for."""

    code = "TW230"
    fatal = True


class WorkerLostError(TapwrightError):
    """The workers that were given an item died or were silent, one after the other."""

    code = "TW231"
