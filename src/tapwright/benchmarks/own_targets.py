"""Elements of a recorded screen to be found: named as seen (basic), or by purpose (advanced)."""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from tapwright.benchmarks.elements import (
    CHECKABLE,
    Element,
    is_touchable,
    role_of,
    same_column,
    same_row,
)
from tapwright.benchmarks.own_screens import Screen
from tapwright.benchmarks.wording import ROLE_NAMES, purpose, say
from tapwright.geometry import Box
from tapwright.observation import UiNode


@dataclass(frozen=True, slots=True)
class Aim:
    """One instruction with the element that it means."""

    instruction: str
    element: Element
    grounding_type: Literal["basic", "advanced"]


def furniture(screens: Sequence[Screen]) -> frozenset[str]:
    """Labels on more than a third of a language's screens, as a system's own buttons are."""
    found: set[str] = set()
    for language in ("en", "zh"):
        same = [screen for screen in screens if screen.language == language]
        counts = Counter(label for screen in same for label in {e.label for e in screen.elements})
        found |= {label for label, number in counts.items() if number > max(3, len(same) / 3)}
    return frozenset(found)


def aims(
    screen: Screen, per_screen: int, skip: frozenset[str], chance: random.Random
) -> Iterator[Aim]:
    """For at most `per_screen` elements one basic and, where there is one, an advanced aim.

    The element that the recording touches comes first, then icons and texts in turn; those with
    a label in `skip` are left out.
    """
    for element in _chosen(screen, per_screen, skip, chance):
        yield Aim(_basic(screen, element), element, "basic")
        by_purpose = _advanced(screen, element)
        if by_purpose:
            yield Aim(by_purpose, element, "advanced")


def _chosen(
    screen: Screen, per_screen: int, skip: frozenset[str], chance: random.Random
) -> list[Element]:
    alone = [element for element in screen.elements if element.alone and element.label not in skip]
    chance.shuffle(alone)
    chosen = [element for element in alone if element is screen.touched]
    rest = [element for element in alone if element is not screen.touched]
    piles = {kind: [e for e in rest if e.kind == kind] for kind in ("icon", "text")}
    while len(chosen) < per_screen and any(piles.values()):
        for pile in piles.values():
            if pile and len(chosen) < per_screen:
                chosen.append(pile.pop())
    return chosen[:per_screen]


def _basic(screen: Screen, element: Element) -> str:
    language = screen.language
    role = ROLE_NAMES[language][element.role]
    if element.box.bottom < 0.13:
        return say(
            language,
            f'the "{element.label}" {role} at the top of the screen',
            f"屏幕顶部的“{element.label}”{role}",
        )
    if element.box.top > 0.87:
        return say(
            language,
            f'the "{element.label}" {role} at the bottom of the screen',
            f"屏幕底部的“{element.label}”{role}",
        )
    return say(language, f'the "{element.label}" {role}', f"“{element.label}”{role}")


def _advanced(screen: Screen, element: Element) -> str:
    language, label = screen.language, element.label
    if element is screen.touched and screen.episode.instruction:
        task = screen.episode.instruction
        return say(
            language,
            f"the element that is touched next on this screen to do this: {task}",
            f"要完成这件事，在这个屏幕上接下来该点的元素：{task}",
        )
    told = purpose(label, language)
    if told:
        return say(language, f"the place to touch to {told}", f"要{told}，应该点的地方")
    if element.role in CHECKABLE[:2]:
        if element.on:
            return say(language, f"turn {label} off", f"关闭{label}")
        return say(language, f"turn {label} on", f"打开{label}")
    if element.role == "text field":
        return say(language, f'where to write what "{label}" asks for', f"填写“{label}”内容的地方")
    return _by_neighbour(screen, element)


def _by_neighbour(screen: Screen, element: Element) -> str:
    """The element by a text beside or above it, when that fits no other element; else empty."""
    role = ROLE_NAMES[screen.language][element.role]
    inside = {node.order for node in element.node.walk()}
    others = [
        (node, node.box)
        for node in screen.tree.nodes
        if is_touchable(node) and node.box is not None
    ]
    for text, node in sorted(screen.texts.items(), key=lambda entry: entry[1].order):
        if node.box is None or node.order in inside:
            continue
        row = [
            other
            for other, box in others
            if role_of(other) == element.role
            and same_row(box, node.box)
            and node.order not in {part.order for part in other.walk()}
        ]
        if row == [element.node]:
            return say(
                screen.language,
                f'the {role} in the same row as the text "{text}"',
                f"与文字“{text}”在同一行的{role}",
            )
        if _next_below(screen, node.box, element, others):
            return say(
                screen.language,
                f'the {role} directly below the text "{text}"',
                f"文字“{text}”正下方的{role}",
            )
    return ""


def _next_below(
    screen: Screen, upper: Box, element: Element, others: Sequence[tuple[UiNode, Box]]
) -> bool:
    """Whether the element, and no other thing that is touched or read, is the next below."""
    inside = {node.order for node in element.node.walk()}
    texts = [(node, node.box) for node in screen.tree.nodes if node.text and node.box is not None]
    below = sorted(
        (box.top, node.order)
        for node, box in (*others, *texts)
        if box.top >= upper.bottom - 0.004 and same_column(box, upper)
    )
    if not below or below[0][0] - upper.bottom > 0.06 or below[0][1] not in inside:
        return False
    rivals = [top for top, order in below if order not in inside]
    return element.node.order in {order for _, order in below} and (
        not rivals or rivals[0] > element.box.top + 0.005
    )
