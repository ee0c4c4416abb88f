"""What the steps of an episode on disk may be used for, by the one rule of `core.fit`.

A picture is read only where its file is so small that it may show nothing.
"""

import os
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path

from tapwright.core import fit
from tapwright.core.actions import Wait
from tapwright.core.episode import count_done
from tapwright.core.geometry import Size
from tapwright.core.screenshot import Screenshot
from tapwright.files.regular import read_regular
from tapwright.store.records import ObservationRecord, StepRecord

__all__ = ["RecordedFit"]


class RecordedFit:
    """The fit of the steps of the episode in a directory."""

    def __init__(self, directory: Path) -> None:
        self._frames = directory / "frames"

    def why_unseen(self, seen: ObservationRecord) -> str:
        """Why a screen is not to be looked at; "" where it is, or its file cannot be read."""
        path, size = f"{self._frames}/{seen.frame}", Size(seen.width, seen.height)
        try:
            found = os.stat(path)
            if not fit.may_show_nothing(found.st_size, size):
                return ""
            return _look(path, size, (found.st_mtime_ns, found.st_size))
        except OSError:
            return ""

    def count(self, steps: Iterable[StepRecord]) -> Mapping[fit.FitKind, int]:
        """How many steps are of each kind, for what teaches a reasoning."""
        return dict(Counter(fit.name_kind(self.why_no_target(step)) for step in steps))

    def why_no_target(self, step: StepRecord) -> str:
        """Why a step is no target of what asks for a reasoning; "" where it may be one."""
        left = len(step.decided) - count_done(len(step.decided), step.state)
        if why := fit.tell_untaught(step.refused, left, stale=step.observation.stale, by=step.by):
            return why
        look = self.why_unseen(step.observation)
        waits = len(step.decided) == 1 and isinstance(step.action, Wait)
        if look and not (look == fit.BLANK and waits):
            return look
        return "" if step.reasoning.strip() else fit.UNLABELLED


@lru_cache(maxsize=512)  # of those that are being recorded
def _look(path: str, size: Size, stamp: tuple[int, int]) -> str:
    """As `why_unseen`, of a picture that is read once: an episode's row is made after each step.

    Raises:
        OSError: it cannot be read.
    """
    return fit.why_unseen(Screenshot(read_regular(Path(path)), origin=path), size)
