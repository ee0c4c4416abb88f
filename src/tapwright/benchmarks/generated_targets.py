"""Elements of a recorded screen to be found: named as seen (basic), or by purpose (advanced)."""

import random
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal

from tapwright.benchmarks import elements, generated_wording
from tapwright.benchmarks.elements import Element
from tapwright.benchmarks.generated_next_touch import find_next_touch
from tapwright.benchmarks.generated_screens import RecordedScreen, text_width
from tapwright.benchmarks.platforms import target_size
from tapwright.core.geometry import Box, Point
from tapwright.core.observation import UiNode, UiRole

_GRID = 200
_SHARE = 1 / 3


class KnownPlaces:
    """Where elements of a label and a role stand, on the screens that were added.

    A tab or a button of a bar stands where it stands on every screen, so a model that knows its
    training by heart finds it without looking. What stands where the data has put it has to be
    seen.

    With `own` the screens that are asked about are among them; what one shows tells nothing there.
    """

    def __init__(self, *, own: bool) -> None:
        self._own = int(own)
        self._places: dict[tuple[str, UiRole], Counter[tuple[int, int]]] = {}

    def add(self, screen: RecordedScreen) -> None:
        """Remember where the elements of a screen stand."""
        for element in screen.elements:
            center = element.box.center
            place = round(center.x * _GRID), round(center.y * _GRID)
            self._places.setdefault(_key(element), Counter())[place] += 1

    def tell(self, element: Element) -> bool:
        """Whether a third of the elements of this name, or more, are where this one is."""
        places = self._places.get(_key(element), Counter[tuple[int, int]]())
        box = element.box
        here = sum(
            count
            for (x, y), count in places.items()
            if box.contains(Point(min(x / _GRID, 1.0), min(y / _GRID, 1.0)))
        )
        others = places.total() - self._own
        return others > 0 and here - self._own >= _SHARE * others


def _key(element: Element) -> tuple[str, UiRole]:
    return element.label.casefold(), element.role


@dataclass(frozen=True, slots=True)
class TargetDescription:
    """One instruction with the element that it means; `box` is all that reacts like it."""

    instruction: str
    element: elements.Element
    grounding_type: Literal["basic", "advanced"]
    box: Box


class TargetFinder:
    """Finds the elements to ask for, screen by screen.

    At most the share `by_heart` of them stand where `places` know elements of their name to stand.
    With `small`, what reacts on 0.1 % of the screen or more is left out.
    """

    def __init__(
        self,
        furniture: frozenset[str],
        places: KnownPlaces,
        by_heart: float,
        *,
        small: bool = False,
    ) -> None:
        self._small = small
        self._furniture = furniture
        self._places = places
        self._by_heart = by_heart
        self._found = self._known = 0

    def find(
        self, screen: RecordedScreen, per_screen: int, chance: random.Random
    ) -> Iterator[TargetDescription]:
        """For at most `per_screen` elements one basic and, where there is one, an advanced aim.

        The element that the recording touches comes first, then icons, texts and elements of a name
        that others have, too, in turn; these have to be described by what stands beside them.
        """
        for element in self._choose(screen, per_screen, chance):
            box = _reacting_box(element)
            if element.alone:
                yield TargetDescription(_describe_basic(screen, element), element, "basic", box)
                described = _describe_advanced(screen, element)
            else:
                described = _describe_by_neighbour(screen, element)
            if described:
                yield TargetDescription(described, element, "advanced", box)

    def _choose(
        self, screen: RecordedScreen, per_screen: int, chance: random.Random
    ) -> Iterator[elements.Element]:
        found = [
            element
            for element in screen.content
            if element.label not in self._furniture
            and (not self._small or target_size(_reacting_box(element).area) == "small")
            and (element.alone or (element.repeated and _describe_by_neighbour(screen, element)))
        ]
        chance.shuffle(found)
        piles = [
            [one for one in found if one is screen.touched],
            *(
                [one for one in found if one is not screen.touched and _pile(one) == pile]
                for pile in ("icon", "text", "repeated")
            ),
        ]
        chosen = 0
        while any(piles):
            for pile in piles:
                if pile and chosen < per_screen and self._admit(element := pile.pop()):
                    chosen += 1
                    yield element
            if chosen >= per_screen:
                return

    def _admit(self, element: elements.Element) -> bool:
        """Whether an element may be asked for; counted when it may."""
        known = self._places.tell(element)
        if known and self._known + 1 > self._by_heart * (self._found + 1):
            return False
        self._found += 1
        self._known += known
        return True


def _pile(element: elements.Element) -> str:
    return element.kind if element.alone else "repeated"


def _reacting_box(element: elements.Element) -> Box:
    """The element's box; with the row around it when that is there for nothing else.

    A row with more words than the element's name may do something of its own when touched: an
    alarm's opens the alarm, and only its switch switches it.
    """
    row = _own_row(element)
    if row is None or row.box is None:
        return element.box
    one, other = element.box, row.box
    return Box(
        min(one.left, other.left),
        min(one.top, other.top),
        max(one.right, other.right),
        max(one.bottom, other.bottom),
    )


def _row(element: elements.Element) -> UiNode | None:
    """The clickable node next above a switch, box or field."""
    above = element.node.parent
    while above is not None and not above.is_("clickable"):
        above = above.parent
    fits = element.role in elements.CHECKABLE or element.role == "text field"
    return above if fits and above is not None and above.box is not None else None


def _own_row(element: elements.Element) -> UiNode | None:
    row = _row(element)
    if row is None:
        return None
    own = {node.order for node in element.node.walk()}
    rest = [node for node in row.walk() if node.order not in own]
    words = {part.casefold() for node in rest if (part := node.text or node.description)}
    alone = not any(elements.is_touchable(node) for node in rest if node is not row)
    named = element.label.casefold()
    # A radio button's row picks it and does nothing else, whatever its text is.
    fits = named in words if element.role == "radio button" else words == {named}
    return row if alone and fits else None


def _describe_basic(screen: RecordedScreen, element: elements.Element) -> str:
    language = screen.language
    role = generated_wording.ROLE_NAMES[language][element.role]
    if element.box.bottom < 0.13:
        return generated_wording.pick_wording(
            language,
            f'the "{element.label}" {role} at the top of the screen',
            f"屏幕顶部的“{element.label}”{role}",
        )
    if element.box.top > 0.87:
        return generated_wording.pick_wording(
            language,
            f'the "{element.label}" {role} at the bottom of the screen',
            f"屏幕底部的“{element.label}”{role}",
        )
    return generated_wording.pick_wording(
        language, f'the "{element.label}" {role}', f"“{element.label}”{role}"
    )


def _describe_advanced(screen: RecordedScreen, element: elements.Element) -> str:
    language, label = screen.language, element.label
    following = find_next_touch(screen)
    if following is not None and following.element is element and not following.rivals:
        task = screen.instruction
        return generated_wording.pick_wording(
            language,
            f"the element that is touched next on this screen to do this: {task}",
            f"要完成这件事，在这个屏幕上接下来该点的元素：{task}",
        )
    if element.role in elements.CHECKABLE[:2]:
        # Where the row around a switch may do something else, "turn it on" is not one place.
        if _row(element) is not None and _own_row(element) is None:
            return ""
        if element.on:
            return generated_wording.pick_wording(
                language, f'turn "{label}" off', f"把“{label}”关掉"
            )
        return generated_wording.pick_wording(language, f'turn "{label}" on', f"把“{label}”打开")
    purpose = _only_purpose(screen, element)
    if purpose is not None:
        words = purpose.wording(language)
        return generated_wording.pick_wording(
            language, f"the place to touch to {words}", f"要{words}，应该点的地方"
        )
    if element.role == "text field":
        if generated_wording.SEARCH.may_serve(label) or label == element.node.text:
            return ""
        return generated_wording.pick_wording(
            language, f'where to write what "{label}" asks for', f"填写“{label}”内容的地方"
        )
    return _describe_by_neighbour(screen, element)


def _only_purpose(
    screen: RecordedScreen, element: elements.Element
) -> generated_wording.Purpose | None:
    """The purpose of the element, when nothing else on the screen could be for the same."""
    purpose = generated_wording.control_purpose(element)
    if element.role == "text field" and generated_wording.SEARCH.may_serve(element.label):
        purpose = generated_wording.SEARCH
    if purpose is None or purpose.elsewhere:
        return None
    own = {node.order for node in element.node.walk()}
    rivals = [node for node in screen.servers(purpose) if node.order not in own]
    return None if rivals else purpose


def _describe_by_neighbour(screen: RecordedScreen, element: elements.Element) -> str:
    """The element by a text beside or above it, when that fits no other element; else empty."""
    if screen.floats(element.node):
        return ""
    role = generated_wording.ROLE_NAMES[screen.language][element.role]
    inside = {node.order for node in element.node.walk()}
    above = {node.order for node in elements.lineage(element.node)}
    rivals = [
        box
        for node, box in screen.touchable
        if elements.role_of(node) == element.role and node.order not in inside
    ]
    seen = (element.box, *_words_of(element, screen))
    for text, node in screen.anchors:
        if node.box is None or node.order in inside:
            continue
        anchor = node.box
        holds = node.order in above
        if not holds and _in_row(anchor, element.box) and _is_nearest(anchor, element.box, rivals):
            return generated_wording.pick_wording(
                screen.language,
                f'the {role} in the same row as the text "{text}"',
                f"与文字“{text}”在同一行的{role}",
            )
        stands = all(
            _is_below(upper, lower) for upper in _find_text(anchor, text, screen) for lower in seen
        )
        if stands and _next_below(screen, anchor, element, inside):
            return generated_wording.pick_wording(
                screen.language,
                f'the {role} directly below the text "{text}"',
                f"文字“{text}”正下方的{role}",
            )
    return ""


def _find_text(box: Box, text: str, screen: RecordedScreen) -> list[Box]:
    """Where the words of a box may be seen: at its left, middle or right when it is wider."""
    width = text_width(text, box, screen.tree.size)
    if width >= box.right - box.left:
        return [box]
    starts = (box.left, box.center.x - width / 2, box.right - width)
    return [Box(start, box.top, start + width, box.bottom) for start in starts]


def _words_of(element: elements.Element, screen: RecordedScreen) -> list[Box]:
    """Where a button's words may be seen; a row is seen as a whole."""
    box, text = element.source.box, element.source.text
    return _find_text(box, text, screen) if element.role == "button" and text and box else []


def _overlap(low: float, high: float, start: float, end: float) -> float:
    """How much of [low, high] lies in [start, end], 0 to 1."""
    return max(0.0, min(high, end) - max(low, start)) / (high - low)


def _is_below(anchor: Box, target: Box) -> bool:
    """Whether most of one is under the other, and the other's middle over it."""
    over = _overlap(target.left, target.right, anchor.left, anchor.right)
    under = _overlap(anchor.left, anchor.right, target.left, target.right)
    return (over >= 0.5 and target.left <= anchor.center.x <= target.right) or (
        under >= 0.5 and anchor.left <= target.center.x <= anchor.right
    )


def _in_row(anchor: Box, target: Box) -> bool:
    """Whether both have one height: the middle of each lies beside the other."""
    return (
        target.top <= anchor.center.y <= target.bottom
        and anchor.top - 0.01 <= target.center.y <= anchor.bottom + 0.01
        and _overlap(anchor.top, anchor.bottom, target.top, target.bottom) >= 0.5
    )


def _is_nearest(anchor: Box, target: Box, rivals: Sequence[Box]) -> bool:
    """Whether every rival's middle is at least twice as far up or down from the anchor's."""
    away = abs(target.center.y - anchor.center.y)
    half = (anchor.bottom - anchor.top) / 2
    return all(
        abs(box.center.y - anchor.center.y) >= 2 * max(away, half) and not _in_row(anchor, box)
        for box in rivals
    )


def _next_below(
    screen: RecordedScreen, upper: Box, element: elements.Element, inside: Collection[int]
) -> bool:
    """Whether the element is the next below, all else that is touched or read twice as far."""
    below = sorted(
        (box.top - upper.bottom, node.order)
        for node, box in chain(screen.touchable, screen.written)
        if box.top >= upper.bottom - 0.004 and elements.share_column(box, upper)
    )
    if not below or below[0][0] > 0.06 or below[0][1] not in inside:
        return False
    away = max(element.box.top - upper.bottom, 0.0)
    rivals = [gap for gap, order in below if order not in inside]
    return element.node.order in {order for _, order in below} and (
        not rivals or rivals[0] >= max(2 * away, away + 0.01)
    )
