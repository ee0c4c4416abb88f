"""Gymnasium environments around tapwright's own: the same tasks, checks and devices.

https://gymnasium.farama.org/api/env/. Each has a browser of its own, which `close` ends. Pass their
arguments to `gymnasium.make`.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, get_args

import gymnasium
import numpy as np
from pydantic import BaseModel

from tapwright.core.actions import Action, Key
from tapwright.core.geometry import Size
from tapwright.core.observation import Observation
from tapwright.devices.device import Device, keys_of
from tapwright.devices.miniwob.device import MiniWob
from tapwright.devices.phone.device import Phone
from tapwright.environment.environment import Environment, Info
from tapwright.errors import UnknownNameError
from tapwright.gym.spaces import ActionSpace, encode_instruction, make_observation_space
from tapwright.tasks.miniwob import PageReward
from tapwright.tasks.task import Setup, Task
from tapwright.tasks.task_files import read_suite

__all__ = [
    "DesktopEnv", "DeviceEnv", "MiniWobEnv", "PhoneEnv", "SitesEnv", "TapwrightEnv", "WebEnv",
]  # fmt: skip

StrDict: TypeAlias = dict[str, Any]
_NOT_TO_PLAY_WITH = {
    "forward", "menu", "power", "volume_up", "volume_down", "camera", "clear", "rotate",
}  # fmt: skip
_NOT_ON_A_PAGE = _NOT_TO_PLAY_WITH | {"back", "home", "recents"}
_ON_A_PHONE = ("tap", "double_tap", "long_press", "swipe", "drag", "type_text", "press_key",
               "wait", "answer", "finish")  # fmt: skip
_ON_A_COMPUTER = ("tap", "double_tap", "triple_tap", "right_tap", "drag", "hover", "scroll",
                  "type_text", "press_key", "open_app", "wait", "answer", "finish")  # fmt: skip
_IN_A_BROWSER = (*_ON_A_COMPUTER, "goto")
_SEEDS = 2**31
_HOTKEYS = ("control+a", "control+c", "control+x", "control+v")


class TapwrightEnv(gymnasium.Env[StrDict, Any]):
    """One task on one device; `step` takes a member of the space, or an `Action` of tapwright.

    `environment` is tapwright's own; `latest` is what it returned last, and `performed` the action
    that led there.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - as Gymnasium declares it
        "render_modes": ["rgb_array"],
        "render_fps": 2,
    }
    action_space: ActionSpace

    def __init__(
        self, environment: Environment, size: Size, actions: ActionSpace, *, render_mode: str | None
    ) -> None:
        self.render_mode = render_mode
        self.observation_space = make_observation_space(size)
        self.action_space = actions
        self.environment = environment
        self.latest: tuple[Observation, Info]
        self.performed: Action
        self._instruction = ""
        self._screen = np.zeros((size.height, size.width, 3), np.uint8)

    def step(
        self, action: Mapping[str, Any] | Action
    ) -> tuple[StrDict, float, bool, bool, StrDict]:
        """Perform one action.

        `info` has the instruction and the view hierarchy (`tree`, XML) as text, the `score`, the
        check's `extras`, what the device `refused`, and at the end the `outcome`.

        Raises:
            UsageError: the action is not in the space.
            EnvironmentOrderError: the episode has ended.
            DeviceError: the device is lost or broken.
        """
        if not isinstance(action, BaseModel):
            action = self.action_space.to_action(action)
        observation, reward, terminated, truncated, info = self.environment.step(action)
        self.latest, self.performed = (observation, info), action
        values, details = self._convert(observation, info)
        return values, float(reward), terminated, truncated, details

    def render(self) -> np.ndarray[Any, Any] | None:
        """The screen (height, width, RGB) of the latest observation, in the mode "rgb_array"."""
        return self._screen.copy() if self.render_mode == "rgb_array" else None

    def close(self) -> None:
        """Close the device and its browser; more than once is allowed."""
        self.environment.close()

    def _start(self, seed: int | None) -> tuple[StrDict, StrDict]:
        observation, info = self.environment.reset(seed=seed)
        self.latest = observation, info
        self._instruction = info["instruction"]
        return self._convert(observation, info)

    def _convert(self, observation: Observation, info: Info) -> tuple[StrDict, StrDict]:
        """The observation and the info in the forms of Gymnasium."""
        self._screen = np.array(observation.screenshot.image())
        tree = observation.ui_tree
        details: StrDict = {
            "instruction": self._instruction,
            "tree": tree.xml if tree is not None else "",
            "score": info["score"],
            "extras": dict(info["extras"]),
        }
        for name in ("refused", "outcome"):
            if name in info:
                details[name] = info[name]
        return {
            "screen": self._screen.copy(),
            "instruction": encode_instruction(self._instruction),
        }, details


class DeviceEnv(TapwrightEnv):
    """A task of a suite on a device that was opened for it, and that `close` closes.

    `suite` is a name or a path of task definitions, or the tasks themselves. A seed determines the
    sequence of episodes, each over other data on the device; until one is given, each has the
    task's own data. A task whose words name data of its own seed cannot be done over others.
    """

    def __init__(
        self,
        device: Device,
        task: str,
        suite: str | Sequence[Task],
        kinds: Sequence[str] = _ON_A_COMPUTER,
        *,
        hotkeys: Sequence[str] = _HOTKEYS,
        render_mode: str | None = None,
    ) -> None:
        chosen = _find_task(task, suite)
        self._seeded = False
        keys = [key for key in keys_of(device) if key not in _NOT_TO_PLAY_WITH]
        super().__init__(
            Environment(device, chosen),
            device.observe().size,
            ActionSpace(kinds, (*keys, *hotkeys)),
            render_mode=render_mode,
        )

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[StrDict, StrDict]:
        """Start the task again: with `seed` as the device's, which `record --seed` has the same of.

        Without one the next seed is drawn, if one was given before.
        """
        super().reset(seed=seed)
        if seed is not None:
            self._seeded = True
            return self._start(seed)
        return self._start(int(self.np_random.integers(_SEEDS)) if self._seeded else None)


class PhoneEnv(DeviceEnv):
    """A task of one of the built-in phone's suites, as `tapwright tasks ls` lists them.

    `device` is the argument of the device "phone:": "jpeg" for screens of 411x914, "1080x2400" for
    large ones.
    """

    def __init__(
        self,
        task: str = "wifi_off",
        *,
        suite: str | Sequence[Task] = "phone",
        device: str = "jpeg",
        render_mode: str | None = None,
    ) -> None:
        _find_task(task, suite)  # before a browser starts
        super().__init__(
            Phone.named(device), task, suite, _ON_A_PHONE, hotkeys=(), render_mode=render_mode
        )


class WebEnv(DeviceEnv):
    """A task on any web page, whose definition is yours; `url` is the device's argument.

    The browser reaches the hosts of `network`, that of the address by default.
    """

    def __init__(
        self,
        task: str,
        *,
        suite: str | Sequence[Task],
        url: str,
        network: str | None = None,
        render_mode: str | None = None,
    ) -> None:
        _find_task(task, suite)
        from tapwright.devices.web.device import WebDevice

        device = WebDevice.named(url, network=network)
        super().__init__(device, task, suite, _IN_A_BROWSER, render_mode=render_mode)


class SitesEnv(DeviceEnv):
    """A task on sites that `tapwright sites install` has installed, those that it needs."""

    def __init__(
        self,
        task: str = "trac_new_bell",
        *,
        suite: str | Sequence[Task] = "web-l3",
        device: str = "",
        render_mode: str | None = None,
    ) -> None:
        chosen = _find_task(task, suite)
        from tapwright.devices.sites.device import SitesDevice

        opened = SitesDevice.named(device or ",".join(chosen.apps))
        super().__init__(opened, task, suite, _IN_A_BROWSER, render_mode=render_mode)


class DesktopEnv(DeviceEnv):
    """A task on a Linux desktop of its own; `device` is its size, 1280x800 by default."""

    def __init__(
        self,
        task: str = "pad_new_list",
        *,
        suite: str | Sequence[Task] = "desktop-l3",
        device: str = "",
        render_mode: str | None = None,
    ) -> None:
        _find_task(task, suite)
        from tapwright.devices.desktop.device import Desktop

        super().__init__(Desktop.named(device), task, suite, render_mode=render_mode)


class MiniWobEnv(TapwrightEnv):
    """A page of MiniWoB++ by its name; a seed determines the sequence of episodes.

    The reward is the page's raw one (-1 to 1), or with `decayed` the one that decreases with time.
    `scale` enlarges the screen of 160x210.
    """

    def __init__(
        self,
        task: str = "click-test",
        *,
        scale: int = 1,
        decayed: bool = False,
        max_steps: int = 20,
        render_mode: str | None = None,
    ) -> None:
        device = MiniWob(task, scale=scale)
        miniwob_task = Task(
            id=task,
            instruction="",
            instruction_at="utterance",
            apps=(task,),
            check=PageReward(decayed=decayed),
            setup=Setup(app=task),
            max_steps=max_steps,
        )
        kinds = ("tap", "double_tap", "triple_tap", "drag", "swipe", "hover", "type_text",
                 "press_key", "wait")  # fmt: skip
        keys = [key for key in get_args(Key) if key not in _NOT_ON_A_PAGE]
        super().__init__(
            Environment(device, miniwob_task),
            device.size,
            ActionSpace(kinds, (*keys, *_HOTKEYS)),
            render_mode=render_mode,
        )

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[StrDict, StrDict]:
        """Start the next episode; with a seed, the first of its sequence."""
        super().reset(seed=seed)
        return self._start(int(self.np_random.integers(1 << 31)))


def _find_task(id_: str, suite: str | Sequence[Task]) -> Task:
    """The task of this id.

    Raises:
        UnknownNameError: the suite has none.
        TaskError: a definition is not right.
    """
    tasks = {one.id: one for one in (read_suite(suite) if isinstance(suite, str) else suite)}
    if id_ not in tasks:
        raise UnknownNameError("task", id_, tasks)
    return tasks[id_]
