"""Mobile-Env's pickles: nothing that was recorded is lost on the way in and out."""

import json
import pickle
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tapwright.core.actions import Answer, Drag, Finish, LongPress, Swipe, Tap, Token, TypeText
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.geometry import Point
from tapwright.core.screenshot import Screenshot
from tapwright.devices.fake import FakeDevice
from tapwright.errors import NothingFoundError, UnsupportedByConventionError, UsageError
from tapwright.formats.errors import BrokenPickleError, ForeignDataError
from tapwright.formats.fitting import FittingEpisodes
from tapwright.formats.format import EpisodeExporter, EpisodeImporter, UnreadableEpisode
from tapwright.formats.importers.account import Account, OpenedFiles, keep_account
from tapwright.formats.importers.keeping import refuse_step
from tapwright.formats.mobiagent.importer import MOBIAGENT, MobiAgent
from tapwright.formats.mobile_env.episodes import MOBILE_ENV, MobileEnv, to_episode, to_trajectory
from tapwright.formats.mobile_env.records import Trajectory, read_trajectories
from tapwright.formats.temporary_storage import TemporaryStorage
from tapwright.store.store import EpisodeStore
from tests.formats.foreign import read_all
from tests.strategies import WORDS

GOLDEN = Path(__file__).parents[1] / "golden" / "mobile_env_pickles"
SCREENS = [np.random.default_rng(seed).integers(0, 256, (6, 4, 3), np.uint8) for seed in range(4)]

FRACTIONS = st.floats(0, 1, width=32)


def json_of(at: tuple[float, float]) -> str:
    """A place as a browser writes it, which knows no "1.0"."""
    return json.dumps([int(part) if part.is_integer() else part for part in at])


SEEN = st.fixed_dictionaries(
    {
        "observation": st.sampled_from(SCREENS),
        "view_hierarchy": st.none() | WORDS,
        "orientation": st.integers(0, 3).map(np.int64),
    }
)
SAID = st.fixed_dictionaries(
    {"reward": st.floats(-10, 10)},
    optional={"instruction": st.lists(WORDS, min_size=1, max_size=2)},
)
EVENTS: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.tuples(FRACTIONS, FRACTIONS).map(
        lambda at: {"action_type": 0, "touch_position": np.array(json.loads(json_of(at)))}
    ),
    st.sampled_from([{"action_type": 1}, {"action_type": 2}]),
    st.one_of(WORDS, st.integers(0, 99)).map(lambda word: {"action_type": 3, "input_token": word}),
)
RECORDS = st.builds(lambda event, said, seen: event | said | seen, EVENTS, SAID, SEEN)
COMMANDS = st.lists(WORDS.filter(lambda text: "\n" not in text), min_size=1, max_size=2)
HEADS = st.builds(
    lambda head, seen: head | seen,
    st.fixed_dictionaries({"task_id": WORDS, "task": WORDS}, optional={"command": COMMANDS}),
    SEEN,
)
LISTS = st.builds(lambda head, records: [head, *records], HEADS, st.lists(RECORDS, max_size=12))


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("mobile-env")


def dumped(path: Path, *values: object) -> Path:
    path.write_bytes(b"".join(pickle.dumps(value, 4) for value in values))
    return path


def episodes(path: Path) -> list[Episode]:
    found = list(MOBILE_ENV.read(path))
    assert not [one for one in found if isinstance(one, UnreadableEpisode)]
    return [one for one in found if isinstance(one, Episode)]


def trajectories(path: Path) -> list[Trajectory]:
    found = read_trajectories(path, None, TemporaryStorage())
    return [one for one in found if isinstance(one, Trajectory)]


def fresh(place: Path, name: str) -> Path:
    number = len(list(place.iterdir()))
    return place / f"{number}-{name}"


def plain(value: object) -> object:
    """Pickled data that can be compared."""
    match value:
        case np.ndarray():
            return (value.dtype.str, value.shape, value.tobytes())
        case np.generic():
            return (value.dtype.str, value.item())
        case dict():
            return {key: plain(one) for key, one in value.items()}
        case list():
            return [plain(one) for one in value]
    return value


def loaded(path: Path) -> Any:
    return pickle.loads(path.read_bytes())


def test_the_format_imports_and_exports() -> None:
    assert isinstance(MOBILE_ENV, EpisodeImporter)
    assert isinstance(MOBILE_ENV, EpisodeExporter)


@settings(max_examples=60)
@given(given=st.lists(LISTS, min_size=1, max_size=3))
@pytest.mark.slow
def test_import_export_import_is_the_identity(place: Path, given: list[Any]) -> None:
    meta = {"otask_id": given[0][0]["task_id"], "otask_name": "", "task_definition_id": "the-task"}
    path = dumped(fresh(place, "given.pkl"), {"meta": meta, "trajectories": given})
    first = episodes(path)
    out = fresh(place, "out")
    assert MOBILE_ENV.write(first, out) == len(given)
    second = episodes(out)
    assert sorted(second, key=lambda one: one.id) == sorted(first, key=lambda one: one.id)


@settings(max_examples=60)
@given(given=LISTS)
def test_what_is_exported_is_what_the_recorder_wrote(place: Path, given: list[Any]) -> None:
    path = dumped(fresh(place, "given.pkl"), given)
    out = fresh(place, "out.pkl")
    MOBILE_ENV.write(episodes(path), out)
    (told,) = loaded(out)["trajectories"]
    assert plain(told) == plain(given)


@settings(max_examples=60)
@given(given=LISTS)
def test_an_episode_holds_all_of_its_trajectory(place: Path, given: list[Any]) -> None:
    (trajectory,) = trajectories(dumped(fresh(place, "given.pkl"), given))
    episode = to_episode(trajectory)
    assert to_trajectory(episode) == trajectory
    assert sum(len(step.raw) for step in episode.steps) == len(given) - 1


@settings(max_examples=20)
@given(given=LISTS)
def test_an_imported_episode_is_stored_as_it_is(place: Path, given: list[Any]) -> None:
    (episode,) = episodes(dumped(fresh(place, "given.pkl"), given))
    store = EpisodeStore(fresh(place, "store"))
    store.write(episode)
    assert store.read(episode.id) == episode
    assert to_trajectory(store.read(episode.id)) == to_trajectory(episode)


@pytest.mark.parametrize("name", ["note-open.pkl", "shop-find.pkl"])
def test_the_originals_resaved_files_come_out_as_they_went_in(tmp_path: Path, name: str) -> None:
    given = GOLDEN / "resaved" / name
    MOBILE_ENV.write(episodes(given), tmp_path / "out.pkl")
    assert plain(loaded(tmp_path / "out.pkl")) == plain(loaded(given))


def test_a_recording_is_read_as_what_the_annotator_did() -> None:
    (episode,) = episodes(GOLDEN / "raw" / "alice.1.pkl")
    assert (episode.agent, episode.task_id) == ("alice", "open_note_1")
    assert episode.instruction == "Open the note."
    assert [step.decision.action for step in episode.steps] == [
        Tap(at=Point(0.5, 0.25)),
        TypeText(text="[token 0] [token 1]"),
        Tap(at=Point(0.9, 0.9)),
    ]
    assert [step.reward for step in episode.steps] == [1.0, 0.5, 1.0]
    assert episode.steps[0].instructions == ("First, open it",)


def test_the_screen_of_a_step_is_the_one_before_its_action() -> None:
    (episode,) = episodes(GOLDEN / "raw" / "alice.1.pkl")
    records = loaded(GOLDEN / "raw" / "alice.1.pkl")
    at = 0
    for step in episode.steps:
        shown = np.asarray(step.observation.screenshot.image())
        assert (shown == records[at]["observation"]).all()
        at += len(step.raw)
    assert episode.final is not None
    assert (np.asarray(episode.final.screenshot.image()) == records[-1]["observation"]).all()


def test_several_pickles_in_a_file_are_several_episodes() -> None:
    found = episodes(GOLDEN / "two_in_one.pkl")
    alone = [episodes(GOLDEN / "raw" / f"alice.{number}.pkl")[0] for number in (1, 5)]
    assert [episode.id for episode in found] == [episode.id for episode in alone]


def test_screens_of_floats_are_the_same_screens() -> None:
    assert episodes(GOLDEN / "float32.pkl") == episodes(GOLDEN / "resaved" / "note-open.pkl")


def test_levels_as_floats_are_the_same_screens(tmp_path: Path) -> None:
    records = loaded(GOLDEN / "raw" / "alice.1.pkl")
    for record in records:
        record["observation"] = record["observation"].astype(np.float32)
    found = episodes(dumped(tmp_path / "alice.1.pkl", records))
    assert found == episodes(GOLDEN / "raw" / "alice.1.pkl")


def test_the_documented_schema_is_read(tmp_path: Path) -> None:
    screen = np.zeros((4, 6, 3), np.float32)
    seen = {"observation": screen, "view_hierarchy": None, "orientation": np.int64(1)}
    head = {"task_id": "t", "task": "Try - Something"}
    at = np.array([0.25, 0.5], np.float32)
    step = {"action_type": np.int64(0), "touch_position": at}  # no reward: it is 0
    path = dumped(tmp_path / "a.pkl", {"meta": {}, "trajectories": [[head | seen, step | seen]]})
    (episode,) = episodes(path)
    assert episode.instruction == "Try - Something"
    assert episode.steps[0].decision.action == Tap(at=Point(0.25, 0.5))
    assert episode.steps[0].observation.orientation == "landscape"
    MOBILE_ENV.write([episode], tmp_path / "b.pkl")
    assert "command" not in loaded(tmp_path / "b.pkl")["trajectories"][0][0]
    assert episodes(tmp_path / "b.pkl") == [episode]


def test_what_a_killed_resave_leaves_is_read(tmp_path: Path) -> None:
    resaved = loaded(GOLDEN / "resaved" / "note-open.pkl")
    left = dumped(tmp_path / "note-open.tmp.pkl", resaved["meta"], *resaved["trajectories"])
    assert episodes(left) == episodes(GOLDEN / "resaved" / "note-open.pkl")


def test_equal_recordings_in_a_file_are_kept_apart(tmp_path: Path) -> None:
    records = loaded(GOLDEN / "raw" / "alice.5.pkl")
    first, second = episodes(dumped(tmp_path / "x.1.pkl", records, records))
    assert second == replace(first, id=f"{first.id}-2")


def bad(change: dict[str, Any], at: int = 1, without: str = "") -> list[Any]:
    records = loaded(GOLDEN / "raw" / "alice.1.pkl")
    records[at] = {key: value for key, value in records[at].items() if key != without} | change
    return list(records)


def read_one(tmp_path: Path, records: object) -> tuple[Episode, Account]:
    """The second of three recordings in a file; the others are whole."""
    good = loaded(GOLDEN / "raw" / "alice.5.pkl")
    path = dumped(tmp_path / "x.pkl", {"meta": {}, "trajectories": [good, records, good]})
    with keep_account(OpenedFiles()) as account:
        first, found, last = MOBILE_ENV.read(path)
    assert isinstance(first, Episode)
    assert isinstance(last, Episode)
    assert isinstance(found, Episode), found
    return found, account


@pytest.mark.parametrize(
    ("records", "told"),
    [
        (bad({"touch_position": np.array([np.nan, 0.5])}), "touch_position is [nan, 0.5]"),
        (bad({"touch_position": np.array([0.5, 1.5])}), "touch_position is [0.5, 1.5]"),
        (bad({"touch_position": np.array([0.5])}), "touch_position is a list of 1"),
        (bad({}, without="touch_position"), "has no 'touch_position'"),
        (bad({"action_type": 7}), "action_type is 7"),
        (bad({"action_type": 4}), "adb command"),
        (bad({"action_type": True}), "action_type is True"),
    ],
)
def test_a_record_without_an_event_is_a_refused_step(
    tmp_path: Path, records: object, told: str
) -> None:
    whole = to_episode(*trajectories(GOLDEN / "raw" / "alice.1.pkl"))
    found, account = read_one(tmp_path, records)
    refused, *rest = found.steps
    assert told in refused.refused
    assert refused.refused.startswith("record 1: ")
    assert told in account.broken
    assert not any(step.refused for step in rest)
    assert found.final == whole.final
    assert found.steps[-1].raw == whole.steps[-1].raw


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"reward": float("inf")}, "reward is inf"),
        ({"reward": "1"}, "reward is '1'"),
        ({"orientation": 4}, "orientation is 4"),
        ({"view_hierarchy": 3}, "view_hierarchy is 3"),
        ({"instruction": 3}, "instruction is 3"),
    ],
)
def test_a_bad_field_is_told_and_the_event_is_kept(
    tmp_path: Path, change: dict[str, Any], told: str
) -> None:
    whole = to_episode(*trajectories(GOLDEN / "raw" / "alice.1.pkl"))
    found, account = read_one(tmp_path, bad(change))
    assert [step.decision for step in found.steps] == [step.decision for step in whole.steps]
    assert told in account.broken


@pytest.mark.parametrize(
    ("picture", "told"),
    [
        (None, "observation is None"),
        (np.zeros((4, 4), np.uint8), "shape (4, 4)"),
        (np.zeros((90, 90, 4), np.uint8), "shape (90, 90, 4)"),
        (np.full((90, 90, 3), np.nan, np.float32), "from nan to nan"),
        (np.full((4, 4, 3), 256.0), "to 256"),
        (np.zeros((4, 4, 3), np.int64), "int64"),
    ],
)
def test_a_screen_that_is_none_has_a_stand_in(tmp_path: Path, picture: object, told: str) -> None:
    whole = to_episode(*trajectories(GOLDEN / "raw" / "alice.1.pkl"))
    found, account = read_one(tmp_path, bad({"observation": picture}))
    assert [step.decision for step in found.steps] == [step.decision for step in whole.steps]
    screens = [screen for step in found.steps for screen in step.screens]
    assert [screen.screenshot.recorded for screen in screens].count(False) == 1
    assert {screen.size for screen in screens} == {whole.steps[0].observation.size}
    assert told in account.broken


def test_a_stand_in_within_an_action_does_not_become_a_screen(tmp_path: Path) -> None:
    found, _ = read_one(tmp_path, bad({"observation": None}))
    broken = found.steps[0].between
    assert not all(screen.screenshot.recorded for screen in broken)
    MOBILE_ENV.write([found], tmp_path / "out.pkl")
    (again,) = episodes(tmp_path / "out.pkl")
    shown = [one if one.screenshot.recorded else found.steps[0].observation for one in broken]
    assert [one.screenshot.image() for one in again.steps[0].between] == [
        one.screenshot.image() for one in shown
    ]
    assert again.steps[0].decision == found.steps[0].decision


@pytest.mark.parametrize(
    ("records", "told"),
    [
        (bad({}, at=0, without="task_id"), "record 0: has no 'task_id'"),
        ([], "a list of 0"),
        ([3], "record 0: 3; expected a record"),
        ([bad({})[0], 3, {"action_type": 9}], "record 1: has no 'action_type'"),
    ],
)
def test_a_recording_of_which_nothing_is_left_is_told(
    tmp_path: Path, records: object, told: str
) -> None:
    good = loaded(GOLDEN / "raw" / "alice.5.pkl")
    path = dumped(tmp_path / "x.pkl", {"meta": {}, "trajectories": [good, records, good]})
    first, unreadable, last = MOBILE_ENV.read(path)
    assert isinstance(first, Episode)
    assert isinstance(last, Episode)
    assert isinstance(unreadable, UnreadableEpisode)
    assert f"{path}, trajectory 1" in unreadable.where
    assert told in unreadable.reason


def test_the_originals_other_actions_are_refused_steps() -> None:
    found, good = MOBILE_ENV.read(GOLDEN / "other_actions.pkl")
    assert isinstance(found, Episode)
    assert isinstance(good, Episode)
    adb, another = [step.refused for step in found.steps if step.refused]
    assert "adb command" in adb
    assert "action_type is 7" in another


def test_what_precedes_a_broken_end_is_imported(tmp_path: Path) -> None:
    data = (GOLDEN / "two_in_one.pkl").read_bytes()
    (tmp_path / "bob.1.pkl").write_bytes(data[:-10])
    first, unreadable = MOBILE_ENV.read(tmp_path / "bob.1.pkl")
    assert isinstance(first, Episode)
    assert isinstance(unreadable, UnreadableEpisode)
    assert unreadable.code == "TW802"


@pytest.mark.parametrize("value", [{}, 3, {"meta": 1, "trajectories": []}, "text"])
def test_another_pickle_is_refused(tmp_path: Path, value: object) -> None:
    with pytest.raises(ForeignDataError, match="expected Mobile-Env's list of records"):
        list(MOBILE_ENV.read(dumped(tmp_path / "x.pkl", value)))


def test_a_broken_file_in_a_directory_leaves_the_others_unaffected(tmp_path: Path) -> None:
    shutil.copy(GOLDEN / "raw" / "alice.1.pkl", tmp_path / "b.pkl")
    (tmp_path / "a.pkl").touch()
    bad, good = MOBILE_ENV.read(tmp_path)
    assert isinstance(bad, UnreadableEpisode)
    assert isinstance(good, Episode)


def test_an_instruction_that_was_edited_is_told(tmp_path: Path) -> None:
    head = {"task_id": "t", "task": "Name", "observation": SCREENS[0]}
    (episode,) = episodes(dumped(tmp_path / "a.pkl", [head]))
    told = to_trajectory(replace(episode, instruction="Do it"))
    assert (to_trajectory(episode).commands, told.commands) == (None, ("Do it",))


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.pkl").touch()
    with pytest.raises(BrokenPickleError, match="is empty"):
        list(MOBILE_ENV.read(tmp_path / "x.pkl"))


@pytest.fixture
def played() -> Episode:
    device = FakeDevice()
    device.reset()

    def steps() -> Iterator[Step]:
        for action in (
            Tap(at=Point(0.5, 0.4)),
            LongPress(at=Point(0.5, 0.4), duration_s=1.0),
            Swipe(start=Point(0.5, 0.8), end=Point(0.5, 0.2), duration_s=0.4),
            Drag(start=Point(0.5, 0.8), end=Point(0.5, 0.2), duration_s=0.8),
            TypeText(text="two words"),
            Finish(),
        ):
            yield Step(device.observe(), Decision(action), reward=0.5, instructions=("go on",))
            device.perform(action)

    told = tuple(steps())
    return Episode("played", "press", "Press it\nTwice", told, device.observe(), "success")


def test_an_episode_from_elsewhere_is_told_in_touches_and_words(
    tmp_path: Path, played: Episode
) -> None:
    MOBILE_ENV.write([played], tmp_path / "out.pkl")
    (found,) = episodes(tmp_path / "out.pkl")
    assert [(step.decision.action, step.reward, step.instructions) for step in found.steps] == [
        (step.decision.action, 0.5, ("go on",)) for step in played.steps[:-1]
    ]
    assert [step.observation.size for step in found.steps] == [
        step.observation.size for step in played.steps[:-1]
    ]
    assert found.instruction == played.instruction


def test_an_edited_step_is_told_as_it_was_edited(tmp_path: Path) -> None:
    (episode,) = episodes(GOLDEN / "raw" / "alice.1.pkl")
    first, second, third = episode.steps
    edited = replace(
        episode,
        steps=(
            replace(first, decision=Decision(Tap(at=Point(0.1, 0.1)))),
            replace(second, decision=Decision(TypeText(text="milk")), reward=2.0),
            replace(third, instructions=("other",)),
        ),
    )
    MOBILE_ENV.write([edited], tmp_path / "out.pkl")
    (found,) = episodes(tmp_path / "out.pkl")
    assert [step.decision.action for step in found.steps] == [
        Tap(at=Point(0.1, 0.1)),
        TypeText(text="milk"),
        third.decision.action,
    ]
    assert [step.reward for step in found.steps] == [1.0, 2.0, 1.0]
    assert found.steps[2].instructions == ("other",)
    assert found.steps[1].raw == (Token(text="milk", reward=2.0),)


def test_what_cannot_be_told_leaves_nothing_behind(tmp_path: Path, played: Episode) -> None:
    asked = replace(played.steps[0], decision=Decision(Answer(text="42")))
    with pytest.raises(UnsupportedByConventionError, match=r"played, step 1: .*answer"):
        MOBILE_ENV.write(
            [replace(played, steps=(played.steps[0], asked))], tmp_path / "below" / "out.pkl"
        )
    assert list((tmp_path / "below").iterdir()) == []


@pytest.mark.parametrize("format_", [MOBILE_ENV, MOBIAGENT])
def test_what_the_device_refused_is_not_told_as_done(
    tmp_path: Path, played: Episode, format_: MobileEnv | MobiAgent
) -> None:
    first, second, swiped, _, *rest = played.steps
    refused = replace(second, refused="off the screen")
    given = FittingEpisodes([replace(played, steps=(first, refused, swiped, *rest))], format_)
    format_.write(given, tmp_path / "out")
    assert [(one.step, one.reason) for one in given.left_out] == [
        (1, "it was refused: off the screen")
    ]
    (found,) = read_all(format_, tmp_path / "out")[0]
    told = [step.decision.action.type for step in found.steps]
    assert told[:3] == [step.decision.action.type for step in (first, swiped, rest[0])]
    with pytest.raises(UnsupportedByConventionError, match="step 1: it was refused"):
        format_.write([replace(played, steps=(first, refused, swiped))], tmp_path / "other")


@pytest.mark.parametrize("format_", [MOBILE_ENV, MOBIAGENT])
def test_an_episode_with_a_step_that_nothing_is_known_of_is_left_out(
    tmp_path: Path, played: Episode, format_: MobileEnv | MobiAgent
) -> None:
    first, second, swiped, *_ = played.steps
    unknown = refuse_step(second.observation, "a call of an API")
    two = [replace(played, steps=(first, one, swiped)) for one in (second, unknown)]
    given = FittingEpisodes(two, format_)
    assert format_.write(given, tmp_path / "out") == 1
    (left,) = given.left_out
    assert left.step is None
    assert "step 1: nothing is known of it but this: a call of an API" in left.reason


def test_a_picture_that_nobody_recorded_does_not_become_a_screen(
    tmp_path: Path, played: Episode
) -> None:
    seen = played.steps[1].observation
    faded = replace(seen, screenshot=Screenshot.stand_in(seen.size))
    steps = (played.steps[0], replace(played.steps[1], observation=faded), *played.steps[2:])
    with pytest.raises(ForeignDataError, match="played, screen 1: no picture was recorded"):
        MOBILE_ENV.write([replace(played, steps=steps)], tmp_path / "out.pkl")
    assert list(tmp_path.iterdir()) == []


def test_one_file_holds_one_task_and_a_directory_holds_all(tmp_path: Path, played: Episode) -> None:
    given = [played, replace(played, id="b", task_id="../Up"), replace(played, id="c")]
    with pytest.raises(UsageError, match="one file holds one task"):
        MOBILE_ENV.write(given, tmp_path / "all.pkl")
    with pytest.raises(NothingFoundError):
        MOBILE_ENV.write([], tmp_path / "none")
    assert MOBILE_ENV.write(given, tmp_path / "all") == 3
    names = sorted(path.name for path in (tmp_path / "all").iterdir())
    assert names == ["__Up.pkl", "press.pkl"]
    with pytest.raises(UsageError, match="already exists"):
        MOBILE_ENV.write(given, tmp_path / "all")
