"""TRL's trainer plays on our environments: its tools, its rewards, some updates of a tiny model."""

import inspect
import pickle
from pathlib import Path
from typing import Any, get_args

import pytest

from tapwright.core.actions import Action
from tapwright.devices.fake import EndlessScenes, FakeDevice
from tapwright.environment.errors import EnvironmentOrderError
from tapwright.errors import DeviceError, DeviceLostError, UnknownNameError, UsageError
from tapwright.faces.task_set import TaskSet
from tapwright.faces.trl import DeviceEnvironment, environment
from tapwright.store.store import EpisodeStore
from tapwright.tasks.checks import TreeShows, When
from tapwright.tasks.task import Task
from tests.scripts import load_example

TASKS = TaskSet(
    "buttons",
    [
        Task(f"to_{number}", f"Get to button {number}", apps=(), max_steps=5,
             check=When(TreeShows(f"Button {number}")))
        for number in (1, 2)
    ],
)  # fmt: skip


SEED = 0
"""Of the policy: with this one an attempt of the first groups is right."""


def open_fake() -> FakeDevice:
    return FakeDevice(EndlessScenes())


def tools(made: DeviceEnvironment) -> dict[str, Any]:
    """The methods that GRPOTrainer makes tools of."""
    members = inspect.getmembers(type(made), inspect.isfunction)
    names = [name for name, _ in members if not name.startswith("_")]
    return {name: getattr(made, name) for name in names if name not in ("reset", "get_reward")}


def test_every_action_is_a_tool_that_transformers_describes() -> None:
    schema = pytest.importorskip("transformers.utils").get_json_schema
    with environment(TASKS, device=open_fake) as factory:
        found = tools(factory())
        kinds = get_args(get_args(Action)[0])
        assert set(found) == {kind.model_fields["type"].default for kind in kinds}
        told = {name: schema(tool)["function"]["parameters"] for name, tool in found.items()}
    assert set(told["tap"]["required"]) == {"x", "y"}
    assert set(told["drag"]["required"]) == {"start_x", "start_y", "end_x", "end_y"}
    assert told["press_key"]["properties"]["key"]["enum"][0] == "back"
    assert told["hotkey"]["properties"]["keys"]["type"] == "array"


def test_a_rollout_returns_screens_earns_its_reward_and_is_recorded(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path)
    with environment(TASKS, device=open_fake, store=store) as factory:
        made: Any = factory()
        words, picture = made.reset(task="to_2", prompt=[])
        assert (words["text"], picture["image"].size) == ("Get to button 2", (270, 600))
        assert made.tap(x=0.5, y=0.4)[0]["text"] == "done"
        with pytest.raises(UsageError, match="Extra inputs"):
            made.tap(x=0.5, y=0.4, z=1)
        with pytest.raises(UsageError):
            made.tap(x=0.5)
        assert "refused: " in made.open_app(app="nothing")[0]["text"]
        made.tap(x=0.5, y=0.4)
        assert made.get_reward() == 1  # it does not wait for the policy to finish
        with pytest.raises(EnvironmentOrderError):
            made.wait(duration_s=0.0)
        made.reset(index=0)
        assert "ended" in made.finish()[0]["text"]
        assert made.get_reward() == 0
    assert [(one.task_id, one.outcome, one.agent) for one in store] == [
        ("to_2", "success", "trl"), ("to_1", "failure", "trl"),
    ]  # fmt: skip


class OddDevice(FakeDevice):
    """A device that cannot be closed, which says that it was asked to."""

    asked = 0

    def close(self) -> None:
        OddDevice.asked += 1
        raise DeviceLostError("gone")


def test_every_device_is_closed_though_one_cannot_be() -> None:
    factory = environment(TASKS, device=OddDevice, envs=2)
    factory(), factory()
    with pytest.raises(DeviceLostError):
        factory.close()
    assert OddDevice.asked == 2


class Unplugged(FakeDevice):
    """A device that is lost at its second action, for good."""

    def __init__(self) -> None:
        super().__init__(EndlessScenes(), lost_after=2)

    def reset(self, **state: Any) -> None:
        if self.performed:
            self.observe()
        super().reset(**state)

    def close(self) -> None:
        raise DeviceError("what is gone cannot be closed")


def test_a_lost_device_is_replaced_and_what_its_rollout_earned_is_not_known(
    tmp_path: Path,
) -> None:
    opened = iter([Unplugged(), FakeDevice(EndlessScenes())])
    store = EpisodeStore(tmp_path)
    with environment(TASKS, device=lambda: next(opened), envs=1, store=store) as factory:
        made: Any = factory()
        made.reset(task="to_2")
        made.tap(x=0.5, y=0.4)
        for _ in range(2):
            with pytest.raises(DeviceLostError):
                made.tap(x=0.5, y=0.4)
        assert made.get_reward() is None
        made.reset(task="to_1")
        assert made.tap(x=0.5, y=0.4)[0]["text"] == "done"
        assert made.get_reward() == 1
    assert [(one.task_id, one.outcome) for one in store] == [
        ("to_2", "interrupted"), ("to_1", "success"),
    ]  # fmt: skip


def test_a_factory_plays_on_in_a_process_of_the_trainers() -> None:
    """AsyncGRPOTrainer pickles it."""
    with environment("phone", device="fake", actions=("tap",), envs=1) as factory:
        there = pickle.loads(pickle.dumps(factory))
        assert (there.tasks, there.envs) == (factory.tasks, 1)
        with there:
            assert type(there()) is type(factory())


def test_rows_name_tasks_and_what_is_too_much_is_told() -> None:
    factory = environment(TASKS, device=open_fake, envs=1, actions=("tap", "finish"), looks="tree")
    assert [row["task"] for row in factory.rows()] == ["to_1", "to_2"]
    assert [row["seed"] for row in factory.rows(seeds=(3, 4))] == [3, 4, 3, 4]
    made: Any = factory()
    assert set(tools(made)) == {"tap", "finish"}
    assert "Button 0" in made.reset()
    with pytest.raises(UsageError, match="more than 1 environments"):
        factory()
    with pytest.raises(UnknownNameError, match="'fly'"):
        environment(TASKS, device=open_fake, actions=("fly",))
    with pytest.raises(UsageError, match="does not say which device"):
        environment(TASKS)


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.filterwarnings("default")  # transformers deprecates what TRL calls
def test_grpo_updates_a_policy_that_sees_by_what_a_page_of_miniwob_rewards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("trl")
    monkeypatch.setenv("TRL_EXPERIMENTAL_SILENCE", "1")
    example = load_example("rl_with_trl")
    store = EpisodeStore(tmp_path / "rollouts")
    page = TaskSet("miniwob", [TaskSet.read("miniwob").find("click-test.0")])
    with environment(page, actions=("tap",), envs=4, store=store) as factory:
        trainer = example.teach(factory, tmp_path, updates=3, seed=SEED)
    log = [row for row in trainer.state.log_history if "reward" in row]
    shares = [row["rewards/DeviceEnvironment/mean"] for row in log]
    assert len(shares) == 3
    assert sum(shares) * 4 == sum(episode.outcome == "success" for episode in store)
    assert any(0 < share < 1 for share in shares)  # a group in which attempts differ teaches
    example.transformers.set_seed(SEED)
    before, _ = example.make_policy()
    weights = zip(before.parameters(), trainer.model.parameters(), strict=True)
    assert any((a != b).any() for a, b in weights)
