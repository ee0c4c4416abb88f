"""Questions about a recorded screen, each with one option that the tree or the recording proves.

easy: which text is to be read; medium: what state the screen is in; hard: what was done on it
next, or what it allows.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from tapwright.benchmarks.elements import CHECKABLE, Element, app_name, same_column
from tapwright.benchmarks.layout import letters
from tapwright.benchmarks.own_screens import Screen
from tapwright.benchmarks.wording import ROLE_NAMES, purpose, say


@dataclass(frozen=True, slots=True)
class Draft:
    """A question before its options are shuffled; `proof` says why `right` is."""

    question: str
    right: str
    wrong: tuple[str, ...]
    proof: str


class Questioner:
    """Makes the questions; the other screens lend it what is not on this one."""

    def __init__(self, screens: Sequence[Screen]) -> None:
        self._texts = {
            language: sorted({t for s in screens if s.language == language for t in s.texts})
            for language in ("en", "zh")
        }
        # A dialog dims what lies under it: the tree leaves that out, the eye may still read it. So
        # what another screen of the same app says is no safe wrong answer.
        self._said_in: dict[tuple[str, str], set[str]] = {}
        for screen in screens:
            self._said_in.setdefault((screen.language, screen.app), set()).update(screen.texts)
        self._abilities = {
            language: sorted({a for s in screens if s.language == language for a in _abilities(s)})
            for language in ("en", "zh")
        }
        self._typed = sorted({screen.typed for screen in screens if screen.typed})
        self._apps = sorted({s.app for s in screens if s.observation.app})

    def groups(self, screen: Screen, chance: random.Random) -> list[JsonValue] | None:
        """The three groups of a row; None when this screen does not carry all three."""
        made: list[JsonValue] = []
        for difficulty, makers in (
            ("easy", (self._seen,)),
            ("medium", (self._state, self._below, self._count, self._app)),
            ("hard", (self._next, self._types, self._allows)),
        ):
            order = list(makers)
            if difficulty == "medium":
                chance.shuffle(order)
            draft = next((d for make in order if (d := make(screen, chance)) is not None), None)
            if draft is None:
                return None
            made.append(_group(difficulty, draft, chance))
        return made

    def _seen(self, screen: Screen, chance: random.Random) -> Draft | None:
        here = sorted(screen.texts)
        near = self._said_in[screen.language, screen.app]
        elsewhere = [
            text
            for text in self._texts[screen.language]
            if not _on(text, screen) and not any(text in said for said in near)
        ]
        if not here or len(elsewhere) < 3:
            return None
        right = chance.choice(here)
        return Draft(
            say(
                screen.language,
                "Which of these texts can be read on this screen?",
                "这个屏幕上能看到下面哪段文字？",
            ),
            right,
            _some(elsewhere, chance),
            f"node {screen.texts[right].order} shows it; no node says any of the others",
        )

    def _state(self, screen: Screen, chance: random.Random) -> Draft | None:
        boxes = [e for e in screen.elements if e.role in ("switch", "checkbox") and e.alone]
        if not boxes:
            return None
        box = chance.choice(boxes)
        language = screen.language
        role = ROLE_NAMES[language][box.role]
        states = [
            say(language, "It is on", "已打开"),
            say(language, "It is off", "已关闭"),
            say(language, "It is greyed out", "呈灰色，不可用"),
            say(language, "There is no such control here", "这里没有这个控件"),
        ]
        right = states.pop(0 if box.on else 1)
        return Draft(
            say(
                language,
                f'What is the state of the "{box.label}" {role}?',
                f"“{box.label}”{role}处于什么状态？",
            ),
            right,
            tuple(states),
            f'node {box.node.order}: enabled, checked="{str(box.on).lower()}"',
        )

    def _below(self, screen: Screen, chance: random.Random) -> Draft | None:
        pairs = _stacked(screen)
        if len(screen.texts) < 5 or not pairs:
            return None
        upper, lower = chance.choice(pairs)
        others = [text for text in sorted(screen.texts) if text not in (upper, lower)]
        return Draft(
            say(
                screen.language,
                f'Which text stands directly below "{upper}"?',
                f"“{upper}”正下方的文字是什么？",
            ),
            lower,
            _some(others, chance),
            f"node {screen.texts[lower].order} is the next text below "
            f"node {screen.texts[upper].order}",
        )

    def _count(self, screen: Screen, chance: random.Random) -> Draft | None:
        switches = [e for e in screen.elements if e.role == "switch"]
        if len(switches) < 2 or not all(switch.alone for switch in switches):
            return None
        number = sum(switch.on for switch in switches)
        wrong = [str(n) for n in range(len(switches) + 3) if n != number]
        return Draft(
            say(
                screen.language,
                "How many switches on this screen are on?",
                "这个屏幕上有几个开关是打开的？",
            ),
            str(number),
            _some(wrong, chance),
            f'{number} of {len(switches)} switches have checked="true"',
        )

    def _app(self, screen: Screen, chance: random.Random) -> Draft | None:
        others = [name for name in self._apps if name != screen.app]
        if not screen.observation.app or len(others) < 3:
            return None
        return Draft(
            say(screen.language, "Which app is open?", "现在打开的是哪个应用？"),
            app_name(screen.observation.app),
            _some(others, chance),
            f"the package in front is {screen.observation.app}",
        )

    def _next(self, screen: Screen, chance: random.Random) -> Draft | None:
        touched = screen.touched
        if touched is None or not touched.alone:
            return None
        others = sorted(
            {_called(e, screen) for e in screen.elements if e.alone and e is not touched}
        )
        right = _called(touched, screen)
        others = [other for other in others if other != right]
        if len(others) < 3:
            return None
        task = screen.episode.instruction.rstrip(".。 ")
        return Draft(
            say(
                screen.language,
                f"The user is doing this: {task}. Which element do they touch next?",
                f"用户正在做这件事：{task}。接下来会点哪个元素？",
            ),
            right,
            _some(others, chance),
            f"the recording {screen.episode.id!r} touches node {touched.node.order} here",
        )

    def _types(self, screen: Screen, chance: random.Random) -> Draft | None:
        others = [text for text in self._typed if text != screen.typed]
        if not screen.typed or len(others) < 3:
            return None
        task = screen.episode.instruction.rstrip(".。 ")
        return Draft(
            say(
                screen.language,
                f"The user is doing this: {task}. What do they type next?",
                f"用户正在做这件事：{task}。接下来会输入什么？",
            ),
            screen.typed,
            _some(others, chance),
            f"the recording {screen.episode.id!r} types it here",
        )

    def _allows(self, screen: Screen, chance: random.Random) -> Draft | None:
        here = _abilities(screen)
        others = [
            ability
            for ability in self._abilities[screen.language]
            if ability not in here and not _on(_named_in(ability), screen)
        ]
        if not here or len(others) < 3:
            return None
        right = chance.choice(sorted(here))
        return Draft(
            say(
                screen.language,
                "Which of these can be done on this screen?",
                "在这个屏幕上可以做下面哪件事？",
            ),
            right,
            _some(others, chance),
            f"node {here[right].node.order} does it; the screen has nothing for the others",
        )


def _group(difficulty: str, draft: Draft, chance: random.Random) -> JsonValue:
    options = [draft.right, *draft.wrong]
    chance.shuffle(options)
    lettered = letters(options)
    answer = next(letter for letter, text in lettered.items() if text == draft.right)
    return {
        "difficulty": difficulty,
        "question": draft.question,
        "options": dict(lettered),
        "answer": answer,
        "explanation": draft.proof,
    }


def _some(pool: Sequence[str], chance: random.Random) -> tuple[str, ...]:
    count = min(len(pool), chance.randint(3, 5))
    return tuple(chance.sample(list(pool), count))


def _on(text: str, screen: Screen) -> bool:
    return text.casefold() in screen.words or any(
        shown.casefold() in text.casefold() for shown in screen.texts
    )


def _stacked(screen: Screen) -> list[tuple[str, str]]:
    """Pairs of texts with one left edge, of which the second is the next of all texts below."""
    every = [(node, node.box) for node in screen.tree.nodes if node.text.strip() and node.box]
    names = {node.order: text for text, node in screen.texts.items()}
    pairs = []
    for upper, node in screen.texts.items():
        if node.box is None:
            continue
        edge = node.box
        below = sorted(
            (box.top, other.order, abs(box.left - edge.left) < 0.01)
            for other, box in every
            if other is not node and box.top >= edge.bottom - 0.004 and same_column(edge, box)
        )
        if not below or below[0][0] - edge.bottom > 0.12:
            continue
        top, order, aligned = below[0]
        if aligned and order in names and (len(below) == 1 or below[1][0] > top + 0.005):
            pairs.append((upper, names[order]))
    return sorted(pairs)


def _called(element: Element, screen: Screen) -> str:
    role = ROLE_NAMES[screen.language][element.role]
    return say(screen.language, f'the "{element.label}" {role}', f"“{element.label}”{role}")


def _abilities(screen: Screen) -> dict[str, Element]:
    """What the screen lets a user do, in words, with the element for it."""
    found: dict[str, Element] = {}
    for element in screen.elements:
        if not element.alone:
            continue
        label, language = element.label, screen.language
        if element.role in CHECKABLE:
            words = say(language, f'Change whether "{label}" is on', f"改变“{label}”的开关状态")
        elif element.role == "text field":
            words = say(language, f'Type into "{label}"', f"在“{label}”里输入文字")
        elif told := purpose(label, language):
            words = told[0].upper() + told[1:]
        elif element.kind == "text":
            words = say(language, f'Choose "{label}"', f"选择“{label}”")
        else:
            continue
        found[words] = element
    return found


def _named_in(ability: str) -> str:
    """The label that an ability quotes, or all of it."""
    for left, right in (('"', '"'), ("“", "”")):
        if left in ability:
            return ability.partition(left)[2].rpartition(right)[0]
    return ability
