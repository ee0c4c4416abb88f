"""An episode as calls of tools, and what came back of each: as harnesses of agents keep one.

A call is named by its action's type and has its fields; `importers.tool_calls` reads such calls.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path

from pydantic import JsonValue

from tapwright.core.actions import ActionAdapter
from tapwright.core.episode import Episode, Step
from tapwright.core.observation import Observation
from tapwright.files.names import portable_name
from tapwright.formats.format import write_each
from tapwright.formats.importers.file_importer import FileImporter, FileKind

__all__ = ["FolderFormat", "Performed", "list_performed", "make_folder"]


@dataclass(frozen=True, slots=True)
class Performed:
    """A call, why it was refused, whether it was done at all, and the screen that it led to."""

    name: str
    arguments: dict[str, JsonValue]
    refused: str
    done: bool
    screen: Observation | None


def list_performed(episode: Episode) -> Iterator[tuple[Step, list[Performed]]]:
    """Each step of an episode with the calls that it is, the screen after the last among them."""
    looks = [step.observation for step in episode.steps[1:]] + [episode.final]
    for step, after in zip(episode.steps, looks, strict=True):
        actions = step.decision.actions
        blank: list[Observation | None] = [None] * len(actions)
        screens = [*[*step.between, *blank][: len(actions) - 1], step.after or after]
        performed = []
        for place, (action, screen) in enumerate(zip(actions, screens, strict=True), start=1):
            arguments = ActionAdapter.dump_python(action, mode="json")
            name = arguments.pop("type")
            refused = step.refused if place == step.done else ""
            performed.append(Performed(name, arguments, refused, place <= step.done, screen))
        yield step, performed


def make_folder(episode: Episode, parent: Path) -> Path:
    """A new directory of an episode's name; of names that no disk tells apart with a number."""
    name = portable_name(episode.id)
    names = chain([name], (f"{name}~{number}" for number in count(2)))
    folder = next(parent / one for one in names if not (parent / one).exists())
    folder.mkdir(parents=True)
    return folder


class FolderFormat(FileImporter):
    """A format that is read file by file, and written as a directory of its episodes."""

    def __init__(
        self, name: str, kind: FileKind, write_episode: Callable[[Episode, Path], object]
    ) -> None:
        super().__init__(name, kind)
        self._write_episode = write_episode

    def _find_files(self, path: Path) -> Iterable[Path]:
        """Those that are read: harnesses keep other files of such names beside them."""
        found = super()._find_files(path)
        return found if path.is_file() else filter(self.recognizes, found)

    def write(self, episodes: Iterable[Episode], path: Path) -> int:
        """Write the directory; returns how many episodes are in it.

        Raises:
            UsageError: `path` exists.
            DiskError: the disk is full or not writable; then nothing is left behind.
        """
        return write_each(episodes, path, self._write_episode)
