"""What the figures of a run need of its rows, kept row by row, so that one more costs little.

The tables, the summary and the warnings are made of it, whether its rows were read from a log or
its columns from a table (`RunTally.of_columns`).
"""

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress
from typing import TYPE_CHECKING

from tapwright.benchmarks.metrics import Cell, CellTally
from tapwright.evaluate.error_analysis import target_box
from tapwright.evaluate.run_log import SampleRow
from tapwright.models.model import Usage
from tapwright.models.query_endings import ENDINGS, QueryEnding

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["RowFlags", "RunTally", "flags_of"]

_ENDINGS = tuple(ENDINGS)


class RowFlags:
    """Bits of what is true of a row; the lowest three are the place of its ending in `ENDINGS`."""

    ENDING = 7
    ANSWERED = 8
    """It has an answer, of whatever ending."""
    THOUGHT = 16
    ODD = 32
    """A field of its response was ignored."""
    AIMED = 64
    """It was answered, and has a target and a score."""


@dataclass(slots=True)
class RunTally:
    """The rows of a run in order: all together, and those of each value of each label.

    A row without a label is among those of its empty value. `scores` has NaN for none; `started`
    and `ended` are seconds since 1970; `flags` are `RowFlags`.
    """

    whole: CellTally = field(default_factory=CellTally)
    labels: dict[str, dict[str, CellTally]] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    scores: "array[float]" = field(default_factory=lambda: array("d"))
    started: "array[float]" = field(default_factory=lambda: array("d"))
    ended: "array[float]" = field(default_factory=lambda: array("d"))
    flags: bytearray = field(default_factory=bytearray)

    @classmethod
    def of(cls, rows: Iterable[SampleRow]) -> "RunTally":
        """Of these rows."""
        found = cls()
        for row in rows:
            found.add(row)
        return found

    @classmethod
    def of_columns(
        cls,
        labels: "Mapping[str, tuple[Sequence[str], NDArray[np.int32]]]",
        usage: Usage,
        numbers: Sequence[Sequence[float | None]],
        flags: Sequence[int],
    ) -> "RunTally":
        """Of rows by their columns: `numbers` are scores, None for none, starts and ends.

        A label is its values in the order in which they are met, and of each row the place among
        them, of shape (rows,).
        """
        import numpy as np

        scores, started, ended = (np.array(one, np.float64) for one in numbers)
        bits = np.array(flags, np.uint8)
        return cls(
            whole=_tally(scores, bits),
            labels={
                name: {
                    value: _tally(scores[where], bits[where])
                    for code, value in enumerate(values)
                    for where in (codes == code,)
                }
                for name, (values, codes) in labels.items()
            },
            usage=usage,
            scores=array("d", scores.tobytes()),
            started=array("d", started.tobytes()),
            ended=array("d", ended.tobytes()),
            flags=bytearray(bits.tobytes()),
        )

    def add(self, row: SampleRow) -> None:
        """Count one row more."""
        for name in row.labels:
            if name not in self.labels:
                self.labels[name] = {"": self.whole.copy()} if self.flags else {}
        for name, groups in self.labels.items():
            value = row.labels.get(name, "")
            if value not in groups:
                groups[value] = CellTally()
            groups[value].add(row)
        self.whole.add(row)
        self.usage += row.usage
        self.scores.append(float("nan") if row.score is None else row.score)
        self.started.append(row.started)
        self.ended.append(row.ended)
        self.flags.append(flags_of(row))

    @property
    def has_answer(self) -> int:
        """How many rows have an answer, or a verdict, whatever it was read as."""
        return len(self.flags) - self.whole.cell().failures

    @property
    def wall_s(self) -> float:
        """Seconds in which at least one sample was at work; pauses between restarts not counted."""
        if not self.flags:
            return 0.0
        import numpy as np  # a run of its own, whose tally this is, need not wait for it

        order = np.argsort(np.frombuffer(self.started), kind="stable")
        started, ended = np.frombuffer(self.started)[order], np.frombuffer(self.ended)[order]
        until = np.maximum.accumulate(np.concatenate([[0.0], ended[:-1]]))
        return float(np.maximum(0.0, ended - np.maximum(started, until)).sum())

    def cells(self, label: str) -> dict[str, Cell]:
        """The score of the rows of each value of a label, in the order in which they are met."""
        groups = self.labels.get(label) or ({"": self.whole} if self.flags else {})
        return {value: group.cell() for value, group in groups.items()}

    def count(self, flags: int) -> int:
        """How many rows have all of these flags."""
        return self._having(flags, flags).count(1)

    def places(self, flags: int) -> list[int]:
        """The places of the rows that have all of these flags."""
        return self._find(flags, flags)

    def places_ended(self, ending: QueryEnding) -> list[int]:
        """The places of the rows whose query ended so."""
        return self._find(RowFlags.ENDING, _ENDINGS.index(ending))

    def _find(self, mask: int, wanted: int) -> list[int]:
        return list(compress(range(len(self.flags)), self._having(mask, wanted)))

    def _having(self, mask: int, wanted: int) -> bytearray:
        """A 1 for each row whose flags below the mask are those, else a 0."""
        return self.flags.translate(bytes(one & mask == wanted for one in range(256)))


def _tally(scores: "NDArray[np.float64]", flags: "NDArray[np.uint8]") -> CellTally:
    import numpy as np

    counts = np.bincount(flags & RowFlags.ENDING, minlength=len(_ENDINGS)).tolist()
    return CellTally(
        scores[~np.isnan(scores)].tolist(), Counter(dict(zip(_ENDINGS, counts, strict=True)))
    )


def flags_of(row: SampleRow) -> int:
    """What is true of a row, as `RowFlags`."""
    answered = row.answer is not None
    true = {
        RowFlags.ANSWERED: answered,
        RowFlags.THOUGHT: answered and bool(row.reasoning),
        RowFlags.ODD: row.odd > 0,
        RowFlags.AIMED: answered and row.score is not None and target_box(row) is not None,
    }
    return _ENDINGS.index(row.ending) + sum(flag for flag, holds in true.items() if holds)
