"""A checker for each family of members, which raises an error that names the law that was broken.

tapwright puts every member that it registers through them.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import get_args

from tapwright.actions import (
    Action,
    Answer,
    CloseTab,
    DoubleTap,
    Drag,
    Finish,
    Goto,
    Hotkey,
    Hover,
    Key,
    LongPress,
    NewTab,
    OpenApp,
    PressKey,
    Scroll,
    Swipe,
    SwitchTab,
    Tap,
    TripleTap,
    TypeText,
    Wait,
)
from tapwright.agents.agent import Agent, AgentFactory
from tapwright.conventions.convention import Convention, Space
from tapwright.devices.device import Device, KeyedDevice, PreparedDevice
from tapwright.devices.fake import FakeDevice
from tapwright.directions import finger_direction
from tapwright.environment.environment import Environment
from tapwright.environment.errors import EnvironmentOrderError
from tapwright.episode import Decision, Step
from tapwright.errors import (
    BadAnswerError,
    UngroundedAnswerError,
    UnknownAppError,
    UnsupportedActionError,
    UnsupportedByConventionError,
)
from tapwright.geometry import Point, Size
from tapwright.messages import Message, Text
from tapwright.models.model import Completion, Model
from tapwright.observation import Observation
from tapwright.task_setup import SetupCall
from tapwright.testing.errors import ConformanceError

_CHECKED_STEPS = 20
_SAMPLES: tuple[Action, ...] = (
    Tap(at=Point(0.25, 0.75)),
    Tap(at=Point(0.0, 1.0), button="right"),
    DoubleTap(at=Point(0.5, 0.5)),
    TripleTap(at=Point(0.4, 0.6)),
    LongPress(at=Point(0.9, 0.1), duration_s=1.5),
    Swipe(start=Point(0.5, 0.8), end=Point(0.5, 0.2)),
    # Down in the pixels of a phone, to the right in those of a desktop.
    Swipe(start=Point(0.2, 0.3), end=Point(0.5, 0.5)),
    TypeText(text='two "words"\nand 中文 {"a": 1}'),
    TypeText(text="kettle", at=Point(0.3, 0.6), clear=True),
    PressKey(key="back"),
    OpenApp(app="Settings"),
    Wait(duration_s=2.0),
    Answer(text="it is 12 °C"),
    Finish(),
    Finish(outcome="failure"),
    Finish(outcome="infeasible"),
    Hover(at=Point(0.1, 0.2)),
    Drag(start=Point(0.1, 0.2), end=Point(0.3, 0.4)),
    Scroll(at=Point(0.5, 0.5), dy=1.0),
    Hotkey(keys=("control", "c")),
    PressKey(key="forward"),
    Goto(url="https://example.org/a page?q='1'"),
    NewTab(),
    NewTab(url="https://example.org/"),
    CloseTab(),
    SwitchTab(tab=2),
)


def _must(kept: bool, who: str, law: str, found: object = None) -> None:
    if not kept:
        tail = "" if found is None else f"; found {found!r}"
        raise ConformanceError(f"{who}: {law}{tail}")


def check_device(device: Device, *, exact: bool = True) -> None:
    """Put a device through the laws of its family; it is reset, acted on, and closed.

    A real phone's clock goes on whatever is done: unless `exact`, two looks are the same when they
    show the same app.

    Raises:
        ConformanceError: it breaks one of them.
    """
    _must(isinstance(device, Device), repr(device), "a device has every method of `Device`")
    who = device.name
    _must(bool(who) and isinstance(who, str), repr(device), "its name is a word or more", who)
    device.reset(seed=0)
    same = _same if exact else _same_app
    first = device.observe()
    _check_observation(first, who)
    for action in (Answer(text="hello"), Finish(outcome="failure")):
        device.perform(action)
        _must(
            same(device.observe(), first),
            who,
            f"`{action.type}` is for the user and leaves the screen as it was",
        )
    with suppress(UnknownAppError, UnsupportedActionError):
        device.perform(OpenApp(app="no app is called this"))
    device.perform(Wait(duration_s=0.0))
    device.perform(Tap(at=Point(0.5, 0.5)))
    later = device.observe()
    _check_observation(later, who)
    _must(
        later.time_s >= first.time_s,
        who,
        "time does not run backwards between two looks",
        (first.time_s, later.time_s),
    )
    lines = [*device.log(), *device.apps()]
    _must(all(isinstance(line, str) for line in lines), who, "log and apps are strings", lines[:3])
    _must(
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
    _must(
        same(device.observe(), first),
        who,
        "the same reset gives the same picture and the same view hierarchy",
    )
    device.close()
    device.close()


def _check_keys(device: Device, keyed: KeyedDevice, who: str) -> None:
    keys = keyed.keys()
    _must(set(keys) <= set(get_args(Key)), who, "its keys are keys of `PressKey`", keys)
    for key in set(get_args(Key)) - set(keys):
        try:
            device.perform(PressKey(key=key))
        except UnsupportedActionError:
            continue
        _must(False, who, "a key that it does not name is refused", key)


def _check_set_up(device: PreparedDevice, who: str) -> None:
    try:
        device.set_up(SetupCall("no_call_is_called_this"))
    except UnsupportedActionError:
        return
    _must(False, who, "a set-up call that it does not know is an `UnsupportedActionError`")


def _same(one: Observation, other: Observation) -> bool:
    return one.screenshot == other.screenshot and one.ui_tree == other.ui_tree


def _same_app(one: Observation, other: Observation) -> bool:
    return (one.app, one.size, one.orientation) == (other.app, other.size, other.orientation)


def _check_observation(observation: Observation, who: str) -> None:
    _must(isinstance(observation, Observation), who, "it observes an `Observation`", observation)
    size = observation.screenshot.image().size
    _must(
        size == (observation.size.width, observation.size.height),
        who,
        f"the picture has the {observation.size} pixels of the screen",
        size,
    )
    _must(observation.time_s >= 0, who, "time counts up from the reset", observation.time_s)
    tree = observation.ui_tree
    if tree is not None:
        _must(len(tree.nodes) > 0, who, "a view hierarchy has a node")
        _must(
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
    ended = _play(environment, Wait(duration_s=0.0), who)
    _must(ended, who, f"an episode ends after max_steps ({environment.task.max_steps}) steps")
    _check_order(environment, who, "`step` after the end is refused")
    again, _ = environment.reset(seed=0)
    _must(_same(again, observation), who, "a reset with the same seed shows the same screen")
    _, _, terminated, truncated, info = environment.step(Finish(outcome="failure"))
    _must(terminated, who, "`Finish` terminates the episode")
    _must(not truncated, who, "an episode that was finished is not truncated")
    _check_order(environment, who, "`step` after `Finish` is refused")
    environment.close()
    environment.close()


def _play(environment: Environment, action: Action, who: str) -> bool:
    for number in range(1, environment.task.max_steps + 1):
        result = environment.step(action)
        _must(len(result) == 5, who, "`step` returns five things", len(result))
        observation, reward, terminated, truncated, info = result
        _check_observation(observation, who)
        _must(isinstance(reward, float | int), who, "the reward is a number", reward)
        for name, flag in (("terminated", terminated), ("truncated", truncated)):
            _must(isinstance(flag, bool), who, f"`{name}` is a bool", flag)
        _must(not (terminated and truncated), who, "an episode ends in one way, never in both")
        _must(
            not truncated or number == environment.task.max_steps,
            who,
            "only the task's step limit truncates",
            f"truncated at step {number}",
        )
        _check_info(info, who)
        ended = terminated or truncated
        _must(
            ("outcome" in info) == ended,
            who,
            "`outcome` comes at the end and only then",
            info,
        )
        if ended:
            return True
    return False


def _check_info(info: object, who: str) -> None:
    score = info.get("score") if isinstance(info, Mapping) else None
    _must(
        isinstance(score, float | int) and 0 <= score <= 1,
        who,
        "`info` is a dict whose score is from 0 to 1",
        info,
    )


def _check_order(environment: Environment, who: str, law: str) -> None:
    try:
        environment.step(Wait(duration_s=0.0))
    except EnvironmentOrderError:
        return
    raise ConformanceError(f"{who}: {law}; the step was performed")


def check_convention(convention: Convention) -> None:
    """Check a convention: it parses what it renders, rejects noise, and prompts with everything.

    Places may move by its own rounding; durations, amounts of scrolling, the path of a swipe of the
    same direction, and whether typing empties the field and presses Enter, may be lost in the
    grammar: then it renders both in the same words. The direction of a swipe is that of
    `directions`, in pixels of the screen. Every other field is parsed unchanged, or the action is
    refused as unsupported. A tap that is rendered by its target alone is parsed as
    `UngroundedAnswerError` with that target.

    Raises:
        ConformanceError: it breaks one of them.
    """
    _must(isinstance(convention, Convention), repr(convention), "it has what `Convention` has")
    who = f"convention {convention.name}"
    _must(convention.space in get_args(Space), who, "its unit is a known one", convention.space)
    rendered = 0
    for size in (Size(1080, 2400), Size(1280, 720)):
        for action in _SAMPLES:
            decision = Decision(action, reasoning="It is the next thing.", target="the button")
            try:
                text = convention.render(decision, size)
            except UnsupportedByConventionError:
                continue
            rendered += 1
            try:
                read = convention.parse(text, size)
            except UngroundedAnswerError as error:
                _must(error.target == decision.target, who, "it keeps the target", error.target)
                continue
            except BadAnswerError as error:
                raise ConformanceError(
                    f"{who}: it reads what it renders; {text!r} raises: {error}"
                ) from error
            same = convention.render(replace(decision, action=read.action), size) == text
            _must(
                _alike(
                    action, read.action, _tolerance(convention.space, size), size, same_words=same
                ),
                who,
                f"it reads {action!r} out of its own {text!r}",
                read.action,
            )
            _check_half_characters(convention, text, size, who)
    _must(rendered > 0, who, "it renders some action")
    for noise in ("", "I am sorry, but I cannot help with that.", "{", "[[[", "\x00", "<tap>"):
        try:
            found = convention.parse(noise, Size(1080, 2400))
        except BadAnswerError:
            continue
        raise ConformanceError(f"{who}: {noise!r} is not an answer; found {found!r}")
    _check_prompt(convention, who)


def _check_half_characters(convention: Convention, text: str, size: Size, who: str) -> None:
    try:
        read = convention.parse(text.replace("the next", "cut \ud83d"), size)
    except BadAnswerError as error:
        parsed = str(error)
    else:
        parsed = "".join(
            (read.reasoning, read.target, *map(str, read.action.model_dump().values()))
        )
    try:
        parsed.encode()
    except UnicodeEncodeError as error:
        raise ConformanceError(
            f"{who}: half a character is not handed on; found {parsed!r}"
        ) from error


def _check_prompt(convention: Convention, who: str) -> None:
    device = FakeDevice()
    before = device.observe()
    device.perform(Wait())
    history = [Step(before, Decision(Tap(at=Point(0.5, 0.5)), "Because.", "the button"))]
    now = device.observe()
    messages = convention.prompt("Do this one thing", history, now)
    _must(bool(messages), who, "a prompt has a message")
    words = "".join(message.text for message in messages)
    _must("Do this one thing" in words, who, "the prompt has the instruction", words[:200])
    pictures = [
        part.screenshot
        for message in messages
        for part in message.parts
        if hasattr(part, "screenshot")
    ]
    _must(now.screenshot in pictures, who, "the prompt has the screen as it is now")
    _must(
        messages[-1].role != "assistant",
        who,
        "the last turn is not the assistant's",
    )


def _tolerance(space: Space, size: Size) -> float:
    match space:
        case "permille" | "0-999":
            return 1 / 1000 + 1e-9  # three digits end at 999
        case "percent":
            return 0.5 / 100 + 1e-9
        case "pixel":
            return 1 / min(size.width, size.height)
        case "fraction":
            return 0.5 / 100 + 1e-9


def _alike(one: Action, other: Action, tolerance: float, size: Size, *, same_words: bool) -> bool:
    if one.type != other.type:
        return False
    if same_words and isinstance(one, Swipe) and isinstance(other, Swipe):
        return finger_direction(one, size) == finger_direction(other, size)
    for name, field in type(one).model_fields.items():
        ours, theirs = getattr(one, name), getattr(other, name)
        if isinstance(ours, Point):
            if max(abs(ours.x - theirs.x), abs(ours.y - theirs.y)) > tolerance:
                return False
        elif name == "duration_s":
            if ours != theirs and theirs != field.default and not same_words:
                return False
        elif name == "clear" or (name == "text" and isinstance(one, TypeText)):
            if ours != theirs and not (same_words and _unended(ours) == _unended(theirs)):
                return False
        elif name in ("dx", "dy"):
            if ours != theirs and not (same_words and ours * theirs > 0):
                return False
        elif ours != theirs:
            return False
    return True


def _unended(value: str | bool) -> str:
    """A text without the line break that presses Enter."""
    return value.removesuffix("\n") if isinstance(value, str) else ""


async def check_model(model: Model) -> None:
    """Request a word from a model client, and close it.

    Raises:
        ConformanceError: what came back is not a completion, or it cannot be closed twice.
        ModelError: the request failed.
    """
    _must(isinstance(model, Model), repr(model), "it has what `Model` has")
    who = f"model {model.name}"
    try:
        completion = await model.complete([Message("user", (Text("Say one word."),))])
        _must(isinstance(completion, Completion), who, "it gives a `Completion`", completion)
        _must(isinstance(completion.text, str), who, "the text is a string", completion.text)
        usage = completion.usage
        _must(min(usage.input_tokens, usage.output_tokens) >= 0, who, "tokens are counted", usage)
        _must(completion.latency_s >= 0, who, "the latency is a time", completion.latency_s)
        _must(completion.attempts >= 1, who, "attempts count the one that succeeded", completion)
    finally:
        await model.close()
    await model.close()


async def check_agent(make: AgentFactory, environment: Environment) -> None:
    """Let an agent play twice with the same seed, until the end or for some steps.

    Raises:
        ConformanceError: it decides on no action, changes the history, or differs between plays.
    """
    task = environment.task
    plays = []
    for _ in range(2):
        agent = make(task, 0)
        _must(isinstance(agent, Agent), repr(agent), "it has what `Agent` has")
        who = f"agent {agent.name}"
        plays.append(await _decisions(agent, environment, who))
    for number, (one, other) in enumerate(zip(*plays, strict=False), start=1):
        _must(
            one == other,
            who,
            f"the same seed gives the same decisions; step {number} was {one!r}",
            other,
        )
    _must(len(plays[0]) == len(plays[1]), who, "the same seed gives as many decisions")


async def _decisions(agent: Agent, environment: Environment, who: str) -> list[Decision]:
    observation, info = environment.reset(seed=0)
    instruction = info["instruction"]
    steps: list[Step] = []
    for _ in range(_CHECKED_STEPS):
        history = list(steps)
        decision = await agent.act(instruction, history, observation)
        _must(isinstance(decision, Decision), who, "it decides on a `Decision`", decision)
        _must(isinstance(decision.action, get_args(get_args(Action)[0])), who,
              "its action is one of tapwright's", decision.action)  # fmt: skip
        _must(history == steps, who, "it leaves the history as it was")
        after, reward, terminated, truncated, info = environment.step(decision.action)
        steps.append(Step(observation, decision, reward, info["instructions"]))
        if terminated or truncated:
            break
        observation = after
    return [step.decision for step in steps]
