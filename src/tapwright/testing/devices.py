"""Checkers for devices, and for environments, which are a device with a task."""

from collections.abc import Mapping
from contextlib import suppress
from typing import get_args

from tapwright.core import actions
from tapwright.core.actions import Action, Key
from tapwright.core.geometry import Point
from tapwright.core.observation import Observation
from tapwright.core.screenshot import Screenshot
from tapwright.core.task_setup import SetupCall
from tapwright.devices.device import Device, HoldingDevice, KeyedDevice, PreparedDevice
from tapwright.environment.environment import Environment
from tapwright.environment.errors import EnvironmentOrderError
from tapwright.errors import UnknownAppError, UnsupportedActionError
from tapwright.testing.conformance import must
from tapwright.testing.errors import ConformanceError


def check_device(device: Device, *, exact: bool = True) -> None:
    """Put a device through the laws of its family; it is reset, acted on, and closed.

    A real phone's clock goes on whatever is done: unless `exact`, two looks are the same when they
    show the same app.

    Raises:
        ConformanceError: it breaks one of them.
    """
    must(isinstance(device, Device), repr(device), "a device has every method of `Device`")
    who = device.name
    must(bool(who) and isinstance(who, str), repr(device), "its name is a word or more", who)
    device.reset(seed=0)
    same = _same if exact else _same_app
    first = device.observe()
    _check_observation(first, who)
    for action in (actions.Answer(text="hello"), actions.Finish(outcome="failure")):
        device.perform(action)
        must(
            same(device.observe(), first),
            who,
            f"`{action.type}` is for the user and leaves the screen as it was",
        )
    with suppress(UnknownAppError, UnsupportedActionError):
        device.perform(actions.OpenApp(app="no app is called this"))
    device.perform(actions.Wait(duration_s=0.0))
    device.perform(actions.Tap(at=Point(0.5, 0.5)))
    later = device.observe()
    _check_observation(later, who)
    must(
        later.time_s >= first.time_s,
        who,
        "time does not run backwards between two looks",
        (first.time_s, later.time_s),
    )
    lines = [*device.log(), *device.apps()]
    must(all(isinstance(line, str) for line in lines), who, "log and apps are strings", lines[:3])
    must(
        device.state("no.such.path") is None,
        who,
        "a path that holds nothing reads as None",
        device.state("no.such.path"),
    )
    if isinstance(device, PreparedDevice):
        _check_set_up(device, who)
    if isinstance(device, KeyedDevice):
        _check_keys(device, device, who)
    device.reset(seed=0)
    must(
        same(device.observe(), first),
        who,
        "the same reset gives the same picture and the same view hierarchy",
    )
    if isinstance(device, HoldingDevice):
        _check_hand(device, device, who)
    device.close()
    device.close()


def _check_keys(device: Device, keyed: KeyedDevice, who: str) -> None:
    keys = keyed.keys()
    must(set(keys) <= set(get_args(Key)), who, "its keys are keys of `PressKey`", keys)
    for key in set(get_args(Key)) - set(keys):
        try:
            device.perform(actions.PressKey(key=key))
        except UnsupportedActionError:
            continue
        must(False, who, "a key that it does not name is refused", key)


def _check_hand(device: Device, holding: HoldingDevice, who: str) -> None:
    """Keys and buttons stay down until they are let go, and nothing goes up that is not down."""
    for up in (actions.KeyUp(key="shift"), actions.ButtonUp()):
        try:
            device.perform(up)
        except UnsupportedActionError:
            continue
        must(False, who, f"a {up.type} of what is not down is refused")
    pressed = _press(device, actions.KeyDown(key="shift")) + _press(
        device, actions.ButtonDown(at=Point(0.5, 0.5))
    )
    down = list(holding.let_go())
    must(len(down) == pressed, who, "`let_go` tells each key and button that was down", down)
    must(not holding.let_go(), who, "what was let go is not down")
    if pressed:
        _press(device, actions.KeyDown(key="shift"))
        device.reset(seed=0)
        must(not holding.let_go(), who, "`reset` lets go what is down")
    with suppress(UnsupportedActionError):
        device.perform(actions.Tap(at=Point(0.5, 0.5), held=("shift",)))
    must(not holding.let_go(), who, "keys that a click holds go up with it")


def _press(device: Device, action: Action) -> int:
    """1 if the device did it, 0 if it refused it by name, as it may have no such thing."""
    try:
        device.perform(action)
    except UnsupportedActionError:
        return 0
    return 1


def _check_set_up(device: PreparedDevice, who: str) -> None:
    try:
        device.set_up(SetupCall("no_call_is_called_this"))
    except UnsupportedActionError:
        return
    must(False, who, "a set-up call that it does not know is an `UnsupportedActionError`")


def _same(one: Observation, other: Observation) -> bool:
    return one.screenshot == other.screenshot and one.ui_tree == other.ui_tree


def _same_app(one: Observation, other: Observation) -> bool:
    return (one.app, one.size, one.orientation) == (other.app, other.size, other.orientation)


def _check_observation(observation: Observation, who: str) -> None:
    must(isinstance(observation, Observation), who, "it observes an `Observation`", observation)
    shot: object = observation.screenshot
    must(isinstance(shot, Screenshot), who, "its picture is a `Screenshot`", type(shot))
    size = observation.screenshot.image().size
    must(
        size == (observation.size.width, observation.size.height),
        who,
        f"the picture has the {observation.size} pixels of the screen",
        size,
    )
    must(observation.time_s >= 0, who, "time counts up from the reset", observation.time_s)
    tree = observation.ui_tree
    if tree is not None:
        must(len(tree.nodes) > 0, who, "a view hierarchy has a node")
        must(
            tree.size == observation.size,
            who,
            f"the hierarchy counts the pixels of the {observation.size} screen",
            str(tree.size),
        )


def check_environment(environment: Environment) -> None:
    """Put an environment through Gymnasium's rules; some episodes are played, and it is closed.

    Raises:
        ConformanceError: it breaks one of them.
    """
    who = f"environment of {environment.task.id}"
    _check_order(environment, who, "`step` before the first `reset` is refused")
    observation, info = environment.reset(seed=0)
    _check_observation(observation, who)
    _check_info(info, who)
    ended = _play(environment, actions.Wait(duration_s=0.0), who)
    must(ended, who, f"an episode ends after max_steps ({environment.task.max_steps}) steps")
    _check_order(environment, who, "`step` after the end is refused")
    again, _ = environment.reset(seed=0)
    must(_same(again, observation), who, "a reset with the same seed shows the same screen")
    _, _, terminated, truncated, info = environment.step(actions.Finish(outcome="failure"))
    must(terminated, who, "`Finish` terminates the episode")
    must(not truncated, who, "an episode that was finished is not truncated")
    _check_order(environment, who, "`step` after `Finish` is refused")
    environment.close()
    environment.close()


def _play(environment: Environment, action: Action, who: str) -> bool:
    for number in range(1, environment.task.max_steps + 1):
        result = environment.step(action)
        must(len(result) == 5, who, "`step` returns five things", len(result))
        observation, reward, terminated, truncated, info = result
        _check_observation(observation, who)
        must(isinstance(reward, float | int), who, "the reward is a number", reward)
        for name, flag in (("terminated", terminated), ("truncated", truncated)):
            must(isinstance(flag, bool), who, f"`{name}` is a bool", flag)
        must(not (terminated and truncated), who, "an episode ends in one way, never in both")
        must(
            not truncated or number == environment.task.max_steps,
            who,
            "only the task's step limit truncates",
            f"truncated at step {number}",
        )
        _check_info(info, who)
        ended = terminated or truncated
        must(("outcome" in info) == ended, who, "`outcome` comes at the end and only then", info)
        if ended:
            return True
    return False


def _check_info(info: object, who: str) -> None:
    score = info.get("score") if isinstance(info, Mapping) else None
    must(
        isinstance(score, float | int) and 0 <= score <= 1,
        who,
        "`info` is a dict whose score is from 0 to 1",
        info,
    )


def _check_order(environment: Environment, who: str, law: str) -> None:
    try:
        environment.step(actions.Wait(duration_s=0.0))
    except EnvironmentOrderError:
        return
    raise ConformanceError(f"{who}: {law}; the step was performed")
