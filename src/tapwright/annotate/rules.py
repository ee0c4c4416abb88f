"""The rule-based annotator: reasonings from the recording alone, without a model.

From the instruction, the action, and the view hierarchies before and after it. It claims nothing
that these do not show; so it is plain, and true. How it speaks (English or Chinese) follows the
instruction.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import assert_never
from zlib import crc32

from tapwright.annotate import screen_description as screen
from tapwright.annotate.annotator import Reasoning
from tapwright.annotate.sentences import FINGER_WAYS, SENTENCES, WAYS
from tapwright.benchmarks.system_ui import find_keyboard
from tapwright.core import actions
from tapwright.core.directions import OPPOSITE, Direction, finger_direction, scroll_direction
from tapwright.core.episode import Episode, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.language import Language, language_of
from tapwright.core.observation import Observation, UiNode

_QUOTED = re.compile('[“「『"][^”」』"]*[”」』"]')
# A quote that ends a sentence brings its own mark along.
_DOUBLE_MARK = re.compile("([?!？！…])”[.。]$")


class RuleAnnotator:
    """Annotates by rules; the same episode always gets the same sentences."""

    name = "rules"
    version = "4"

    async def annotate(self, episode: Episode) -> Sequence[Reasoning]:
        """Return a reasoning for every step; without a hierarchy it has less detail."""
        picker = _SentencePicker(
            instruction_language(episode.instruction), crc32(episode.id.encode())
        )
        return [_reason(episode, index, picker) for index in range(len(episode.steps))]


RULES = RuleAnnotator()


def instruction_language(instruction: str) -> Language:
    """Returns the language of an instruction outside of its quotes, where it has letters."""
    frame = _QUOTED.sub("", instruction)
    return language_of(frame if any(char.isalpha() for char in frame) else instruction)


@dataclass(slots=True)
class _SentencePicker:
    """Picks sentences: those of one key alternate, starting with one that the episode decides."""

    language: Language
    start: int
    used: Counter[str] = field(default_factory=Counter)

    def pick(self, key: str, /, **slots: str) -> str:
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


def _reason(episode: Episode, index: int, picker: _SentencePicker) -> Reasoning:
    parts = episode.steps[index].parts
    apart = replace(episode, steps=(*episode.steps[:index], *parts, *episode.steps[index + 1 :]))
    targets = [_target(part, picker.language) for part in parts]
    sentences = [
        picker.pick("begin", task=episode.instruction) if index == 0 else "",
        _situation(parts[0].observation, picker),
    ]
    for at, target in enumerate(targets, start=index):
        sentences += _cause(apart, at, target, picker)
    sentences.append(_effect(apart, index + len(parts) - 1, picker))
    return Reasoning(index, picker.join(sentences), targets[0])


def _situation(before: Observation, picker: _SentencePicker) -> str:
    dialog = screen.find_dialog(before.ui_tree)
    if dialog:
        return picker.pick("dialog", title=dialog)
    heading = screen.find_title(before.ui_tree)
    return picker.pick("title", title=heading) if heading else ""


def _place(step: Step) -> Point | None:
    """Returns the start of an action on an element, else None."""
    match step.decision.first:
        case actions.PointAction(at=at) | actions.Drag(start=at):
            return at
        case actions.ButtonDown(at=at) | actions.ButtonUp(at=at):
            return at
    return None


def _node(step: Step) -> UiNode | None:
    at = _place(step)
    return screen.find_touched(step.observation, at) if at is not None else None


def _target(step: Step, language: Language) -> str:
    at, tree = _place(step), step.observation.ui_tree
    if at is not None:
        return screen.describe_element(_node(step), tree, at, language)
    if isinstance(step.decision.first, actions.TypeText):
        node = screen.find_focused(tree)
        if node is not None and node.box is not None:
            return screen.describe_element(node, tree, node.box.center, language)
    return ""


def _cause(episode: Episode, index: int, target: str, picker: _SentencePicker) -> list[str]:
    action = episode.steps[index].decision.action
    held = actions.held_keys(action)
    hold = [picker.pick("hold", keys="+".join(held))] if held else []
    return hold + _own_cause(episode, index, target, picker)


def _own_cause(episode: Episode, index: int, target: str, picker: _SentencePicker) -> list[str]:
    step = episode.steps[index]
    action = step.decision.action
    pick = picker.pick
    match action:
        case actions.Tap(button="right"):
            return [pick("tap_right", target=target)]
        case actions.Tap():
            return [_tap(episode, index, target, picker)]
        case actions.DoubleTap():
            return [pick("double_tap", target=target)]
        case actions.TripleTap():
            return [pick("triple_tap", target=target)]
        case actions.LongPress():
            return [pick("long_press", target=target)]
        case actions.Hover():
            return [pick("hover", target=target)]
        case actions.Drag():
            return [pick("drag", target=target)]
        case actions.TypeText(text=text):
            named = bool(text.strip()) and text.casefold() in episode.instruction.casefold()
            typed = pick("type_named" if named else "type", text=text)
            return [typed, pick("into", target=target) if target else ""]
        case actions.PressKey(key="back"):
            return [pick(_back(episode, index))]
        case actions.PressKey(key=key):
            return [pick(key) if key in ("home", "enter") else pick("key", key=key)]
        case actions.Hotkey(keys=keys):
            return [pick("hotkey", keys="+".join(keys))]
        case actions.KeyDown(key=key):
            return [pick("hold", keys=key)]
        case actions.KeyUp(key=key):
            return [pick("let_go", what=key)]
        case actions.ButtonDown():
            return [pick("button_down", target=target) if target else pick("button_down_here")]
        case actions.ButtonUp():
            return [pick("button_up", target=target) if target else pick("button_up_here")]
        case actions.AskUser(text=text):
            return [pick("ask", text=text)]
        case actions.OpenApp(app=app):
            named = app.casefold() in episode.instruction.casefold()
            return [pick("open_app_named" if named else "open_app", app=app)]
        case actions.Goto(url=url):
            named = url.casefold() in episode.instruction.casefold()
            return [pick("goto_named" if named else "goto", url=url)]
        case actions.NewTab(url=url):
            return [pick("new_tab_at", url=url) if url else pick("new_tab")]
        case actions.CloseTab():
            return [pick("close_tab")]
        case actions.SwitchTab(tab=tab):
            return [_switch_tab(step.observation, tab, picker)]
        case actions.Swipe() | actions.Scroll():
            return [_scroll(episode, index, action, picker)]
        case actions.Wait():
            return [pick("wait")]
        case actions.Answer(text=text):
            seen = screen.shows_label(step.observation.ui_tree, screen.shorten_label(text))
            return [pick("answer_seen" if seen else "answer", text=text)]
        case actions.Finish():
            return _finish(episode, action, picker)
    assert_never(action)


def _tap(episode: Episode, index: int, target: str, picker: _SentencePicker) -> str:
    node = _node(episode.steps[index])
    if node is None:
        return picker.pick("tap", target=target)
    following = episode.steps[index + 1 : index + 2]
    typing = any(isinstance(step.decision.first, actions.TypeText) for step in following)
    if typing and screen.element_kind(node) == "text field":
        return picker.pick("tap_field", target=target)
    label = screen.shorten_label(node.text or node.description)
    if len(label) > 1 and label.casefold() in episode.instruction.casefold():
        return picker.pick("tap_named", label=label, target=target)
    return picker.pick("tap", target=target)


def _switch_tab(before: Observation, tab: int, picker: _SentencePicker) -> str:
    title = before.tabs[tab].title if tab < len(before.tabs) else ""
    if title:
        return picker.pick("switch_tab_named", title=title)
    return picker.pick("switch_tab", number=str(tab + 1))


def _back(episode: Episode, index: int) -> str:
    """Returns the sentence for the back key, by the hierarchies before and after it."""
    before, after = episode.steps[index].observation, _after(episode, index)
    if after is None or before.ui_tree is None or after.ui_tree is None:
        return "back"
    changed = screen.describe_change(before, after, None)
    if changed.dialog_closed:
        return "back_dialog"
    if find_keyboard(before.ui_tree) is not None and find_keyboard(after.ui_tree) is None:
        return "back_keyboard"
    return "back_leaves" if changed.app or changed.title else "back"


def _after(episode: Episode, index: int) -> Observation | None:
    last = index + 1 == len(episode.steps)
    return episode.final if last else episode.steps[index + 1].observation


def _scroll(
    episode: Episode, index: int, action: actions.Swipe | actions.Scroll, picker: _SentencePicker
) -> str:
    ways = WAYS[picker.language]
    if picker.language == "zh" and isinstance(action, actions.Swipe):
        ways = FINGER_WAYS
    way = ways[_way(action, episode.steps[index].observation.size)]
    sought = _sought(episode, index)
    if sought:
        return picker.pick("seek", label=sought, way=way)
    return picker.pick("go", way=way)


def _way(action: actions.Swipe | actions.Scroll, size: Size) -> Direction:
    """Returns the direction of the view: down when what is below comes into view."""
    if isinstance(action, actions.Scroll):
        return scroll_direction(action, size) or "down"
    return OPPOSITE[finger_direction(action, size) or "down"]


def _sought(episode: Episode, index: int) -> str:
    """Returns the goal of a scroll: the label touched after it, if it was not visible before."""
    for step in episode.steps[index + 1 :]:
        if isinstance(step.decision.first, actions.Swipe | actions.Scroll):
            continue
        node = _node(step)
        label = screen.shorten_label(node.text or node.description) if node is not None else ""
        hidden = not screen.shows_label(episode.steps[index].observation.ui_tree, label)
        return label if label and hidden else ""
    return ""


def _finish(episode: Episode, action: actions.Finish, picker: _SentencePicker) -> list[str]:
    key = f"finish_{action.outcome}"
    if action.outcome == "success" and episode.outcome != "success":
        key = "finish_claim"
    reason = " ".join(action.reason.split()).rstrip(".。")
    return [picker.pick(key), picker.pick("because", reason=reason) if reason else ""]


def _effect(episode: Episode, index: int, picker: _SentencePicker) -> str:
    """Returns the expected effect of an action, if the screen after it confirms it."""
    step = episode.steps[index]
    action = step.decision.action
    if isinstance(
        action,
        actions.Wait
        | actions.Answer
        | actions.AskUser
        | actions.Finish
        | actions.TypeText
        | actions.Swipe
        | actions.Scroll
        | actions.Hover,
    ):
        return ""
    changed = screen.describe_change(step.observation, _after(episode, index), _node(step))
    if changed.dialog:
        return picker.pick("gives_dialog", title=changed.dialog)
    if changed.checked is not None:
        return picker.pick("turns_on" if changed.checked else "turns_off")
    if changed.title:
        return picker.pick("gives_title", title=changed.title)
    if changed.dialog_closed:
        return picker.pick("closes_dialog")
    if changed.app and not isinstance(action, actions.OpenApp):
        return picker.pick("gives_app", app=changed.app.rpartition(".")[2])
    return ""
