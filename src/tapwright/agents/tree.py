"""A baseline without a model: it matches the words of the instruction with those of the tree.

It sees what any agent sees. It opens what is named, types what is quoted, switches what is to be
switched, goes back when nothing fits, and stops when all that the task names has been touched.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from tapwright.agents.text_matching import find_quoted, match_score, read_options, tokens
from tapwright.core.actions import Action, Answer, Finish, PressKey, Swipe, Tap, TypeText
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Point
from tapwright.core.observation import Observation, UiNode, UiTree
from tapwright.errors import UsageError
from tapwright.tasks.task import Task

__all__ = ["TreeAgent"]

_ON = ("turn on", "switch on", "enable", "打开", "开启", "启用")
_OFF = ("turn off", "switch off", "disable", "关闭", "关掉", "停用")
_DONE = frozenset(
    ("save", "done", "ok", "send", "confirm", "apply", "add", "create", "post", "yes",
     "保存", "完成", "确定", "发送", "添加", "确认", "创建", "发布"),
)  # fmt: skip
_ADD = frozenset(("add", "new", "create", "compose", "write", "新建", "添加", "写"))
_QUESTION_WORDS = (
    "?", "？", "what ", "how ", "when ", "who ", "which ", "多少", "什么", "几点", "哪",
)  # fmt: skip
_SETTINGS = frozenset(("settings", "设置"))
_ENOUGH = 0.25
_MAX_BACK, _MAX_SCROLL = 2, 3


class TreeAgent:
    """Plays by rule; everything that it remembers is in `history`."""

    name = "tree"

    @classmethod
    def for_task(cls, task: Task | None, seed: int) -> Self:
        """A fresh one; neither task nor seed changes anything."""
        return cls()

    async def act(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> Decision:
        """The rule that fits first.

        Raises:
            UsageError: the observation has no view hierarchy; every other one would lack it, too.
        """
        tree = observation.ui_tree
        if tree is None:
            raise UsageError(
                "the agent 'tree' reads view hierarchies, and this screen comes without one",
                hint="keep the .xml files beside the pictures, or take a device that has trees",
            )
        options = read_options(instruction)
        if options:
            question = instruction.partition("\nOptions:\n")[0]
            return Decision(Answer(text=_choose(question, options, tree, observation.app)))
        if "(x,y)" in instruction:
            return _point_at(instruction.rpartition("matches the following task:")[2], tree)
        return _Turn(instruction, history, observation, tree).decide()


@dataclass(frozen=True)
class _Turn:
    """One decision of a game."""

    instruction: str
    history: Sequence[Step]
    observation: Observation
    tree: UiTree

    def decide(self) -> Decision:
        switching = self._switch()
        if switching is not None:
            return switching
        typing = self._type()
        if typing is not None:
            return typing
        best, score = self._best()
        if best is not None and score >= _ENOUGH:
            return _tap(best)
        if self._typed():
            done = self._fresh_named(_DONE)
            if done is not None:
                return _tap(done)
            return Decision(Finish(reason="what was to be typed has been typed"))
        if find_quoted(self.instruction) and self._touched():
            add = self._fresh_named(_ADD)
            if add is not None:
                return _tap(add)
        return self._look_around(best)

    def _switch(self) -> Decision | None:
        """Put the switch that is named into the wanted state; end when it is."""
        text, wanted = self.instruction.lower(), tokens(self.instruction)
        on, off = (any(word in text for word in words) for words in (_ON, _OFF))
        switches = [
            node
            for node in self.tree.nodes
            if node.is_("checkable")
            and node.box is not None
            and wanted & tokens(" ".join(_names(node)))
        ]
        if on == off or not switches:
            return None
        switch = max(switches, key=lambda node: match_score(wanted, _names(node)))
        if switch.is_("checked") == on:
            return Decision(Finish(reason=f"{_title(switch)!r} is as it should be"))
        tapped = [one for step in self.history for one in step.decision.actions]
        if switch.box is None or tapped.count(Tap(at=switch.box.center)) > 1:
            return None
        return _tap(switch)

    def _type(self) -> Decision | None:
        """Type the next quoted text, or touch the field that it belongs in."""
        fields = [node for node in self.tree.nodes if _is_field(node)]
        visible = {node.text for node in self.tree.nodes}
        wanted = [
            text for text in find_quoted(self.instruction) if text not in self._typed() | visible
        ]
        if not fields or not wanted:
            return None
        focused = next((field for field in fields if field.is_("focused")), None)
        last = self.history[-1].decision.actions[-1] if self.history else None
        if focused is not None and (len(fields) == 1 or isinstance(last, Tap)):
            return Decision(TypeText(text=wanted[0]), target=_title(focused))
        before = tokens(self.instruction.partition(wanted[0])[0][-40:])
        empty = [field for field in fields if not self._visited(field)] or fields
        return _tap(max(empty, key=lambda field: match_score(before, _names(field))))

    def _best(self) -> tuple[UiNode | None, float]:
        left = self._left()
        best, top = None, 0.0
        for node in self.tree.nodes:
            if node.box is None or _is_field(node) or self._visited(node):
                continue
            if not (node.is_("clickable") or node.is_("checkable")):
                continue
            score = match_score(left, _names(node)) + 0.05 * node.is_("checkable")
            if node.label in find_quoted(self.instruction):
                score += 1
            if score > top:
                best, top = node, score
        return best, top

    def _look_around(self, best: UiNode | None) -> Decision:
        text = self.instruction.lower()
        if any(word in text for word in (*_ON, *_OFF)):
            # What has to be switched and is nowhere to be seen is usually among the settings.
            settings = self._fresh_named(_SETTINGS)
            if settings is not None:
                return _tap(settings)
        is_question = any(word in text for word in _QUESTION_WORDS)
        left = self._left()
        seen = [one for step in self.history for one in step.decision.actions]
        if is_question and self._touched():
            if seen and isinstance(seen[-1], Answer):
                return Decision(Finish())
            return Decision(Answer(text=_read(tokens(self.instruction), self.tree)))
        if self._touched() and not left:
            return Decision(Finish(reason="everything that was named has been touched"))
        scrolled = 0
        for action in reversed(seen):
            if not isinstance(action, Swipe):
                break
            scrolled += 1
        area = max(
            (node.box for node in self.tree.nodes if node.is_("scrollable") and node.box),
            key=lambda box: box.area,
            default=None,
        )
        moved = not scrolled or self.history[-1].observation.ui_tree != self.tree
        if area is not None and scrolled < _MAX_SCROLL and moved:
            x, height = area.center.x, area.bottom - area.top
            start, end = area.bottom - 0.2 * height, area.top + 0.2 * height
            return Decision(Swipe(start=Point(x, start), end=Point(x, end), duration_s=0.3))
        if best is not None:
            return _tap(best)
        if sum(action == PressKey(key="back") for action in seen) < _MAX_BACK and self._touched():
            return Decision(PressKey(key="back"))
        outcome: Action = Finish() if self._touched() else Finish(outcome="infeasible")
        return Decision(outcome, reasoning="nothing more to try")

    def _left(self) -> frozenset[str]:
        """The words of the instruction that nothing touched or typed has answered yet."""
        answered: set[str] = set()
        for step in self.history:
            answered |= tokens(step.decision.target)
        for text in self._typed():
            answered |= tokens(text)
        answered |= tokens(self.observation.app.rpartition(".")[2])
        return tokens(self.instruction) - answered

    def _typed(self) -> set[str]:
        actions = (one for step in self.history for one in step.decision.actions)
        return {action.text for action in actions if isinstance(action, TypeText)}

    def _touched(self) -> bool:
        return any(isinstance(one, Tap) for step in self.history for one in step.decision.actions)

    def _visited(self, node: UiNode) -> bool:
        """Whether the element was touched before, on this very screen or in this app by name."""
        if node.box is None:
            return True
        return any(
            isinstance(one, Tap)
            and step.observation.app == self.observation.app
            and (
                step.decision.target == _title(node)
                or (step.observation.ui_tree == self.tree and one.at == node.box.center)
            )
            for step in self.history
            for one in step.decision.actions
        )

    def _fresh_named(self, names: frozenset[str]) -> UiNode | None:
        for node in self.tree.nodes:
            if node.is_("clickable") and node.box is not None and not self._visited(node):
                words = node.label.lower()
                if words in names or set(words.split()) & names:
                    return node
        return None


def _choose(question: str, options: dict[str, str], tree: UiTree, app: str) -> str:
    """The letter of the option that the tree supports best; the first of equals."""
    named = [node for text in find_quoted(question) if (node := tree.find(label=text)) is not None]
    switches = [part for node in named for part in _near(node) if part.is_("checkable")]
    labels = {node.label.casefold() for node in tree.nodes if node.box is not None}
    screen = frozenset().union(*(tokens(label) for label in labels))
    name = app.rpartition(".")[2].casefold()
    wanted = tokens(question)

    def support(text: str) -> float:
        folded = text.casefold()
        score = 2.0 * (folded in labels) + 3.0 * (folded == name)
        score += sum(word.casefold() in labels for word in find_quoted(text))
        words = tokens(text)
        score += len(words & screen) / len(words) if words else 0.0
        score += 0.5 * match_score(wanted, [text])
        if switches:
            says_on = folded.endswith(" on") or folded.startswith("已打开")
            says_off = folded.endswith(" off") or folded.startswith("已关闭")
            score += 4.0 * (says_on if switches[0].is_("checked") else says_off)
        for node in named:
            score += 1.5 * _just_below(node, folded, tree)
        return score

    return max(sorted(options), key=lambda letter: support(options[letter]))


def _point_at(instruction: str, tree: UiTree) -> Decision:
    """Tap the element that the instruction fits best; the quoted name counts most."""
    names, wanted = find_quoted(instruction), tokens(instruction)

    def fit(node: UiNode) -> float:
        score = match_score(wanted, _names(node))
        if node.label in names:
            score += 1.0
        elif any(part.text in names for part in node.walk()):
            score += 0.6
        says_switch = "switch" in instruction or "turn " in instruction or "开关" in instruction
        score += 0.3 * (says_switch and node.role == "switch")
        score += 0.3 * ("field" in instruction and node.role == "text field")
        return score + 0.2 * node.is_("clickable")

    visible = [node for node in tree.nodes if node.box is not None and node.parent is not None]
    if not visible:
        return Decision(Finish(outcome="infeasible", reason="the view hierarchy is empty"))
    return _tap(max(visible, key=fit))


def _read(wanted: frozenset[str], tree: UiTree) -> str:
    """The text beside or below the one that the question names, else that one itself."""
    visible = [node for node in tree.nodes if node.text and node.box is not None]
    if not visible:
        return ""
    named = max(visible, key=lambda node: match_score(wanted, [node.text]))
    rest = [node for node in visible if node.order > named.order]
    return rest[0].text if rest else named.text


def _near(node: UiNode) -> Sequence[UiNode]:
    """The node's own part of the tree and its row's."""
    row = node.parent if node.parent is not None else node
    row = row.parent if row.parent is not None and len(list(row.walk())) < 4 else row
    parts = list(row.walk())
    return parts if len(parts) < 20 else list(node.walk())


def _just_below(node: UiNode, text: str, tree: UiTree) -> bool:
    if node.box is None:
        return False
    below = [
        (other.box.top, other.text.casefold())
        for other in tree.nodes
        if other.text
        and other.box is not None
        and other.box.top >= node.box.bottom - 0.002
        and min(other.box.right, node.box.right) > max(other.box.left, node.box.left)
    ]
    return bool(below) and min(below)[1] == text


def _names(node: UiNode) -> tuple[str, ...]:
    row = node.parent.label if node.parent is not None and not node.label else ""
    return tuple(name for name in (node.label, row, node.short_id) if name)


def _title(node: UiNode) -> str:
    """Its own name, without the texts inside it."""
    own = node.text or node.description or node.hint
    words = (part.text or part.description for part in node.walk())
    return own or next((word for word in words if word), "")


def _is_field(node: UiNode) -> bool:
    return node.role == "text field" and node.box is not None


def _tap(node: UiNode) -> Decision:
    assert node.box is not None  # callers choose among the elements that are to be seen
    return Decision(Tap(at=node.box.center), target=_title(node))
