"""Recorded episodes, wherever they lie, as one sequence: for notebooks and scripts."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from tapwright.core.episode import Episode, dump_actions
from tapwright.core.language import counted
from tapwright.errors import MissingExtraError, NothingFoundError, UsageError, quote_path
from tapwright.files.urls import MARK, is_url
from tapwright.formats.loading.steps import StepSource, StoreSteps
from tapwright.store.catalog import Catalog
from tapwright.store.ids import directory_name
from tapwright.store.selection import EVERYTHING
from tapwright.store.store import EpisodeStore

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

    from tapwright.formats.shared.copy import SharedCopy

__all__ = ["Episodes", "load", "open_steps"]


def load(location: Path | str, *, cache: Path | str | None = None) -> "Episodes":
    """The episodes of a store, a shared store or a pack: a directory, or one of fsspec's URLs.

    `hf://datasets/lab/phone` and `s3://lab/packed` need their file system's package beside fsspec.
    Of a shared store each episode is fetched into the directory `cache` when it is used; without
    one, into a directory that goes with the program.

    Raises:
        NothingFoundError: the directory has neither.
        MissingExtraError: it is a pack and pyarrow is not installed, or a URL and fsspec is not.
        BrokenPackError: it is a pack, or a URL, and cannot be read.
        RemoteFileError: it is a URL of a kind that is not known, or a shared store that cannot be
            read.
    """
    copy, is_pack = find_kind(location, cache)
    if copy is not None:
        kept = EpisodeStore(copy.directory)

        def read(id_: str) -> Episode:
            copy.fetch_directories([directory_name(id_)])
            return kept.open(id_)

        return Episodes(str(location), Catalog(kept).ids(EVERYTHING), read)
    if is_pack:
        from tapwright.formats.pack.reader import PackedEpisodes

        packed = PackedEpisodes(location)
        return Episodes(str(location), packed.ids(), packed.open)
    store = EpisodeStore(location)
    ids = store.ids()
    if not ids:
        raise NothingFoundError(
            f"{location}: neither a store with episodes nor a pack",
            hint=f"other recordings become a store first: tapwright episodes import "
            f"{quote_path(location)} -o STORE",
        )
    return Episodes(str(location), ids, store.open)


def open_steps(
    location: Path | str,
    where: str = "",
    cache: Path | str | None = None,
    at: int | None = None,
) -> StepSource:
    """The steps of a store, a shared store or a pack, of which `stream` says more; raises likewise.

    Raises:
        UsageError: the filter cannot be understood, or is for a pack, which has no catalog; or
            there is no commit `at`.
    """
    copy, is_pack = find_kind(location, cache, at)
    if copy is not None:
        from tapwright.formats.shared.steps import SharedSteps

        return SharedSteps(copy, where)
    if not is_pack:
        return StoreSteps(EpisodeStore(location), where=where)
    from tapwright.formats.pack.reader import PackedSteps

    refuse_filter(location, where)
    return PackedSteps(location)


def refuse_filter(location: Path | str, where: str) -> None:
    """Refuse to filter a pack.

    Raises:
        UsageError: there is a filter.
    """
    if where:
        raise UsageError(
            f"{location}: a pack has no catalog to filter by",
            hint="pack what fits: tapwright episodes pack STORE --where FILTER -o PACK",
        )


def find_kind(
    location: Path | str, cache: Path | str | None, at: int | None = None
) -> "tuple[SharedCopy | None, bool]":
    """The copy of a shared store, if one is there; and whether it can only be a pack.

    Raises:
        UsageError: there is a commit `at` which it is to be of, and it is no shared store or has
            no such commit.
        MissingExtraError: it is a pack and pyarrow is not installed, or a URL and fsspec is not.
        RemoteFileError: it is a URL of a kind that is not known, or cannot be read.
    """
    there = is_url(location)
    is_shared = there or Path(location, MARK).is_file()
    is_pack = there or any(Path(location, "episodes").glob("*.parquet"))
    copy = None
    if is_shared or is_pack:
        try:
            import pyarrow  # noqa: F401 -- packs need it
        except ModuleNotFoundError as error:
            raise MissingExtraError("a pack", "parquet") from error
    if is_shared:
        from tapwright.formats.shared.copy import open_copy

        copy = open_copy(str(location), cache, at)
    if at is not None and copy is None:
        raise UsageError(
            f"{location}: no shared store, so it has no commit {at}",
            hint="leave out at=, or make one: tapwright episodes share URL",
        )
    return copy, is_pack


class Episodes(Sequence[Episode]):
    """Episodes in the order in which they were made; each is read when it is used.

    By number, by id, or in turn. Steps, pictures and trees are read on access, so that a walk
    through any number of episodes holds one.
    """

    def __init__(self, location: str, ids: Sequence[str], read: Callable[[str], Episode]) -> None:
        self.location = location
        self.ids = tuple(ids)
        self._read = read

    def __len__(self) -> int:
        return len(self.ids)

    @overload
    def __getitem__(self, which: int | str) -> Episode: ...
    @overload
    def __getitem__(self, which: slice) -> "Episodes": ...

    def __getitem__(self, which: int | str | slice) -> "Episode | Episodes":
        """The episode of a number or an id, or those of a slice.

        Raises:
            IndexError: no episode has the number.
            EpisodeMissingError: none has the id.
            TapwrightError: it cannot be read.
        """
        if isinstance(which, slice):
            return Episodes(self.location, self.ids[which], self._read)
        return self._read(which if isinstance(which, str) else self.ids[which])

    def __iter__(self) -> Iterator[Episode]:
        return map(self._read, self.ids)

    def __repr__(self) -> str:
        return f"<{counted(len(self), 'episode')} of {self.location}>"

    def to_pandas(self) -> "pd.DataFrame":
        """A row for each step, without pictures; the columns are those of `rows`."""
        import pandas as pd

        return pd.DataFrame(self.rows(), columns=list(_COLUMNS))

    def to_polars(self) -> "pl.DataFrame":
        """As `to_pandas`."""
        import polars as pl

        return pl.DataFrame(self.rows(), schema=dict(_COLUMNS))

    def rows(self) -> Iterator[Mapping[str, Any]]:
        """What the steps say, one after another.

        `step` counts from 0; `action_type` has one word for each action, with a space between;
        `action` is JSON, of several actions a list; `x` and `y` are the place of the first one, in
        fractions of the screen; `refused` is the reason why the device did not perform it.
        """
        for episode in self:
            shared = {
                "episode_id": episode.id, "task_id": episode.task_id,
                "instruction": episode.instruction, "outcome": episode.outcome,
                "evidence": episode.evidence, "agent": episode.agent, "device": episode.device,
                "created": episode.created,
            }  # fmt: skip
            for number, step in enumerate(episode.steps):
                seen, decision = step.observation, step.decision
                at = getattr(decision.first, "at", None) or getattr(decision.first, "start", None)
                yield {
                    **shared, "step": number, "app": seen.app, "time_s": seen.time_s,
                    "width": seen.size.width, "height": seen.size.height,
                    "action_type": " ".join(action.type for action in decision.actions),
                    "action": dump_actions(decision.actions),
                    "x": at.x if at else None, "y": at.y if at else None,
                    "target": decision.target, "reasoning": decision.reasoning,
                    "reward": step.reward, "refused": step.refused, "note": step.note,
                }  # fmt: skip


_COLUMNS: Mapping[str, type] = {
    "episode_id": str, "task_id": str, "instruction": str, "outcome": str, "evidence": str,
    "agent": str, "device": str, "created": str, "step": int, "app": str, "time_s": float,
    "width": int, "height": int, "action_type": str, "action": str, "x": float, "y": float,
    "target": str, "reasoning": str, "reward": float, "refused": str, "note": str,
}  # fmt: skip
