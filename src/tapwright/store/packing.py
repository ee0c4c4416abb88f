"""Steps and episodes as the records of their lines, and back without a loss."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

from pydantic import JsonValue, ValidationError

from tapwright.core import actions as act
from tapwright.core.episode import Decision, Episode, EpisodeOutcome, OutcomeEvidence, Remark, Step
from tapwright.core.geometry import Size
from tapwright.core.observation import BrowserTab, Observation, UiTree
from tapwright.core.screenshot import Screenshot
from tapwright.errors import CorruptEpisodeError, StoreError, first_problem
from tapwright.files.atomic import write_inside
from tapwright.store import records, states


def pack_header(
    episode: Episode, *, schema: int = records.SCHEMA
) -> tuple[records.EpisodeHeader, records.Files]:
    """The header of an episode, and the files that it names; `schema` as in `pack_step`.

    Raises:
        ValidationError: it holds what a header cannot.
    """
    files: dict[str, Callable[[], bytes]] = {}
    state, hashes = _pack_state(episode.state, files, schema)
    header = records.EpisodeHeader(
        schema=schema,
        id=episode.id,
        task_id=episode.task_id,
        instruction=episode.instruction,
        agent=episode.agent,
        device=episode.device,
        created=episode.created,
        version=episode.version,
        extra=dict(episode.extra),
        log=episode.log,
        state=state,
        state_files=hashes,
    )
    return header, files


def pack_step(
    step: Step, known: records.FindRecord = lambda _: None, *, schema: int = records.SCHEMA
) -> tuple[records.StepRecord, records.Files]:
    """The record of a step, and the files that it names.

    An observation that `known` returns a record of is in the store already, and its files are not
    opened. A record of `schema` 1 holds the whole state.

    Raises:
        ValidationError: it holds what a line cannot, such as a reward that is not a number.
        BadImageError: the screenshot is not an image.
    """
    files: dict[str, Callable[[], bytes]] = {}
    state, hashes = _pack_state(step.state, files, schema)
    record = records.StepRecord(
        observation=_pack_observation(step.observation, files, known),
        action=step.decision.first,
        more=step.decision.actions[1:],
        reasoning=step.decision.reasoning,
        target=step.decision.target,
        reward=step.reward,
        instructions=step.instructions,
        log=step.log,
        state=state,
        state_files=hashes,
        refused=step.refused,
        raw=step.raw,
        between=tuple(_pack_observation(one, files, known) for one in step.between),
        after=None if step.after is None else _pack_observation(step.after, files, known),
        note=step.note,
        step_instruction=step.step_instruction,
        by=step.by,
        said=tuple(records.RemarkRecord(text=one.text, time_s=one.time_s) for one in step.said),
    )
    return record, files


def schema_of_step(step: Step) -> int:
    """The first schema whose lines hold all of a step, but for where its state is."""
    actions = step.decision.actions
    if step.by or step.said:
        return 6
    if len(actions) > 1 or any(screen.message for screen in step.screens):
        return 5
    if isinstance(actions[0], _OF_SCHEMA_5) or act.mouse_details(actions[0]):
        return 5
    on_tabs = isinstance(actions[0], act.Goto | act.NewTab | act.CloseTab | act.SwitchTab)
    if on_tabs or any(screen.tabs for screen in step.screens):
        return 4
    return 3 if step.step_instruction else 1


_OF_SCHEMA_5 = act.AskUser, act.ButtonDown, act.ButtonUp, act.KeyDown, act.KeyUp


EVIDENCE_SCHEMA = 5
"""The first schema whose end has `evidence`."""


def pack_end(
    outcome: EpisodeOutcome,
    final: Observation | None,
    known: records.FindRecord = lambda _: None,
    *,
    evidence: OutcomeEvidence,
) -> tuple[records.EndRecord, records.Files]:
    """The record of an episode's end, and the files that it names; otherwise as `pack_step`."""
    files: dict[str, Callable[[], bytes]] = {}
    seen = None if final is None else _pack_observation(final, files, known)
    return records.EndRecord(outcome=outcome, evidence=evidence, final=seen), files


def pack_screen(screen: Observation) -> records.Files:
    """The files that a record of a screen names."""
    files: dict[str, Callable[[], bytes]] = {}
    _pack_observation(screen, files, lambda _: None)
    return files


def unpack_step(record: records.StepRecord, directory: Path | str, load: states.Load) -> Step:
    """The step of a record; `load` reads a file below `directory` on access, by its path."""
    return Step(
        observation=unpack_observation(record.observation, directory, load),
        decision=Decision(record.decided, record.reasoning, record.target),
        reward=record.reward,
        instructions=record.instructions,
        log=record.log,
        state=_unpack_state(record, directory, load),
        refused=record.refused,
        raw=record.raw,
        between=tuple(unpack_observation(one, directory, load) for one in record.between),
        after=None if record.after is None else unpack_observation(record.after, directory, load),
        note=record.note,
        step_instruction=record.step_instruction,
        by=record.by,
        said=tuple(Remark(one.text, one.time_s) for one in record.said),
    )


def unpack_observation(
    record: records.ObservationRecord, directory: Path | str, load: states.Load
) -> Observation:
    """The observation of a record; `load` as in `unpack_step`."""
    # Joined as text: joining paths would take most of the time that reading an episode takes.
    frame = f"{directory}/frames/{record.frame}"
    size = _make_size(record.width, record.height)
    tree = None
    if record.ui is not None:
        ui = f"{directory}/ui/{record.ui}.xml.zst"
        tree = UiTree.lazy(lambda: unpack_tree(load(ui), ui), size, origin=ui, sha256=record.ui)
    return Observation(
        screenshot=Screenshot.lazy(
            lambda: load(frame), sha256=record.frame.partition(".")[0], origin=frame
        ),
        size=size,
        ui_tree=tree,
        app=record.app,
        orientation=record.orientation,
        time_s=record.time_s,
        stale=record.stale,
        url=record.url,
        tabs=tuple(BrowserTab(tab.title, tab.url, tab.active) for tab in record.tabs),
        message=record.message,
    )


# What is remembered of a step's size is found at once where the sizes of all steps are one object.
_make_size = lru_cache(maxsize=64)(Size)


def unpack_episode(
    header: records.EpisodeHeader,
    lines: Iterable[Step | records.StepRecord | records.EndRecord],
    directory: Path | str,
    load: states.Load,
) -> Episode:
    """The episode of a header and of records or steps; `load` as in `unpack_step`."""
    steps: list[Step] = []
    final: Observation | None = None
    outcome: EpisodeOutcome = "interrupted"
    evidence: OutcomeEvidence = ""
    for record in lines:
        match record:
            case records.EndRecord():
                outcome, evidence = record.outcome, record.evidence
                if record.final is not None:
                    final = unpack_observation(record.final, directory, load)
            case records.StepRecord():
                steps.append(unpack_step(record, directory, load))
            case Step():
                steps.append(record)
    return Episode(
        id=header.id,
        task_id=header.task_id,
        instruction=header.instruction,
        steps=tuple(steps),
        final=final,
        outcome=outcome,
        evidence=evidence,
        agent=header.agent,
        device=header.device,
        created=header.created,
        version=header.version,
        extra=header.extra,
        log=header.log,
        state=_unpack_state(header, directory, load),
    )


def unpack_tree(data: bytes, path: str) -> str:
    """The XML of a view hierarchy that a store keeps at `path`.

    Raises:
        CorruptEpisodeError: it is not compressed with zstd, or not text.
    """
    try:
        return states.decompress(data, path).decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise CorruptEpisodeError(f"{path}: not text: {error}") from error


def write_files(directory: Path, files: records.Files) -> None:
    """Write the files that a line names, and that are not there yet.

    Raises:
        DiskError: the disk is full or not writable.
    """
    missing = {name: data for name, data in files.items() if not (directory / name).exists()}
    write_inside(directory, {name: data() for name, data in missing.items()})


@contextmanager
def wrap_validation_errors(where: str) -> Iterator[None]:
    """Raise a `ValidationError` as a `StoreError` about `where`."""
    try:
        yield
    except ValidationError as error:
        raise StoreError(f"{where}: cannot be stored: {first_problem(error)}") from error


def _pack_observation(
    observation: Observation, files: dict[str, Callable[[], bytes]], known: records.FindRecord
) -> records.ObservationRecord:
    """The record of an observation; the files that it names are added to `files`."""
    if (found := known(observation)) is not None:
        return found
    shot, tree = observation.screenshot, observation.ui_tree
    frame, ui = f"{shot.sha256}.{shot.extension}", None
    files[f"frames/{frame}"] = lambda: shot.data
    if tree is not None:
        # A copy that is not kept, so that an episode of any length does not end up in memory.
        xml = tree.unread().xml.encode("utf-8", "surrogatepass")
        states.check_size(xml, tree.origin)
        ui = hashlib.sha256(xml).hexdigest()
        files[f"ui/{ui}.xml.zst"] = lambda: states.compress(xml)
    return records.ObservationRecord(
        frame=frame,
        width=observation.size.width,
        height=observation.size.height,
        ui=ui,
        app=observation.app,
        orientation=observation.orientation,
        time_s=observation.time_s,
        stale=observation.stale,
        url=observation.url,
        tabs=tuple(
            records.TabRecord(title=tab.title, url=tab.url, active=tab.active)
            for tab in observation.tabs
        ),
        message=observation.message,
    )


def _pack_state(
    state: Mapping[str, JsonValue], files: dict[str, Callable[[], bytes]], schema: int
) -> tuple[dict[str, JsonValue], dict[str, str]]:
    if schema < 2:
        return dict(state), {}
    inline, hashes = states.pack_state(state, files)
    return dict(inline), dict(hashes)


def _unpack_state(
    record: records.EpisodeHeader | records.StepRecord,
    directory: Path | str,
    load: states.Load,
) -> Mapping[str, JsonValue]:
    if not record.state_files:
        return record.state
    return states.StoredState(record.state, record.state_files, directory, load)
