"""A static copy of the library pages: a folder that opens from file:// and from any plain server.

    <bundle>/
        index.html          one page, with a policy that allows nothing from outside the folder
        bundle.js .css      the pages as one classic script; from file:// no browser loads modules
        data/index.js       the index of the other files
        data/<n>.js         an episode, its trees, a run or a comparison, loaded when it is opened
        pictures/ thumbs/   the original bytes and small copies, named by their hash

Data is JSON in ASCII that a script file assigns, never HTML, so that the output of a task or a
model is displayed as text. It has the types of the API's answers, which the same pages read.
"""

import html
import json
from collections.abc import Callable, Iterable, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from tapwright import __version__
from tapwright.core.screenshot import Screenshot
from tapwright.evaluate.run_log import row_json
from tapwright.files.atomic import atomic_directory
from tapwright.store.catalog_entry import CatalogEntry
from tapwright.web.episode_views import entry_view, tree_view
from tapwright.web.errors import BUNDLE
from tapwright.web.library.episodes import Episodes, draw_thumbnail
from tapwright.web.library.library import Library
from tapwright.web.library.run_views import RunList, SampleView
from tapwright.web.pages import BUILT, NOT_BUILT_HINT

__all__ = ["write_bundle"]

THUMB_PX = 240
_POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'"
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>tapwright</title>
<link rel="stylesheet" href="bundle.css">
<script src="data/index.js" defer></script>
<script src="bundle.js" defer></script>
</head>
<body></body>
</html>
"""


def write_bundle(
    out: Path,
    library: Library,
    *,
    episodes: Sequence[str] = (),
    runs: Sequence[str] = (),
    advance: Callable[[int], object] = lambda _: None,
    built: Path = BUILT,
) -> None:
    """Write episodes of the library's store and runs of the library to the new directory `out`.

    Runs are written with the episodes that they played, and each pair on the same data is compared.
    `advance` is called with 1 for each episode and each run that is written.

    Raises:
        TapwrightError: `out` exists, or the pages are not built.
        EpisodeMissingError: the store has no such episode.
        ResourceNotFoundError: there is no such run.
        DiskError: the disk is full or not writable; then nothing is written.
    """
    pages = {name: built / "bundle" / name for name in ("bundle.js", "bundle.css")}
    missing = [str(path) for path in pages.values() if not path.is_file()]
    if missing:
        raise BUNDLE(f"{', '.join(missing)}: not built", hint=NOT_BUILT_HINT)
    if out.exists():
        raise BUNDLE(f"{out}: already exists", hint="give a directory that does not exist")
    with atomic_directory(out) as beside:
        writer = _Writer(beside)
        writer.write_episodes(
            "", library.episodes, _find_entries(library.episodes, episodes), advance
        )
        for name in runs:
            writer.write_run(library, name)
            played = library.runs.episodes(name)
            writer.write_episodes(name, played, played.catalog.read()[0], lambda _: None)
            advance(1)
        writer.write_index(library, runs)
        for name, page in pages.items():
            (beside / name).write_bytes(page.read_bytes())
        policy = html.escape(_POLICY, quote=True)
        (beside / "index.html").write_text(_PAGE.format(policy=policy), "utf-8", newline="\n")


class _Writer:
    """Fills one bundle's directory; the index is written last."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._files: dict[str, int] = {}
        self._pictures: dict[str, str] = {}
        for name in ("data", "pictures", "thumbs"):
            (directory / name).mkdir()

    def write_episodes(
        self,
        run: str,
        episodes: Episodes,
        entries: Sequence[CatalogEntry],
        advance: Callable[[int], object],
    ) -> None:
        """Write episodes of the store, or with a run's name those that the run played."""
        store, listed = str(episodes.store.root), list(map(entry_view, entries))
        self._data(["episodes", run], {"store": store, "episodes": listed})
        for entry in entries:
            episode = episodes.episode(entry.id)
            self._data(["episode", run, entry.id], episodes.view(entry.id))
            trees = [tree_view(step.observation, step) for step in episode.steps]
            self._data(["trees", run, entry.id], {"trees": trees})
            for step in episode.steps:
                for screen in step.screens:
                    self._picture(screen.screenshot.sha256, screen.screenshot)
            if episode.final is not None:
                self._picture(episode.final.screenshot.sha256, episode.final.screenshot)
            advance(1)

    def write_run(self, library: Library, name: str) -> None:
        """Write a run with the pictures and the log of its samples."""
        listed = library.runs.all_rows(name)
        self._data(["run", name], library.runs.run(name))
        self._data(["rows", name], {"rows": listed})
        rows = {row.key: row_json(row) for row in library.runs.log(name).rows}
        self._data(["log", name], {"rows": rows})
        for key, picture in _pictures(listed):
            if picture not in self._pictures:
                self._picture(picture, library.runs.screen(name, key).screenshot)

    def write_index(self, library: Library, names: Sequence[str]) -> None:
        """Write the list of runs, the comparisons of each two on the same data, and the index."""
        listed = [run for run in library.runs.summaries().runs if run.name in names]
        data = {run.name: (run.benchmark, run.data_sha256) for run in listed}
        for before, after in permutations(names, 2):
            if data[before] == data[after]:
                self._data(["compare", before, after], library.comparison.compare(before, after))
                found = library.comparison.matrix((before, after))
                self._data(["pair", before, after], found.pairs[0])
        index = {
            "version": __version__,
            "files": self._files,  # the numbers of data files by their keys
            "pictures": self._pictures,  # extensions by names
            "runs": RunList(tuple(listed), ()),
        }
        self._write("index.js", f"var TAPWRIGHT = {{data: {{}}, index: {_script(index)}}};\n")

    def _data(self, key: Sequence[str], value: object) -> None:
        number = len(self._files)
        self._files[json.dumps(key, ensure_ascii=False, separators=(",", ":"))] = number
        self._write(f"{number}.js", f"TAPWRIGHT.data[{number}] = {_script(value)};\n")

    def _write(self, name: str, text: str) -> None:
        (self._directory / "data" / name).write_text(text, "ascii", newline="\n")

    def _picture(self, name: str, shot: Screenshot) -> None:
        """Write a picture and its thumbnail, once, under a name that is a hash."""
        if name in self._pictures:
            return
        self._pictures[name] = shot.extension
        (self._directory / "pictures" / f"{name}.{shot.extension}").write_bytes(shot.data)
        (self._directory / "thumbs" / f"{name}.jpg").write_bytes(draw_thumbnail(shot, THUMB_PX))


def _find_entries(episodes: Episodes, ids: Iterable[str]) -> list[CatalogEntry]:
    entries = {entry.id: entry for entry in episodes.catalog.read()[0]}
    found = []
    for id_ in ids:
        if id_ not in entries:
            episodes.store.read(id_)  # raises the cause
            raise BUNDLE(f"{id_}: cannot be read")
        found.append(entries[id_])
    return found


def _pictures(rows: Iterable[SampleView]) -> Iterable[tuple[str, str]]:
    """The key of a sample and the name of its picture, for each picture of a run."""
    return [(row.key, row.picture) for row in rows if row.picture is not None]


def _script(value: object) -> str:
    """JSON as a script: in ASCII, in which no character ends a line or the script."""
    data = TypeAdapter(Any).dump_python(value, mode="json")
    return json.dumps(data, separators=(",", ":"), allow_nan=False)
