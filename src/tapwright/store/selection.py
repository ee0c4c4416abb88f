"""Which episodes of a store are meant: a filter, an order, a limit and a sample."""

from dataclasses import dataclass

from tapwright.errors import UsageError, suggest
from tapwright.store.errors import BAD_FILTER
from tapwright.store.filters import COLUMNS

__all__ = ["EVERYTHING", "Selection"]


@dataclass(frozen=True, slots=True)
class Selection:
    """The episodes that meet `where`, in the order of a column ("-steps": the longest first).

    Without `sort` the oldest come first. `sample` takes that many of them by chance, the same ones
    for the same `seed`, and `limit` the first of what is left.
    """

    where: str = ""
    sort: str = ""
    limit: int | None = None
    sample: int | None = None
    seed: int = 0

    @property
    def is_everything(self) -> bool:
        """Whether it leaves nothing out."""
        return not self.where.strip() and self.limit is None and self.sample is None

    def order(self) -> str:
        """The order in SQL; the id decides between what is equal.

        Raises:
            UsageError: there is no such column.
            UsageError: the column is a list, and has no order.
        """
        name = self.sort.removeprefix("-") or "created"
        if name not in COLUMNS:
            raise BAD_FILTER(
                f"--sort {self.sort}: no column {name!r}",
                hint=suggest(name, COLUMNS),
            )
        column, kind = COLUMNS[name]
        if kind == "list":
            raise UsageError(f"--sort {self.sort}: {name} is a list, and has no order")
        direction = "DESC" if self.sort.startswith("-") else "ASC"
        return f"{column} {direction}, created {direction}, id {direction}"


EVERYTHING = Selection()
"""Every episode, the oldest first."""
