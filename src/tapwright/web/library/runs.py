"""Evaluation runs by their names: their logs as they grow, and what the pages ask about them."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from threading import Lock

from tapwright.benchmarks import benchmarks
from tapwright.benchmarks.benchmark import StaticSample
from tapwright.core.observation import Observation
from tapwright.errors import StoreError, TapwrightError
from tapwright.evaluate.errors import RunLogError
from tapwright.evaluate.run_log import EPISODES, FILE, RunLog, SampleRow, row_json
from tapwright.store.store import EpisodeStore
from tapwright.web.errors import ResourceNotFoundError
from tapwright.web.library import run_views
from tapwright.web.library.episodes import Episodes
from tapwright.web.library.row_tables import RowFilter
from tapwright.web.library.run_rows import RunRows, Stamp, log_stamp

__all__ = ["PAGE_SIZE", "Runs"]

PAGE_SIZE = 48
_CACHED_RUNS, _CACHED_FILMS = 8, 2048


class Runs:
    """The runs in or below some directories, by names that are never used as paths.

    `data` are directories of benchmarks in which pictures are looked up, beside those that the
    runs were made on. Safe to use from several threads.
    """

    def __init__(self, roots: Sequence[Path], data: Sequence[Path] = ()) -> None:
        self._roots = tuple(roots)
        self._data = tuple(data)
        self._lock = Lock()
        self._names: dict[str, Path] = {}
        self._open = lru_cache(maxsize=_CACHED_RUNS)(RunRows)
        self._samples = lru_cache(maxsize=_CACHED_RUNS)(self._load_samples)
        self._episodes = lru_cache(maxsize=_CACHED_RUNS)(Episodes)
        self._films = lru_cache(maxsize=_CACHED_FILMS)(self._load_film)
        self._summaries: dict[tuple[str, Path], tuple[Stamp, run_views.RunSummary]] = {}

    def names(self) -> dict[str, Path]:
        """The directory of every run by its name."""
        found: dict[str, Path] = {}
        for root in self._roots:
            for directory in _directories(root):
                name = directory.relative_to(root).as_posix()
                if directory == root:
                    name = root.absolute().name
                while name in found:
                    name += "+"
                found[name] = directory
        self._names = found
        return found

    def summaries(self) -> run_views.RunList:
        """A summary of every run, the newest first, and the errors of unreadable runs."""
        summaries: list[run_views.RunSummary] = []
        unreadable: list[str] = []
        for name, directory in self.names().items():
            try:
                summaries.append(self._summary(name, directory))
            except RunLogError as error:
                unreadable.append(str(error))
        summaries.sort(key=lambda summary: summary.created, reverse=True)
        return run_views.RunList(tuple(summaries), tuple(unreadable))

    def summary(self, name: str) -> run_views.RunSummary:
        """A run at a glance; raises as `log` does."""
        return self._summary(name, self._directory(name))

    def run(self, name: str) -> run_views.RunView:
        """A run's figures; raises as `log` does."""
        directory = self._directory(name)
        found = self._open(directory).read()
        return run_views.RunView(
            name=name,
            directory=str(directory),
            summary=self._summary(name, directory),
            mistakes=found.mistakes,
            tables=found.figures.tables,
            warnings=found.figures.warnings,
            labels=found.labels,
            played=(directory / EPISODES).is_dir(),
        )

    def rows(self, name: str, wanted: RowFilter, page: int = 0) -> run_views.RowPage:
        """A page of the rows that fit, `PAGE_SIZE` at most; raises as `log` does.

        Raises:
            RequestError: there is no such order.
        """
        run = self._open(self._directory(name))
        selected, total = run.select(wanted), len(run.read().log.rows)
        places = run.order(wanted, page * PAGE_SIZE, PAGE_SIZE)
        view = self.sample_viewer(name)
        return run_views.RowPage(
            total=total,
            found=selected.found,
            page=page,
            pages=max(1, -(-selected.found // PAGE_SIZE)),
            facets=run_views.RowFacets(selected.verdicts, selected.mistakes, selected.labels),
            rows=tuple(map(view, run.rows(places))),
        )

    def all_rows(self, name: str) -> tuple[run_views.SampleView, ...]:
        """Every row of a run, in the order of the log; raises as `log` does."""
        return tuple(map(self.sample_viewer(name), self.log(name).rows))

    def selected(self, name: str, wanted: RowFilter) -> list[SampleRow]:
        """All rows that fit, in order; raises as `rows` does."""
        run = self._open(self._directory(name))
        return run.rows(run.order(wanted))

    def sample(self, name: str, key: str, wanted: RowFilter) -> run_views.SampleDetail:
        """A row with its neighbours among those that fit; raises as `rows` does.

        Raises:
            ResourceNotFoundError: there is no such run or sample.
        """
        run = self._open(self._directory(name))
        places, at = run.order(wanted), _find_place(run, name, key)
        (row,) = run.rows([at])
        place = places.index(at) if at in places else None
        near = [] if place is None else places[max(0, place - 1) : place + 2]
        keys = [one.key for one in run.rows(near)]
        view = self.sample_viewer(name)
        return run_views.SampleDetail(
            row=view(row),
            log=row_json(row),
            place=place,
            found=len(places),
            before=keys[0] if place else None,
            after=keys[-1] if near and near[-1] != at else None,
            attempts=tuple(map(view, run.rows(run.places("sample", row.id)))),
        )

    def screen(self, name: str, key: str) -> Observation:
        """The screen that a sample is about.

        Raises:
            ResourceNotFoundError: there is no such run or sample, or its picture was not found.
            RunLogError: the run cannot be read.
        """
        run = self._open(self._directory(name))
        (row,), log = run.rows([_find_place(run, name, key)]), run.read().log
        sample = self._samples(*_source(log)).get(row.id)
        if sample is None:
            raise ResourceNotFoundError(
                f"{name}, {key}: the picture was not found",
                hint=f"the run was made on {log.header.source}, which is missing or has changed",
            )
        return sample.observe()

    def sample_viewer(
        self, name: str, *, films: bool = True
    ) -> Callable[[SampleRow], run_views.SampleView]:
        """What shows the rows of a run with their samples and, with `films`, their attempts.

        Raises as `log` does.
        """
        directory = self._directory(name)
        samples = self._samples(*_source(self._open(directory).read().log))
        played = (directory / EPISODES).is_dir()

        def view(row: SampleRow) -> run_views.SampleView:
            found, film = row.detail.get("episode"), None
            episode = found if isinstance(found, str) and played else None
            if episode is not None and films:
                film = self._films(directory, episode, row.ended)
                episode = None if film is None else episode
            return run_views.sample_view(row, samples.get(row.id), episode, film)

        return view

    def episodes(self, name: str) -> Episodes:
        """The episodes that a run played, by the run's name.

        Raises:
            ResourceNotFoundError: there is no such run.
        """
        return self._episodes(EpisodeStore(self._directory(name) / EPISODES))

    def log(self, name: str) -> RunLog:
        """The log of a run as it stands.

        Raises:
            ResourceNotFoundError: there is no such run.
            RunLogError: it cannot be read.
        """
        return self._open(self._directory(name)).read().log

    def stamp(self, name: str) -> Stamp:
        """A value that changes whenever the log of a run does; raises as `log` does."""
        return log_stamp(self._directory(name))

    def _directory(self, name: str) -> Path:
        known = self._names.get(name)
        if known is not None and (known / FILE).exists():
            return known
        found = self.names().get(name)
        if found is None:
            raise ResourceNotFoundError(
                f"there is no run {name!r}", hint="look at the list of runs"
            )
        return found

    def _summary(self, name: str, directory: Path) -> run_views.RunSummary:
        stamp = log_stamp(directory)
        cached = self._summaries.get((name, directory))
        if cached is None or cached[0] != stamp:
            found = self._open(directory).read().figures.summary
            summary = replace(found, name=name, directory=str(directory))
            cached = self._summaries[name, directory] = stamp, summary
        return cached[1]

    def _load_samples(self, benchmark: str, source: str, sha256: str) -> Mapping[str, StaticSample]:
        """The samples of a benchmark with this data, wherever it is found; empty when it is not."""
        for place in dict.fromkeys((source, *map(str, self._data))):
            if not Path(place).is_dir():
                continue
            try:
                loaded = benchmarks.get(benchmark)(place)
            except TapwrightError:  # then it is shown without pictures
                continue
            # Other data would show pictures that the run is not about.
            if loaded.data_sha256 == sha256:
                samples = (one for one in loaded.samples() if isinstance(one, StaticSample))
                return {sample.id: sample for sample in samples}
        return {}

    def _load_film(self, directory: Path, episode: str, ended: float) -> run_views.FilmView | None:
        """The pictures of an attempt that ended then; None where it cannot be read."""
        try:
            return run_views.film_view(EpisodeStore(directory / EPISODES).read(episode))
        except StoreError:  # the row is shown without pictures
            return None


def _directories(root: Path) -> Iterator[Path]:
    """The directories of runs in or below `root`; a run's own directories are not searched."""
    for directory, inner, files in os.walk(root):
        inner.sort()
        if FILE in files:
            inner.clear()
            yield Path(directory)


def _source(log: RunLog) -> tuple[str, str, str]:
    return log.header.benchmark, log.header.source, log.header.data_sha256


def _find_place(run: RunRows, name: str, key: str) -> int:
    places = run.places("key", key)
    if not places:
        raise ResourceNotFoundError(f"{name} has no sample {key!r}")
    return places[0]
