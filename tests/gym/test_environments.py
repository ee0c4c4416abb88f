import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from tapwright.core.actions import Goto, OpenApp, Scroll, Tap
from tapwright.core.geometry import Point, Size
from tapwright.core.observation import UiTree
from tapwright.devices.errors import DESKTOP_MISSING, SITE_MISSING
from tapwright.errors import DeviceError, UnknownAppError, UnknownNameError, UsageError
from tapwright.gym.spaces import ActionSpace
from tapwright.tasks.checks import TreeShows, When
from tapwright.tasks.task import Task

DEFINITION = """
id: "pay" command: "Pay." max_num_steps: 9
event_sources { id: 1 finish_event {} }
event_slots { episode_end_listener { type: AND events { id: 1 } transformation: "y = True" } }
"""
MISSING = {SITE_MISSING.code, DESKTOP_MISSING.code}
PAY = Task("pay", "Pay.", apps=(), check=When(TreeShows("Thank you")))
MINIWOB = "tapwright.gym:tapwright/MiniWoB-v0"
PHONE = "tapwright.gym:tapwright/Phone-v0"


def text(instruction: np.ndarray[Any, np.dtype[np.uint8]]) -> str:
    return instruction.tobytes().rstrip(b"\0").decode()


def button(tree: str) -> tuple[float, float]:
    found = UiTree(tree, Size(160, 210)).find(short_id="subbtn")
    assert found is not None
    assert found.box is not None
    return found.box.center.x, found.box.center.y


@pytest.fixture(params=[MINIWOB, PHONE])
def env(request: pytest.FixtureRequest) -> Iterator[gymnasium.Env[Any, Any]]:
    made = gymnasium.make(request.param, render_mode="rgb_array")
    yield made
    made.close()


@pytest.mark.slow
def test_gymnasium_finds_nothing_to_complain_about(env: gymnasium.Env[Any, Any]) -> None:
    check_env(env.unwrapped)


@pytest.mark.slow_but_one
def test_what_is_seen_and_rendered_is_the_screen(env: gymnasium.Env[Any, Any]) -> None:
    seen, info = env.reset(seed=1)
    assert seen in env.observation_space
    assert text(seen["instruction"]) == info["instruction"] != ""
    assert "<node" in info["tree"]
    assert info["score"] == 0
    rendered: Any = env.render()
    assert np.array_equal(seen["screen"], rendered)


@pytest.mark.slow
def test_whatever_can_be_sampled_can_be_done(env: gymnasium.Env[Any, Any]) -> None:
    bare = env.unwrapped
    space = bare.action_space
    assert isinstance(space, ActionSpace)
    member = space.sample() | {"at": [0.99, 0.99], "to": [0.99, 0.99], "text": "a\n你"}
    press = space.kinds.index("press_key")
    kinds = [member | {"kind": kind} for kind in range(len(space.kinds))]
    keys = [member | {"kind": press, "key": key} for key in range(len(space.key_names))]
    over = True
    for action in (*kinds, *keys):
        if over:
            bare.reset(seed=0)
        _, _, terminated, truncated, info = bare.step(action)
        assert "refused" not in info
        over = terminated or truncated


@pytest.mark.slow
def test_a_seed_gives_the_same_row_of_episodes() -> None:
    with gymnasium.make(MINIWOB, task="click-button") as env:
        rows = [
            [env.reset(seed=seed)[1]["instruction"], env.reset()[1]["instruction"]]
            for seed in (1, 2, 1)
        ]
    assert rows[0] == rows[2] != rows[1]
    assert rows[0][0] != rows[0][1]


@pytest.mark.slow
def test_a_seed_varies_what_is_on_the_phone() -> None:
    with gymnasium.make(PHONE, disable_env_checker=True) as env:

        def shown(seed: int | None = None) -> str:
            env.reset(seed=seed)
            *_, info = env.step(OpenApp(app="Notes"))
            return str(info["tree"])

        own = [shown(), shown()]
        rows = [[shown(seed), shown()] for seed in (1, 2, 1)]
    assert own[0] == own[1]
    assert rows[0] == rows[2]
    assert len({own[0], *rows[0], *rows[1]}) == 5


@pytest.mark.slow
def test_a_task_of_the_phone_may_come_from_a_definition(tmp_path: Path) -> None:
    definition = tmp_path / "wifi.textproto"
    definition.write_text(DEFINITION)
    with gymnasium.make(PHONE, task="pay", suite=str(definition)) as env:
        _, info = env.reset(seed=5)
        assert info["instruction"] == "Pay."


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("Desktop-v0", {"task": "pad_new_list", "device": "800x600"}),
        ("Sites-v0", {"task": "trac_new_bell"}),
        ("Web-v0", {"task": "pay", "suite": [PAY], "url": "about:blank,400x300"}),
    ],
)
def test_computers_are_played_with_a_mouse_and_a_keyboard(
    name: str, arguments: dict[str, Any]
) -> None:
    try:
        env = gymnasium.make(f"tapwright.gym:tapwright/{name}", **arguments)
    except DeviceError as error:
        if error.code not in MISSING:
            raise
        pytest.skip(str(error))
    with env:
        seen, info = env.reset()
        assert seen in env.observation_space
        assert text(seen["instruction"]) == info["instruction"] != ""
        bare = env.unwrapped
        space = bare.action_space
        assert isinstance(space, ActionSpace)
        member = space.sample() | {"at": [0.5, 0.5], "to": [0.5, 0.2], "text": "a"}
        for kind in ("tap", "right_tap", "scroll", "hover", "type_text", "finish"):
            _, _, terminated, _, info = bare.step(member | {"kind": space.kinds.index(kind)})
            assert "refused" not in info
        assert (terminated, info["outcome"]) == (True, "failure")


def test_where_things_scroll_is_told_by_two_places() -> None:
    space = ActionSpace(("scroll", "right_tap", "open_app", "goto"), ("enter",))
    values = {"at": [0.5, 0.75], "to": [0.5, 0.25], "text": "about:blank", "key": 0}
    assert [space.to_action({"kind": kind, **values}) for kind in range(4)] == [
        Scroll(at=Point(0.5, 0.75), dy=0.5),
        Tap(at=Point(0.5, 0.75), button="right"),
        OpenApp(app="about:blank"),
        Goto(url="about:blank"),
    ]


@pytest.mark.slow
def test_an_action_of_tapwrights_own_earns_the_pages_reward() -> None:
    with gymnasium.make(MINIWOB, disable_env_checker=True) as env:
        _, info = env.reset(seed=0)
        place = button(info["tree"])
        space = env.unwrapped.action_space
        assert isinstance(space, ActionSpace)
        kind = space.kinds.index("tap")
        member = space.sample() | {"kind": kind, "at": np.array(place, np.float32)}
        _, reward, terminated, truncated, info = env.step(member)
        assert (reward, terminated, truncated) == (1.0, True, False)
        assert info["outcome"] == "success"
        env.reset(seed=0)
        assert env.step(Tap(at=Point(*place)))[1:3] == (1.0, True)


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["sync", "async"])
def test_several_run_as_a_vector(mode: str) -> None:
    envs = gymnasium.make_vec(MINIWOB, num_envs=2, vectorization_mode=mode, task="click-button")
    try:
        seen, _ = envs.reset(seed=3)
        assert seen["screen"].shape == (2, 210, 160, 3)
        assert len(set(map(text, seen["instruction"]))) == 2
        seen, rewards, *_ = envs.step(envs.action_space.sample())
        assert seen in envs.observation_space
        assert rewards.shape == (2,)
    finally:
        envs.close()


def test_what_is_no_action_is_refused_by_name() -> None:
    with gymnasium.make(MINIWOB, disable_env_checker=True) as env:
        env.reset(seed=0)
        member = env.action_space.sample()
        wrong: dict[str, Any]
        for wrong in ({}, member | {"kind": 99}, member | {"at": [2.0, 0.0]}, member | {"to": [1]}):
            with pytest.raises(UsageError, match="is not an action of this environment"):
                env.step(wrong)


def test_an_unknown_task_is_refused_by_name() -> None:
    with pytest.raises(UnknownAppError, match="click-tset"):
        gymnasium.make(MINIWOB, task="click-tset")
    with pytest.raises(UnknownNameError, match="wifi_of"):
        gymnasium.make(PHONE, task="wifi_of")


def test_naming_the_environments_costs_no_browser_and_no_device() -> None:
    code = "import sys, tapwright.gym; sys.exit('tapwright.devices' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
