"""The honest baseline: reasons made by rule from what the recorder knows, without a model.

From the instruction, the action, and the view hierarchies before and after it. It claims nothing
that these do not show; so it is plain, and true. How it speaks (English or Chinese) follows the
instruction.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import assert_never
from zlib import crc32

from tapwright.actions import (
    Answer,
    DoubleTap,
    Drag,
    Finish,
    Hotkey,
    Hover,
    LongPress,
    OpenApp,
    PointAction,
    PressKey,
    Scroll,
    Swipe,
    Tap,
    TypeText,
    Wait,
)
from tapwright.annotate import screen_description as screen
from tapwright.annotate.annotator import Reasoning
from tapwright.annotate.sentences import SENTENCES, WAYS
from tapwright.benchmarks.system_ui import find_keyboard
from tapwright.episode import Episode, Step
from tapwright.geometry import Point
from tapwright.language import Language, language_of
from tapwright.observation import Observation, UiNode

_SCROLLS_FROM = 0.02
_QUOTED = re.compile('[“「『"][^”」』"]*[”」』"]')
# A quote that ends a sentence brings its own mark along.
_DOUBLE_MARK = re.compile("([?!？！…])”[.。]$")


class Rules:
    """Annotates by rule; the same episode always gets the same words."""

    @property
    def name(self) -> str:
        """The word "rules"."""
        return "rules"

    @property
    def version(self) -> str:
        """Of the rules and their sentences."""
        return "3"

    async def annotate(self, episode: Episode) -> Sequence[Reasoning]:
        """A reasoning for every step; it never fails for want of a hierarchy, it only says less."""
        speaker = _Speaker(instruction_language(episode.instruction), crc32(episode.id.encode()))
        return [_reason(episode, index, speaker) for index in range(len(episode.steps))]


RULES = Rules()


def instruction_language(instruction: str) -> Language:
    """That of the instruction outside of its quotes, where it says anything there."""
    frame = _QUOTED.sub("", instruction)
    return language_of(frame if any(char.isalpha() for char in frame) else instruction)


@dataclass(slots=True)
class _Speaker:
    """Picks sentences: those of one key take turns, beginning with one that the episode decides."""

    language: Language
    start: int
    used: Counter[str] = field(default_factory=Counter)

    def say(self, key: str, /, **slots: str) -> str:
        sentences = SENTENCES[self.language][key]
        chosen = sentences[(self.start + self.used[key]) % len(sentences)]
        self.used[key] += 1
        if "target" in slots:
            slots["Target"] = slots["target"][:1].upper() + slots["target"][1:]
        if "task" in slots:
            slots["task"] = slots["task"].strip().rstrip(".。")
        return _DOUBLE_MARK.sub(r"\1”", chosen.format(**slots))

    def join(self, sentences: Sequence[str]) -> str:
        return ("" if self.language == "zh" else " ").join(part for part in sentences if part)


def _reason(episode: Episode, index: int, speaker: _Speaker) -> Reasoning:
    step = episode.steps[index]
    target = _target(step, speaker.language)
    sentences = [
        speaker.say("begin", task=episode.instruction) if index == 0 else "",
        _situation(step.observation, speaker),
        *_cause(episode, index, target, speaker),
        _effect(episode, index, speaker),
    ]
    return Reasoning(index, speaker.join(sentences), target)


def _situation(before: Observation, speaker: _Speaker) -> str:
    asked = screen.dialog(before.ui_tree)
    if asked:
        return speaker.say("dialog", title=asked)
    heading = screen.title(before.ui_tree)
    return speaker.say("title", title=heading) if heading else ""


def _place(step: Step) -> Point | None:
    """Where the action begins, when it has a place that is on an element."""
    match step.decision.action:
        case PointAction(at=at) | Drag(start=at):
            return at
    return None


def _node(step: Step) -> UiNode | None:
    at = _place(step)
    return screen.touched(step.observation, at) if at is not None else None


def _target(step: Step, language: Language) -> str:
    at, tree = _place(step), step.observation.ui_tree
    if at is not None:
        return screen.point_out(_node(step), tree, at, language)
    if isinstance(step.decision.action, TypeText):
        node = screen.focused(tree)
        if node is not None and node.box is not None:
            return screen.point_out(node, tree, node.box.center, language)
    return ""


def _cause(episode: Episode, index: int, target: str, speaker: _Speaker) -> list[str]:
    step = episode.steps[index]
    action = step.decision.action
    say = speaker.say
    match action:
        case Tap(button="right"):
            return [say("tap_right", target=target)]
        case Tap():
            return [_tap(episode, index, target, speaker)]
        case DoubleTap():
            return [say("double_tap", target=target)]
        case LongPress():
            return [say("long_press", target=target)]
        case Hover():
            return [say("hover", target=target)]
        case Drag():
            return [say("drag", target=target)]
        case TypeText(text=text):
            named = bool(text.strip()) and text.casefold() in episode.instruction.casefold()
            typed = say("type_named" if named else "type", text=text)
            return [typed, say("into", target=target) if target else ""]
        case PressKey(key="back"):
            return [say(_back(episode, index))]
        case PressKey(key=key):
            return [say(key) if key in ("home", "enter") else say("key", key=key)]
        case Hotkey(keys=keys):
            return [say("hotkey", keys="+".join(keys))]
        case OpenApp(app=app):
            named = app.casefold() in episode.instruction.casefold()
            return [say("open_app_named" if named else "open_app", app=app)]
        case Swipe() | Scroll():
            return [_scroll(episode, index, action, speaker)]
        case Wait():
            return [say("wait")]
        case Answer(text=text):
            seen = screen.shows(step.observation.ui_tree, screen.short(text))
            return [say("answer_seen" if seen else "answer", text=text)]
        case Finish():
            return _finish(episode, action, speaker)
    assert_never(action)


def _tap(episode: Episode, index: int, target: str, speaker: _Speaker) -> str:
    node = _node(episode.steps[index])
    if node is None:
        return speaker.say("tap", target=target)
    following = episode.steps[index + 1 : index + 2]
    typing = any(isinstance(step.decision.action, TypeText) for step in following)
    if typing and screen.kind(node) == "text field":
        return speaker.say("tap_field", target=target)
    label = screen.short(node.text or node.description)
    if len(label) > 1 and label.casefold() in episode.instruction.casefold():
        return speaker.say("tap_named", label=label, target=target)
    return speaker.say("tap", target=target)


def _back(episode: Episode, index: int) -> str:
    """What the back key does, as far as the hierarchies before and after it tell: a sentence."""
    before, after = episode.steps[index].observation, _after(episode, index)
    if after is None or before.ui_tree is None or after.ui_tree is None:
        return "back"
    changed = screen.change(before, after, None)
    if changed.dialog_closed:
        return "back_dialog"
    if find_keyboard(before.ui_tree) is not None and find_keyboard(after.ui_tree) is None:
        return "back_keyboard"
    return "back_leaves" if changed.app or changed.title else "back"


def _after(episode: Episode, index: int) -> Observation | None:
    last = index + 1 == len(episode.steps)
    return episode.final if last else episode.steps[index + 1].observation


def _scroll(episode: Episode, index: int, action: Swipe | Scroll, speaker: _Speaker) -> str:
    way = WAYS[speaker.language][_way(action)]
    sought = _sought(episode, index)
    if sought:
        return speaker.say("seek", label=sought, way=way)
    return speaker.say("go", way=way)


def _way(action: Swipe | Scroll) -> str:
    """Where the view goes: down when what is below comes into view."""
    if isinstance(action, Scroll):
        dx, dy = action.dx, action.dy
    else:
        dx, dy = action.start.x - action.end.x, action.start.y - action.end.y
    if abs(dx) > abs(dy) + _SCROLLS_FROM:
        return "right" if dx > 0 else "left"
    return "down" if dy >= 0 else "up"


def _sought(episode: Episode, index: int) -> str:
    """What the scrolling was for: the label touched after it, if it was not in view before it."""
    for step in episode.steps[index + 1 :]:
        if isinstance(step.decision.action, Swipe | Scroll):
            continue
        node = _node(step)
        label = screen.short(node.text or node.description) if node is not None else ""
        hidden = not screen.shows(episode.steps[index].observation.ui_tree, label)
        return label if label and hidden else ""
    return ""


def _finish(episode: Episode, action: Finish, speaker: _Speaker) -> list[str]:
    key = f"finish_{action.outcome}"
    if action.outcome == "success" and episode.outcome != "success":
        key = "finish_claim"
    reason = " ".join(action.reason.split()).rstrip(".。")
    return [speaker.say(key), speaker.say("because", reason=reason) if reason else ""]


def _effect(episode: Episode, index: int, speaker: _Speaker) -> str:
    """What to expect of the action, where the screen after it shows that it came about."""
    step = episode.steps[index]
    action = step.decision.action
    if isinstance(action, Wait | Answer | Finish | TypeText | Swipe | Scroll | Hover):
        return ""
    changed = screen.change(step.observation, _after(episode, index), _node(step))
    if changed.dialog:
        return speaker.say("gives_dialog", title=changed.dialog)
    if changed.checked is not None:
        return speaker.say("turns_on" if changed.checked else "turns_off")
    if changed.title:
        return speaker.say("gives_title", title=changed.title)
    if changed.dialog_closed:
        return speaker.say("closes_dialog")
    if changed.app and not isinstance(action, OpenApp):
        return speaker.say("gives_app", app=changed.app.rpartition(".")[2])
    return ""
