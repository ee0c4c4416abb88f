"""An importer of your own: recordings of another tool become episodes.

Its recordings are files `*.taps.json`, each beside its pictures, such as
    {"id": "1", "goal": "Turn on Wi-Fi", "done": true,
     "taps": [{"picture": "1.png", "x": 540, "y": 210, "why": "Wi-Fi is off"}]}

Import them: tapwright episodes import FOLDER --from own:READER -o episodes
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from pydantic import TypeAdapter

from tapwright.core.actions import Tap
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.observation import Observation
from tapwright.formats.format import UnreadableEpisode
from tapwright.formats.importers import foreign_record
from tapwright.formats.importers.keeping import PHONE, Seen, keep_steps, see_screens


class _Tap(foreign_record.ForeignRecord):
    """One line of a recording; a field that is not named here is counted as unknown."""

    picture: str
    x: float
    y: float
    why: str = ""


class _Recording(foreign_record.ForeignRecord):
    UNUSED = frozenset({"recorder"})  # known, and of no use here

    id: str
    goal: str
    done: bool
    taps: list[_Tap]


_RECORDING = TypeAdapter(_Recording)


class Reader:
    """Reads the recordings."""

    name = "own"

    def recognizes(self, path: Path) -> bool:
        """Whether a file is a recording, by what is in it."""
        return foreign_record.head_contains(path, ".json", b'"goal"', b'"taps"')

    def read(self, path: Path) -> Iterator[Episode | UnreadableEpisode]:
        """Yields the episode in a file, or those below a directory; one that is broken says why."""
        for file in foreign_record.find_files(path, "*.taps.json"):
            yield foreign_record.read_or_report(str(file), partial(_build, file))


READER = Reader()


def _build(file: Path) -> Episode:
    read = foreign_record.parse_json(_RECORDING, foreign_record.read_bytes(file), str(file))
    # A picture that is missing gets a stand-in, and is told; the step is kept.
    screens = see_screens(
        (
            (f"{file}, step {number}", partial(_look, file.parent, one.picture))
            for number, one in enumerate(read.taps)
        ),
        PHONE,
    )
    return Episode(
        id=f"{READER.name}-{read.id}",  # made of the data, so that it is the same the next time
        task_id=read.id,
        instruction=read.goal,
        steps=tuple(
            step
            for seen, tap in zip(screens, read.taps, strict=True)
            for step in _build_steps(seen, tap)
        ),
        outcome="success" if read.done else "failure",
        agent="human",
    )


def _look(folder: Path, picture: str) -> Observation:
    return foreign_record.read_screen(foreign_record.resolve_file([folder], picture))


def _build_steps(seen: Seen, tap: _Tap) -> list[Step]:
    """The step of a tap; one that is off its screen is kept as refused, with the reason."""

    def make(screen: Observation) -> list[Step]:
        at = foreign_record.pixel_center(tap.x, tap.y, screen.size)
        return [Step(screen, Decision(Tap(at=at), tap.why))]

    return keep_steps(seen, make, recorded=tap.model_dump(), reasoning=tap.why)
