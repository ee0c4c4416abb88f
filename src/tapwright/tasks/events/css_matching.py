"""Matches CSS selectors against the elements of a view hierarchy, each part in linear time.

Every part of a selector is a set of elements, computed from the set of the part before it; XPath,
to which CSS is mostly translated, walks from every element anew. The grammar is that of `cssselect`
(https://www.w3.org/TR/selectors-4/), without what depends on text, namespaces or a browser.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise

from cssselect import ExpressionError, parser
from lxml import etree

from tapwright.tasks.errors import BadSelectorError
from tapwright.tasks.limits import MAX_SELECTOR_WORK

__all__ = ["ElementSets", "check_supported"]

_TESTS: Mapping[str, Callable[[str, str], bool]] = {
    "=": str.__eq__,
    "^=": str.startswith,
    "$=": str.endswith,
    "*=": str.__contains__,
    "~=": lambda value, wanted: wanted in value.split(),
    "|=": lambda value, wanted: value == wanted or value.startswith(f"{wanted}-"),
}
_SERIES = {
    "nth-child": (False, False),
    "nth-last-child": (True, False),
    "nth-of-type": (False, True),
    "nth-last-of-type": (True, True),
}
_NAMED: Mapping[str, Sequence[tuple[bool, bool]]] = {
    "first-child": [(False, False)],
    "last-child": [(True, False)],
    "only-child": [(False, False), (True, False)],
    "first-of-type": [(False, True)],
    "last-of-type": [(True, True)],
    "only-of-type": [(False, True), (True, True)],
}


def check_supported(tree: parser.Tree) -> int:
    """Refuses a selector that needs more than the elements; returns the number of its parts.

    A namespace, a flag, or a pseudo-class that there is not raises `cssselect.ExpressionError`.
    """
    parts = 0
    waiting = [tree]
    while waiting:
        one = waiting.pop()
        parts += 1
        match one:
            case parser.CombinedSelector():
                waiting += [one.selector, one.subselector]
                continue
            case parser.Element():
                _refuse_namespace(one.namespace)
                continue
            case parser.Attrib():
                _refuse_namespace(one.namespace)
                if getattr(one, "flag", None) is not None:
                    raise ExpressionError("an attribute is compared without flags")
            case parser.Pseudo():
                if one.ident not in (*_NAMED, "root", "empty"):
                    raise ExpressionError(f"there is no :{one.ident}")
                _check_type(one, one.ident)
            case parser.Function():
                if one.name not in _SERIES:
                    raise ExpressionError(f"there is no :{one.name}()")
                _check_type(one, one.name)
                _series(one)
            case parser.Negation():
                waiting.append(one.subselector)
            case parser.Relation():
                for _, selector in one.arguments:
                    if isinstance(selector.parsed_tree, parser.CombinedSelector):
                        raise ExpressionError(":has() takes no chain of elements")
                    waiting.append(selector.parsed_tree)
            case parser.Matching() | parser.SpecificityAdjustment():
                waiting += one.selector_list
        waiting.append(one.selector)
    return parts


def _refuse_namespace(namespace: str | None) -> None:
    if namespace not in (None, "*"):
        raise ExpressionError(f"there is no namespace {namespace!r}")


def _check_type(tree: parser.Tree, name: str) -> None:
    if name.endswith("of-type") and _tag(tree) is None:
        raise ExpressionError(f"*:{name} is not implemented")


def _tag(tree: parser.Tree) -> str | None:
    """The tag that a compound names."""
    while not isinstance(tree, parser.Element):
        tree = tree.selector
    return tree.element


def _series(function: parser.Function) -> tuple[int, int]:
    try:
        a, b = parser.parse_series(function.arguments)
    except ValueError as error:
        raise ExpressionError(f"no series: {function.arguments!r}") from error
    return a, b


class ElementSets:
    """The elements of one hierarchy in document order; sets of them are sets of their indices."""

    def __init__(self, elements: Sequence[etree._Element]) -> None:
        self._elements = elements
        self._all = frozenset(range(len(elements)))

    @cached_property
    def parents(self) -> Sequence[int]:
        """The index of each element's parent; -1 for the root."""
        places = {one: place for place, one in enumerate(self._elements)}
        above = (one.getparent() for one in self._elements)
        return [-1 if one is None else places.get(one, -1) for one in above]

    @cached_property
    def _children(self) -> Sequence[Sequence[int]]:
        children: list[list[int]] = [[] for _ in self._elements]
        for place, parent in enumerate(self.parents):
            if parent >= 0:
                children[parent].append(place)
        return children

    def matches(self, tree: parser.Tree, parts: int) -> set[int]:
        """The elements that a selector of so many parts matches.

        Raises:
            BadSelectorError: it is too long for a hierarchy of this size.
        """
        if parts * len(self._elements) > MAX_SELECTOR_WORK:
            raise BadSelectorError(
                f"a selector of {parts} parts looks at {len(self._elements):,} elements; "
                f"at most {MAX_SELECTOR_WORK:,} looks are taken",
                hint="shorten the selector",
            )
        return set(self._chain(tree))

    def _chain(self, tree: parser.Tree) -> "frozenset[int] | set[int]":
        steps: list[tuple[str, parser.Tree]] = []
        while isinstance(tree, parser.CombinedSelector):
            steps.append((tree.combinator, tree.subselector))
            tree = tree.selector
        found = self._compound(tree)
        for combinator, compound in reversed(steps):
            found = self._compound(compound) & self.after(combinator, found)
        return found

    def after(self, combinator: str, others: "frozenset[int] | set[int]") -> set[int]:
        """The elements that stand in a relation to one of others: " ", ">", "+" or "~"."""
        found: set[int] = set()
        match combinator:
            case ">":
                found = {one for place in others for one in self._children[place]}
            case " ":
                for place, parent in enumerate(self.parents):  # parents come first
                    if parent in others or parent in found:
                        found.add(place)
            case "+":
                for children in self._children:
                    found.update(late for early, late in pairwise(children) if early in others)
            case _:
                for children in self._children:
                    first = next((at for at, one in enumerate(children) if one in others), None)
                    if first is not None:
                        found.update(children[first + 1 :])
        return found

    def _before(self, combinator: str, others: "frozenset[int] | set[int]") -> set[int]:
        """The elements that one of others stands in a relation to: `:has()`."""
        found: set[int] = set()
        match combinator:
            case ">":
                found = {self.parents[place] for place in others}
            case " ":
                for place in range(len(self.parents) - 1, 0, -1):  # children come first
                    if place in others or place in found:
                        found.add(self.parents[place])
            case "+":
                for children in self._children:
                    found.update(early for early, late in pairwise(children) if late in others)
            case _:
                for children in self._children:
                    last = next((at for at in reversed(range(len(children)))
                                 if children[at] in others), 0)  # fmt: skip
                    found.update(children[:last])
        return found - {-1}

    def _compound(self, tree: parser.Tree) -> "frozenset[int] | set[int]":
        found: frozenset[int] | set[int] = self._all
        while not isinstance(tree, parser.Element):
            found = found & self._simple(tree)
            tree = tree.selector
        if tree.element:
            found = {place for place in found if self._elements[place].tag == tree.element}
        return found

    def _simple(self, tree: parser.Tree) -> "frozenset[int] | set[int]":
        match tree:
            case parser.Attrib():
                wanted = None if tree.value is None else str(tree.value.value or "")
                return self._with(tree.attrib, tree.operator, wanted)
            case parser.Hash():
                return self._with("id", "=", tree.id)
            case parser.Class():
                return self._with("class", "~=", tree.class_name)
            case parser.Negation():
                return self._all - self._chain(tree.subselector)
            case parser.Matching() | parser.SpecificityAdjustment():
                return self._any(self._chain(one) for one in tree.selector_list)
            case parser.Relation():
                return self._any(
                    self._before(str(token.value), self._chain(selector.parsed_tree))
                    for token, selector in tree.arguments
                )
            case parser.Function():
                return self._nth(*_series(tree), *_SERIES[tree.name], _tag(tree))
            case parser.Pseudo():
                return self._pseudo(tree)
        raise AssertionError(tree)  # `check_supported` knows all kinds

    def _pseudo(self, tree: parser.Pseudo) -> "frozenset[int] | set[int]":
        if tree.ident == "root":
            return {place for place, parent in enumerate(self.parents) if parent < 0}
        if tree.ident == "empty":
            return {place for place in self._all if self._is_empty(place)}
        found: frozenset[int] | set[int] = self._all
        for from_end, of_type in _NAMED[tree.ident]:
            found = found & self._nth(0, 1, from_end, of_type, _tag(tree))
        return found

    def _any(self, sets: Iterable["frozenset[int] | set[int]"]) -> set[int]:
        return {place for one in sets for place in one}

    def _is_empty(self, place: int) -> bool:
        one = self._elements[place]
        return not self._children[place] and not one.text and not any(inner.tail for inner in one)

    def _with(self, name: str, sign: str, wanted: str | None) -> set[int]:
        """The elements whose attribute passes a test; XPath finds nothing by an empty part."""
        if sign == "exists" or wanted is None:
            return {place for place in self._all if self._elements[place].get(name) is not None}
        if sign == "!=":
            found = {place for place in self._all if self._elements[place].get(name) != wanted}
            return found if wanted else found & self._with(name, "exists", None)
        if sign != "=" and sign != "|=" and not wanted:
            return set()
        if sign == "~=" and len(wanted.split()) != 1:
            return set()
        holds = _TESTS[sign]
        return {
            place
            for place in self._all
            if (value := self._elements[place].get(name)) is not None and holds(value, wanted)
        }

    def _nth(self, a: int, b: int, from_end: bool, of_type: bool, tag: str | None) -> set[int]:
        """The elements at the places a·n + b among their siblings, counted from 1."""
        found: set[int] = set()
        roots = [place for place, parent in enumerate(self.parents) if parent < 0]
        for siblings in (roots, *self._children):
            number = 0
            for place in reversed(siblings) if from_end else siblings:
                if of_type and self._elements[place].tag != tag:
                    continue
                number += 1
                if number == b if a == 0 else (number - b) % a == 0 and (number - b) // a >= 0:
                    found.add(place)
        return found
