import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence, Set
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from itertools import count, pairwise
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tapwright.core import actions
from tapwright.core.actions import Key
from tapwright.core.episode import LET_GO
from tapwright.core.geometry import Point
from tapwright.core.observation import Observation
from tapwright.devices.device import LiveFrame
from tapwright.devices.fake import EndlessScenes, FakeDevice, painted_scene
from tapwright.devices.replay import ReplayDevice
from tapwright.errors import DeviceLostError, DiskError, TapwrightError, UnknownAppError
from tapwright.record.command_queue import CommandQueue
from tapwright.record.commands import (
    Act,
    Command,
    Discard,
    FinishDemonstration,
    Note,
    Pause,
    Redo,
    Reply,
    Restore,
    Resume,
    Say,
    TakeOver,
    Undo,
)
from tapwright.record.demonstration import Demonstration
from tapwright.record.errors import RecordingError
from tapwright.record.journal import Journal, read_journals
from tapwright.record.progress import CommandDone, StepSaved
from tapwright.record.recovery import INTERRUPTED, takeover_log_line
from tapwright.store.store import EpisodeStore
from tapwright.store.work_log import read_work
from tapwright.tasks.checks import Unchecked
from tapwright.tasks.task import Signals, Task, Verdict
from tests.record.demos import (
    TAP,
    TASK,
    act,
    begun,
    event_task,
    gone_on,
    logging_device,
    opening,
)
from tests.record.jpegs import jpeg_of


def saved(demonstration: Demonstration, key: str) -> StepSaved:
    result = demonstration.do(act(demonstration, key))
    assert isinstance(result, StepSaved)
    return result


COMMANDS = st.lists(
    st.sampled_from(
        ["act", "act", "act", "undo", "redo", "note", "pause", "resume", "takeover", "again"]
    ),
    max_size=12,
)


def command(word: str, number: int, demonstration: Demonstration, takeover: bool) -> Command:
    key = f"k{number}"
    match word:
        case "undo":
            return Undo(key=key)
        case "redo":
            return Redo(key=key)
        case "note":
            return Note(key=key, step=0, note=key)
        case "pause":
            return Pause(key=key)
        case "resume":
            return Resume(key=key)
        case "takeover":
            return TakeOver(key=key, on=not takeover)
        case _:
            return act(demonstration, key)


def test_work_is_on_disk_once_it_has_ended_while_its_page_is_still_open(tmp_path: Path) -> None:
    demonstration = begun(tmp_path)
    saved(demonstration, "a")
    assert read_work(tmp_path / "demo") == []
    demonstration.do(FinishDemonstration(key="f", outcome="failure", reason="enough"))
    (line,) = read_work(tmp_path / "demo")
    assert (line.who, line.kind, line.steps) == ("ann", "record", 1)
    demonstration.close()
    assert read_work(tmp_path / "demo") == [line]


@settings(max_examples=40)
@given(words=COMMANDS, restarts=st.sets(st.integers(0, 11), max_size=2))
@pytest.mark.slow
def test_what_is_on_disk_is_what_was_acknowledged(
    words: list[str], restarts: set[int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    store = tmp_path_factory.mktemp("store")
    demonstration = begun(store)
    asked: list[Command] = []
    answered: list[object] = []
    for number, word in enumerate(words):
        if number in restarts and asked:
            before = demonstration.progress
            demonstration.close()
            demonstration = gone_on(store)
            after = demonstration.progress
            for name in ("steps", "undone", "paused", "takeover", "outcome"):
                assert getattr(after, name) == getattr(before, name)
        again = word == "again" and bool(asked)
        progress = demonstration.progress
        wanted = asked[-1] if again else command(word, number, demonstration, progress.takeover)
        try:
            answer: object = demonstration.do(wanted)
        except TapwrightError as error:
            answer = type(error)
        if again and isinstance(answer, StepSaved | CommandDone):
            assert type(answer) is type(answered[-1])
            assert demonstration.progress.steps == progress.steps
        asked.append(wanted)
        answered.append(answer)
        if demonstration.progress.steps:
            steps = EpisodeStore(store).read("demo").steps
            shown = demonstration.progress.steps
            assert [step.note for step in steps] == [view.note for view in shown]
            assert [step.reward for step in steps] == [view.reward for view in shown]
            assert [step.observation.screenshot.sha256 for step in steps] == [
                view.frame_sha for view in shown
            ]
    demonstration.close()


@contextmanager
def disk_that_fails(when: Set[int]) -> Iterator[None]:
    """Of the lines of steps and of the journal, those of these numbers from 0 are not written."""
    numbers = count()

    def sync(handle: int) -> None:
        if os.readlink(f"/proc/self/fd/{handle}").endswith(".jsonl") and next(numbers) in when:
            raise OSError(28, "No space left on device")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", sync)
        yield


@settings(max_examples=60)
@example(words=["act", "undo", "undo"], fails={4})
@example(words=["act", "act", "undo", "undo", "act"], fails={6})
@given(words=COMMANDS, fails=st.sets(st.integers(0, 24), max_size=5))
@pytest.mark.slow
def test_a_disk_that_fails_now_and_then_makes_nothing_up_and_loses_nothing(
    words: list[str], fails: set[int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    store = tmp_path_factory.mktemp("store")
    demonstration = begun(store)
    keys: dict[int, str] = {}
    refused: list[Command] = []
    with disk_that_fails(fails):
        for number, word in enumerate(words):
            takeover = demonstration.progress.takeover
            again = word == "again" and bool(refused)
            wanted = refused[-1] if again else command(word, number, demonstration, takeover)
            try:
                result = demonstration.do(wanted)
            except DiskError:
                refused.append(wanted)
            except TapwrightError:
                pass
            else:
                if isinstance(result, StepSaved):
                    keys[result.step.index] = result.key
    before = demonstration.progress
    demonstration.close()
    if not read_journals(store):
        assert before.steps == ()
        return
    demonstration = gone_on(store)
    after = demonstration.progress
    assert after.steps[: len(before.steps)] == before.steps
    # What was done and could not be written is written now.
    assert len(after.steps) - len(before.steps) in (0, 1)
    assert (after.paused, after.takeover) == (before.paused, before.takeover)
    for view in before.steps:
        assert saved(demonstration, keys[view.index]).step.index == view.index
    assert demonstration.progress.steps == after.steps
    demonstration.close()


def test_a_step_has_the_screen_before_it_and_the_one_that_it_led_to(tmp_path: Path) -> None:
    demonstration = begun(tmp_path)
    for number in range(3):
        assert saved(demonstration, f"k{number}").step.target == f"Button {number}"
    demonstration.close()
    steps = EpisodeStore(tmp_path).read("demo").steps
    for step, following in pairwise(steps):
        assert step.after is not None
        assert step.after.screenshot == following.observation.screenshot
        assert not following.observation.stale


def test_a_key_that_is_asked_again_is_answered_and_not_done_again(tmp_path: Path) -> None:
    device = FakeDevice(EndlessScenes())
    demonstration = begun(tmp_path, device)
    first = saved(demonstration, "same")
    assert saved(demonstration, "same") == first
    assert len(device.performed) == 1
    demonstration.close()
    device = FakeDevice(EndlessScenes())
    demonstration = gone_on(tmp_path, device)
    assert saved(demonstration, "same").step == first.step
    assert device.performed == []
    demonstration.close()


def test_the_finger_s_way_is_kept_beside_the_action(tmp_path: Path) -> None:
    demonstration = begun(tmp_path)
    way = (
        actions.Touch(at=Point(0.5, 0.8)),
        actions.Touch(at=Point(0.5, 0.5)),
        actions.Lift(at=Point(0.5, 0.2)),
    )
    swipe = actions.Swipe(start=Point(0.5, 0.8), end=Point(0.5, 0.2))
    demonstration.do(Act(key="k", action=swipe, frame=1, raw=way))
    demonstration.close()
    step = EpisodeStore(tmp_path).read("demo").steps[0]
    assert (step.decision.action, step.raw) == (swipe, way)


def test_rewards_and_the_outcome_are_those_of_the_task_s_check(tmp_path: Path) -> None:
    demonstration = begun(tmp_path)
    assert [saved(demonstration, f"k{number}").step.reward for number in range(2)] == [0.0, 1.0]
    judge = demonstration.progress.judge
    assert judge is not None
    assert (judge.success, judge.total) == (True, 1.0)
    demonstration.do(Undo(key="u"))
    judge = demonstration.progress.judge
    assert judge is not None
    assert (judge.success, judge.total) == (False, 0.0)
    demonstration.do(Redo(key="r"))
    demonstration.do(FinishDemonstration(key="f", outcome="success", reason="all done"))
    demonstration.close()
    episode = EpisodeStore(tmp_path).read("demo")
    assert (episode.outcome, episode.agent) == ("success", "human/ann")
    assert episode.steps[-1].decision.action == actions.Finish(outcome="success", reason="all done")
    assert read_journals(tmp_path) == []


@pytest.mark.parametrize("name", ["log", "view", "log and view", "view or log that fails"])
def test_a_goal_that_was_reached_stays_reached_until_the_step_is_undone(
    tmp_path: Path, name: str
) -> None:
    demonstration = begun(tmp_path, logging_device(), task=event_task(name))

    def is_reached() -> bool:
        judge = demonstration.progress.judge
        assert judge is not None
        return judge.success and judge.ended

    for number in range(4):
        saved(demonstration, f"k{number}")
    assert is_reached()
    for number, reached in enumerate([True, True, False]):
        demonstration.do(Undo(key=f"u{number}"))
        assert is_reached() is reached
    demonstration.do(Redo(key="r"))
    assert is_reached()
    demonstration.do(Undo(key="v"))
    demonstration.do(FinishDemonstration(key="f", outcome="success"))
    demonstration.close()
    assert EpisodeStore(tmp_path).read("demo").outcome == "failure"


def test_without_a_check_the_person_says_how_it_ended(tmp_path: Path) -> None:
    typed = Task("", "Do as you like", (), Unchecked())
    demonstration = begun(tmp_path, task=typed)
    demonstration.do(Act(key="a", action=actions.Answer(text="42")))
    assert demonstration.progress.judge is None
    demonstration.do(FinishDemonstration(key="f", outcome="infeasible", reason="no such thing"))
    with pytest.raises(RecordingError, match="ended"):
        demonstration.do(act(demonstration, "late"))
    demonstration.close()
    assert EpisodeStore(tmp_path).read("demo").outcome == "infeasible"


def test_what_a_person_leaves_down_is_let_go_at_the_end_and_said(tmp_path: Path) -> None:
    device = FakeDevice(EndlessScenes())
    demonstration = begun(tmp_path, device)
    demonstration.do(Act(key="a", action=actions.KeyDown(key="shift")))
    demonstration.do(FinishDemonstration(key="f", outcome="success", reason=""))
    assert not device.let_go()
    demonstration.close()
    assert EpisodeStore(tmp_path).read("demo").steps[-1].log == (f"{LET_GO}shift",)


def test_the_user_answers_by_the_task_s_script_then_by_a_person(tmp_path: Path) -> None:
    task = replace(TASK, replies=("the blue one",))
    with closing(begun(tmp_path, task=task)) as demonstration:
        with pytest.raises(RecordingError, match="asked the user nothing"):
            demonstration.do(Reply(key="early", text="Yes"))
        saved(demonstration, "before")
        for key in ("Which?", "Sure?"):
            demonstration.do(Act(key=key, action=actions.AskUser(text=key)))
        assert [view.reply for view in demonstration.progress.steps] == ["", "the blue one", ""]
        for key in ("No", "Yes"):  # said twice, the later counts
            result = demonstration.do(Reply(key=key, text=key))
        assert isinstance(result, StepSaved)
        assert (result.step.index, result.step.reply) == (2, "Yes")
        saved(demonstration, "after")
    _, first, second, after = EpisodeStore(tmp_path).read("demo").steps
    assert (first.instructions, second.instructions) == (("the blue one",), ("Yes",))
    assert [one.observation.message for one in (first, second, after)] == [
        "",
        "the blue one",
        "Yes",
    ]


@pytest.mark.filterwarnings("ignore:.*half-written")
def test_an_answer_survives_a_kill_at_any_byte_of_its_line(tmp_path: Path) -> None:
    with closing(begun(tmp_path)) as demonstration:
        demonstration.do(Act(key="ask", action=actions.AskUser(text="Which?")))
        path = tmp_path / "demo" / "steps.jsonl"
        before = path.read_bytes()
        demonstration.do(Reply(key="r", text="the red one"))
        whole = path.read_bytes()
    for length in range(len(before), len(whole), 40):
        path.write_bytes(whole[:length])
        with closing(gone_on(tmp_path)) as demonstration:
            result = demonstration.do(Reply(key="r", text="the red one"))
            assert isinstance(result, StepSaved)
            assert [view.reply for view in demonstration.progress.steps] == ["the red one"]


def test_a_takeover_is_marked_and_what_is_done_meanwhile_is_not_recorded(tmp_path: Path) -> None:
    device = FakeDevice(EndlessScenes())
    demonstration = begun(tmp_path, device)
    saved(demonstration, "a")
    demonstration.do(TakeOver(key="on", on=True))
    assert demonstration.do(act(demonstration, "by hand")) == CommandDone("by hand")
    demonstration.do(TakeOver(key="off", on=False))
    saved(demonstration, "b")
    demonstration.close()
    first, second = EpisodeStore(tmp_path).read("demo").steps
    assert (first.log, len(device.performed)) == ((), 3)
    assert second.log == (
        "mobiagent: before it, takeover start",
        "mobiagent: before it, takeover end",
    )


def test_what_the_device_does_not_do_is_told_and_not_recorded(tmp_path: Path) -> None:
    demonstration = begun(tmp_path)
    with pytest.raises(UnknownAppError):
        demonstration.do(Act(key="k", action=actions.OpenApp(app="nowhere")))
    demonstration.do(Pause(key="p"))
    with pytest.raises(RecordingError, match="paused"):
        demonstration.do(act(demonstration, "a"))
    with pytest.raises(RecordingError, match="no step"):
        demonstration.do(Undo(key="u"))
    assert demonstration.progress.steps == ()
    demonstration.close()


class Unfocused(FakeDevice):
    """A device that has few keys, and of which no field has the focus before something is done."""

    def keys(self) -> Sequence[Key]:
        return ["back", "enter"]

    def takes_text(self) -> bool:
        return bool(self.performed)


def test_text_that_no_field_takes_is_refused_and_not_recorded(tmp_path: Path) -> None:
    device = Unfocused(EndlessScenes())
    with closing(begun(tmp_path, device)) as demonstration:
        assert demonstration.progress.keys == ("back", "enter")
        for key in ("lost", "lost"):
            with pytest.raises(RecordingError):
                demonstration.do(Act(key=key, action=actions.TypeText(text="hello")))
        assert (device.performed, demonstration.progress.steps) == ([], ())
        there = actions.TypeText(text="hello", at=Point(0.5, 0.4))
        demonstration.do(Act(key="there", action=there))
        demonstration.do(Act(key="again", action=actions.TypeText(text="hello")))
        assert len(demonstration.progress.steps) == 2


def test_a_discarded_demonstration_is_shown_no_more_and_can_be_brought_back(tmp_path: Path) -> None:
    demonstration = begun(tmp_path)
    saved(demonstration, "a")
    assert demonstration.do(Discard(key="d")) == CommandDone("d")
    demonstration.close()
    store = EpisodeStore(tmp_path)
    assert "demo" not in store
    store.undo("demo")
    assert len(store.read("demo").steps) == 1


def test_a_demonstration_in_which_nothing_was_done_leaves_no_episode(tmp_path: Path) -> None:
    demonstration = begun(tmp_path)
    demonstration.do(Discard(key="d"))
    demonstration.close()
    assert EpisodeStore(tmp_path).ids() == []
    assert read_journals(tmp_path) == []


def test_a_demonstration_that_nothing_was_asked_of_is_forgotten_when_it_is_closed(
    tmp_path: Path,
) -> None:
    begun(tmp_path).close()
    assert read_journals(tmp_path) == []
    assert [path.name for path in tmp_path.rglob("*")] == [".recording"]


class Noting(FakeDevice):
    """A device that notes, in the order of what is synced, when it acts."""

    def __init__(self, noted: list[str]) -> None:
        super().__init__(EndlessScenes())
        self._noted = noted

    def perform(self, action: actions.Action) -> None:
        self._noted.append("acts")
        super().perform(action)


@pytest.fixture
def noted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is synced from here on, by the names that it has then."""
    found: list[str] = []
    sync = os.fsync

    def noting(handle: int) -> None:
        found.append(Path(os.readlink(f"/proc/self/fd/{handle}")).name)
        sync(handle)

    monkeypatch.setattr(os, "fsync", noting)
    return found


def test_the_device_waits_for_one_sync_and_for_the_episode_to_appear(
    tmp_path: Path, noted: list[str]
) -> None:
    with closing(begun(tmp_path, Noting(noted))) as demonstration:
        noted.clear()
        saved(demonstration, "a")
        assert noted[:3] == [tmp_path.name, "demo.jsonl", "acts"]
        assert noted[-1] == "steps.jsonl"
        assert len(noted) == 3 + 4 + 1  # both files of the new screen, and their folders
        noted.clear()
        saved(demonstration, "b")
        assert noted[:2] == ["demo.jsonl", "acts"]


def test_a_disk_that_was_full_as_the_device_came_takes_the_first_step(tmp_path: Path) -> None:
    demonstration = Demonstration(
        EpisodeStore(tmp_path), Journal.create(tmp_path, opening()), TASK, has_pending=lambda: True
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", partial(full_disk, at="episode.json"))
        demonstration.attach(FakeDevice(EndlessScenes()))
    assert saved(demonstration, "a").step.index == 0
    demonstration.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == [".recording", "demo"]


def test_an_episode_begins_on_the_device_that_came_last(tmp_path: Path) -> None:
    with closing(begun(tmp_path)) as demonstration:
        demonstration.detach()
        other = logging_device()
        demonstration.attach(other)
        told = tuple(other.log())
        saved(demonstration, "a")
    assert EpisodeStore(tmp_path).read("demo").log == told != ()


def test_a_device_that_is_lost_while_it_acts_leaves_no_step(tmp_path: Path) -> None:
    demonstration = begun(tmp_path, FakeDevice(EndlessScenes(), lost_after=1))
    saved(demonstration, "a")
    with pytest.raises((DeviceLostError, RecordingError)):
        demonstration.do(act(demonstration, "b"))
    assert not demonstration.progress.connected
    assert demonstration.progress.message
    with pytest.raises(RecordingError):
        demonstration.do(act(demonstration, "c"))
    assert len(demonstration.progress.steps) == 1
    demonstration.attach(FakeDevice(EndlessScenes()))
    assert demonstration.progress.interrupted == "reopened"
    with pytest.raises(RecordingError):
        demonstration.do(act(demonstration, "e"))
    demonstration.do(Restore(key="back"))
    saved(demonstration, "d")
    demonstration.close()
    assert len(EpisodeStore(tmp_path).read("demo").steps) == 2


@pytest.mark.slow
def test_a_check_judges_no_device_that_was_not_brought_back(tmp_path: Path) -> None:
    """A new phone shows what the task asks for from the start, as when it was reset."""
    demonstration = begun(tmp_path, FakeDevice([painted_scene(0), painted_scene(1)]))
    saved(demonstration, "a")
    demonstration.attach(FakeDevice([painted_scene(2)]), "reopened")
    with pytest.raises(RecordingError):
        demonstration.do(act(demonstration, "b"))
    with pytest.raises(RecordingError):
        demonstration.do(FinishDemonstration(key="c", outcome="success"))
    assert len(demonstration.progress.steps) == 1
    with pytest.raises(RecordingError, match="not what was recorded"):
        demonstration.do(Restore(key="d"))
    assert demonstration.progress.interrupted == "reopened"
    demonstration.do(FinishDemonstration(key="e", outcome="success", reason="it was reached"))
    demonstration.close()
    assert EpisodeStore(tmp_path).read("demo").outcome == "failure"


def test_a_device_is_brought_back_by_its_set_up_and_the_recorded_steps(tmp_path: Path) -> None:
    demonstration = begun(tmp_path)
    saved(demonstration, "a")
    device = FakeDevice(EndlessScenes())
    demonstration.attach(device, "used")
    demonstration.do(Restore(key="back"))
    assert device.performed == [TAP]
    assert demonstration.progress.interrupted is None
    saved(demonstration, "b")
    assert demonstration.progress.judge is not None
    assert demonstration.progress.judge.success
    demonstration.close()


def test_a_device_that_nothing_else_has_used_needs_not_be_brought_back(tmp_path: Path) -> None:
    device = FakeDevice(EndlessScenes())
    demonstration = begun(tmp_path, device)
    saved(demonstration, "a")
    demonstration.close()
    demonstration = gone_on(tmp_path, device)
    saved(demonstration, "b")
    assert len(device.performed) == 2
    demonstration.close()


@pytest.mark.slow
def test_a_lost_device_is_noticed_while_nobody_acts(tmp_path: Path) -> None:
    device = FakeDevice(EndlessScenes())
    demonstration = begun(tmp_path, device)
    queue = CommandQueue()
    queue.run(demonstration)
    device.lost_after = 0
    noticed = threading.Event()

    def look() -> None:
        while demonstration.progress.connected and not noticed.is_set():
            noticed.wait(0.01)
        noticed.set()

    watcher = threading.Thread(target=look)
    watcher.start()
    assert noticed.wait(60.0)
    watcher.join()
    queue.close().result()


def test_a_device_without_live_pictures_is_looked_at(tmp_path: Path) -> None:
    demonstration = begun(tmp_path / "one")
    for number in range(3):
        saved(demonstration, f"k{number}")
    demonstration.do(FinishDemonstration(key="f", outcome="success"))
    demonstration.close()
    replayed = ReplayDevice(EpisodeStore(tmp_path / "one").read("demo"))
    demonstration = begun(tmp_path / "two", replayed)
    assert [saved(demonstration, f"k{number}").step.target for number in range(3)] == [
        f"Button {number}" for number in range(3)
    ]
    assert not any(step.stale for step in demonstration.progress.steps)
    demonstration.close()


@pytest.mark.slow
def test_screen_and_tree_are_those_that_the_person_saw(tmp_path: Path) -> None:
    shown: dict[int, bytes] = {}
    device = FakeDevice(EndlessScenes(), changes_s=0.05)
    queue = CommandQueue()
    painted: list[int] = []
    demonstration = Demonstration(
        EpisodeStore(tmp_path),
        Journal.create(tmp_path, opening()),
        TASK,
        on_frame=lambda number, acts, frame: shown.__setitem__(number, frame.data),
        # The screen is left to change by itself after every fourth step; the others come at once.
        has_pending=lambda: len(painted) % 4 != 0,
    )
    demonstration.attach(device)
    queue.run(demonstration)
    for number in range(100):
        frame = demonstration.frame_history.number
        painted.append(frame)
        wanted = Act(key=f"k{number}", action=TAP, frame=frame)
        queue.submit(partial(demonstration.do, wanted)).result()
    queue.close().result()
    steps = EpisodeStore(tmp_path).read("demo").steps
    for frame, step in zip(painted, steps, strict=True):
        seen = step.observation
        assert seen.ui_tree is not None
        # Picture and tree are of one moment: the button carries the number of the scene.
        assert seen.screenshot.data == EndlessScenes()[scene_of(seen)].picture
        assert step.decision.target == f"Button {scene_of(seen)}"
        assert jpeg_of(seen) == shown[frame] or seen.stale
    # The screen may change before a busy machine has taken both, which is marked; not as a rule.
    assert sum(step.observation.stale for step in steps[1::4]) <= 5


def test_what_is_looked_at_has_been_shown_before() -> None:
    device, shown, goes_on = FakeDevice(EndlessScenes()), list[bytes](), threading.Event()

    def show(frame: LiveFrame) -> None:
        goes_on.wait(10)
        shown.append(frame.data)

    with device.live(show):
        threading.Timer(0.2, goes_on.set).start()
        device.perform(TAP)
        seen = device.observe()
        assert jpeg_of(seen) in shown


class LateThread(threading.Thread):
    """A thread that gets its turn after those that wait for it have gone on."""

    def run(self) -> None:
        threading.Event().wait(0.02)
        super().run()


def test_a_screen_is_shown_however_soon_nobody_watches_any_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tapwright.devices.fake.Thread", LateThread)
    device, shown = FakeDevice(), list[LiveFrame]()
    with device.live(shown.append):
        pass
    assert len(shown) == 1


def scene_of(seen: Observation) -> int:
    assert seen.ui_tree is not None
    return int(seen.ui_tree.nodes[1].text.removeprefix("Button "))


FULL = """
import resource, signal, sys
from pathlib import Path
from tapwright.errors import DiskError
from tests.record.demos import act, begun

demonstration = begun(Path(sys.argv[1]))
demonstration.do(act(demonstration, "a"))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
wanted = act(demonstration, "b")
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), hard))
try:
    demonstration.do(wanted)
except DiskError as error:
    assert demonstration.progress.disk == str(error)
    assert len(demonstration.progress.steps) == 1
    print("refused", flush=True)
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
demonstration.do(wanted)
demonstration.do(act(demonstration, "c"))
print(len(demonstration._watcher.device.performed), repr(demonstration.progress.disk))
demonstration.close()
"""


@pytest.mark.slow
@pytest.mark.parametrize("limit", ["1", "1200"], ids=["nothing fits", "only the pictures fit"])
def test_on_a_full_disk_nothing_is_saved_and_the_same_step_can_be_tried_again(
    tmp_path: Path, limit: str
) -> None:
    run = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path), limit],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[2],
    )
    assert run.stdout.split("\n")[:2] == ["refused", "3 ''"], run.stderr
    found = EpisodeStore(tmp_path).read("demo")
    assert [step.decision.target for step in found.steps] == ["Button 0", "Button 1", "Button 2"]


KILLED = """
import os, sys
from pathlib import Path
from tapwright.devices.fake import EndlessScenes, FakeDevice, painted_scene
from tapwright.record.journal import Journal, read_journals
from tests.record.demos import act, begun, gone_on

store, at, moment = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]

class Killed(FakeDevice):
    def perform(self, action):
        if moment == "before" and len(self.performed) == at:
            os.kill(os.getpid(), 9)
        super().perform(action)
        if moment == "after" and len(self.performed) == at + 1:
            os.kill(os.getpid(), 9)

device = Killed(EndlessScenes())
demonstration = gone_on(store, device) if read_journals(store) else begun(store, device)
for line in sys.stdin:
    demonstration.do(act(demonstration, line.strip()))
    print(line.strip(), flush=True)
demonstration.close()
"""


@pytest.mark.slow
def test_a_recorder_that_is_killed_three_times_in_40_steps_has_40_steps(tmp_path: Path) -> None:
    waiting = [f"k{number}" for number in range(40)]
    for at, moment in ((10, "before"), (10, "after"), (5, "after"), (100, "never")):
        run = subprocess.run(
            [sys.executable, "-c", KILLED, str(tmp_path), str(at), moment],
            input="\n".join(waiting),
            capture_output=True,
            text=True,
            check=False,
            cwd=Path(__file__).parents[2],
        )
        assert (run.returncode == -signal.SIGKILL) == (moment != "never"), run.stderr
        answered = run.stdout.split()
        assert answered == waiting[: len(answered)]
        waiting = waiting[len(answered) :]
    assert waiting == []
    steps = EpisodeStore(tmp_path).read("demo").steps
    assert len(steps) == 40
    assert [number for number, step in enumerate(steps) if step.note == INTERRUPTED] == [10, 21, 27]


def test_a_step_that_was_done_and_is_not_on_disk_lets_nothing_else_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    demonstration = begun(tmp_path)
    saved(demonstration, "a")
    lines = tmp_path / "demo" / "steps.jsonl"
    wanted = act(demonstration, "b")
    fsync, synced = os.fsync, [0]

    def full(handle: int) -> None:
        if os.readlink(f"/proc/self/fd/{handle}") == str(lines) and not synced[0]:
            synced[0] = 1
            raise OSError(28, "No space left on device")
        fsync(handle)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DiskError, match="not saved yet"):
        demonstration.do(wanted)
    with pytest.raises(RecordingError, match="not on disk"):
        demonstration.do(Undo(key="u"))
    demonstration.do(wanted)
    assert [view.index for view in demonstration.progress.steps] == [0, 1]
    demonstration.close()


def test_an_end_that_the_disk_did_not_take_can_be_said_again_and_otherwise(tmp_path: Path) -> None:
    demonstration = begun(tmp_path)
    saved(demonstration, "a")
    demonstration.do(TakeOver(key="t", on=True))
    with disk_that_fails({2}), pytest.raises(DiskError):  # the journal, the step, the end
        demonstration.do(FinishDemonstration(key="f", outcome="success"))
    demonstration.close()
    demonstration = gone_on(tmp_path)
    demonstration.do(FinishDemonstration(key="g", outcome="failure", reason="no button"))
    demonstration.close()
    found = EpisodeStore(tmp_path).read("demo")
    assert [step.decision.action.type for step in found.steps] == ["tap", "finish"]
    assert found.steps[1].decision.action == actions.Finish(outcome="failure", reason="no button")
    assert found.steps[1].log == (takeover_log_line(on=True),)
    assert found.outcome == "failure"


class Endless(Unchecked):
    """A check that says what no line can hold."""

    def step(self, signals: Signals) -> Verdict:
        return Verdict(0.0, float("inf"), success=False)


def test_a_step_whose_result_cannot_be_stored_is_stored_without_it(tmp_path: Path) -> None:
    demonstration = begun(tmp_path, task=replace(TASK, check=Endless()))
    assert "cannot be stored" in saved(demonstration, "a").step.note
    assert saved(demonstration, "b").step.index == 1
    demonstration.close()


def test_a_discard_that_the_disk_did_not_take_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    demonstration = begun(tmp_path)
    saved(demonstration, "a")
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", partial(full_disk, at=".part"))
        with pytest.raises(DiskError):
            demonstration.do(Discard(key="d"))
    assert saved(demonstration, "b").step.index == 1
    demonstration.do(Discard(key="d"))
    demonstration.close()
    assert "demo" not in EpisodeStore(tmp_path)


def full_disk(handle: int, *, at: str) -> None:
    if os.readlink(f"/proc/self/fd/{handle}").endswith(at):
        raise OSError(28, "No space left on device")


def test_what_is_said_goes_to_the_next_step_and_survives_a_crash(tmp_path: Path) -> None:
    with closing(begun(tmp_path)) as demonstration:
        demonstration.do(act(demonstration, "first"))
        demonstration.do(Say(key="s1", text="Where is it?", time_s=99))
    with closing(gone_on(tmp_path)) as demonstration:
        demonstration.do(Say(key="s1", text="Where is it?"))  # known: it is not said twice
        demonstration.do(Say(key="s2", text="There."))
        (one, other) = demonstration.progress.said
        assert (one.text, other.text) == ("Where is it?", "There.")
        assert max(one.time_s, other.time_s) < 99  # the recorder's own
        demonstration.do(act(demonstration, "second"))
        assert demonstration.progress.said == ()
        demonstration.do(Say(key="s3", text="Done."))
        demonstration.do(FinishDemonstration(key="end", outcome="success", reason="ok"))
    steps = EpisodeStore(tmp_path).read("demo").steps
    said = [[line.text for line in step.said] for step in steps]
    assert said == [[], ["Where is it?", "There."], ["Done."]]
