"""Mobile-Env's extension of CSS selectors for view hierarchies.

`#"id"`, `."class"`, `$"package"` and `@2` (index) select by Android's attributes; `$`, `^` or `*`
after the mark match the end, the start or a part (`#$"title"`). All else is CSS, as in
https://github.com/X-LANCE/Mobile-Env/blob/976145e/android_env/components/tools/event_listeners.py.
Unlike there, a text in quotes is left alone: `[text="Item #1"]` is a literal text.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TypeAlias
from weakref import WeakKeyDictionary

import cssselect
from cssselect import GenericTranslator, SelectorError, parser
from lxml import etree

from tapwright.core.observation import MAX_NODES, UiNode, UiTree
from tapwright.errors import BadTreeError
from tapwright.tasks.errors import BadSelectorError
from tapwright.tasks.events.css_matching import ElementSets, check_supported
from tapwright.tasks.limits import MAX_SELECTOR

__all__ = ["Selector", "compile_selector", "select_nodes", "to_css"]

_LONG_XML = 1_000_000
_FEW = 200
_ATTRIBUTES = {"#": "resource-id", ".": "class", "$": "package", "@": "index"}
_MARK = r'(?P<mark>[#.$@])(?P<part>[$^*]?)(?:"(?P<text>[^"]+)"|(?P<number>\d+))'
_MARKS = re.compile(_MARK)
_MARKS_OR_QUOTED = re.compile(rf"""{_MARK}|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'""", re.DOTALL)


def select_nodes(tree: UiTree, selector: str) -> list[UiNode]:
    """Returns the nodes that a selector matches, in document order.

    Raises:
        BadSelectorError: it is not a valid selector.
        BadTreeError: the tree is not valid XML.
    """
    nodes, page = tree.nodes, _page(tree)
    found = compile_selector(selector).find_in(page)
    return [nodes[page.orders[one]] for one in found if one in page.orders]


def to_css(selector: str, *, quoted: bool = False) -> str:
    """Converts a selector to plain CSS; `quoted` rewrites texts in quotes too (Mobile-Env)."""
    return (_MARKS if quoted else _MARKS_OR_QUOTED).sub(_attribute, selector)


class Selector:
    """A compiled selector.

    Most selectors test attributes of an element and its ancestors, which an index of the attributes
    finds; the rest of CSS walks the whole tree once for each of its parts.
    """

    def __init__(self, css: str) -> None:
        GenericTranslator().css_to_xpath(css)  # refuses what is well formed and means nothing
        self._trees = [one.parsed_tree for one in cssselect.parse(css)]
        self._parts = [check_supported(tree) for tree in self._trees]
        self._chains = [_chain(tree) for tree in self._trees]

    def find(self, tree: UiTree) -> list[etree._Element]:
        """Return the XML elements that match, in document order; perhaps with the root `hierarchy`.

        Raises:
            BadTreeError: the tree is not valid XML.
        """
        return self.find_in(_page(tree))

    def find_in(self, page: "_Page") -> list[etree._Element]:
        """Return the matches on a parsed page.

        Raises:
            BadSelectorError: it is too long for a page of this size.
        """
        found: set[int] = set()
        for chain, tree, parts in zip(self._chains, self._trees, self._parts, strict=True):
            found |= page.sets.matches(tree, parts) if chain is None else page.matches(chain)
        return [page.elements[place] for place in sorted(found)]


@lru_cache(maxsize=4096)
def compile_selector(selector: str, *, quoted: bool = False) -> Selector:
    """Compiles a selector, cached; `quoted` as in `to_css`.

    Raises:
        BadSelectorError: it is not a valid selector, or too long or deep.
    """
    short = selector if len(selector) <= 60 else f"{selector[:57]}..."
    if len(selector) > MAX_SELECTOR:
        raise BadSelectorError(
            f"selector {short!r} has {len(selector):,} characters; at most {MAX_SELECTOR:,} are"
            " allowed"
        )
    css = to_css(selector, quoted=quoted)
    try:
        return Selector(css)
    except (SelectorError, ValueError) as error:
        raise BadSelectorError(
            f"selector {short!r}: {error}" + (f" (in CSS: {css})" if css != selector else ""),
            hint='for example: #$"title", ."android.widget.Button"@2, node[text="Item #1"]',
        ) from error
    except RecursionError as error:
        raise BadSelectorError(f"selector {short!r} is nested too deeply") from error


def _attribute(match: re.Match[str]) -> str:
    if match["mark"] is None:
        return match[0]
    value = match["number"] if match["text"] is None else match["text"]
    return f'[{_ATTRIBUTES[match["mark"]]}{match["part"]}="{value}"]'


_Test: TypeAlias = tuple[str, str, str]
"""An attribute, CSS's operator, and the value that it is compared with."""


@dataclass(frozen=True, slots=True)
class _Compound:
    """The tests of one element, and its relation to the next one: "" for the last of a chain."""

    tag: str | None
    tests: tuple[_Test, ...]
    combinator: str = ""


def _chain(tree: parser.Tree) -> list[_Compound] | None:
    """Returns the compounds from the outermost in, if the index can find them, else None."""
    if isinstance(tree, parser.CombinedSelector):
        if tree.combinator not in (" ", ">"):
            return None
        around, last = _chain(tree.selector), _chain(tree.subselector)
        if around is None or last is None:
            return None
        return [*around[:-1], replace(around[-1], combinator=tree.combinator), *last]
    tests: list[_Test] = []
    while isinstance(tree, parser.Attrib):
        value = tree.value.value if tree.value is not None else ""
        if tree.operator not in _TESTS or tree.namespace or not value:
            return None
        tests.append((tree.attrib, tree.operator, value))
        tree = tree.selector
    if not isinstance(tree, parser.Element) or tree.namespace or not tests:
        return None
    return [_Compound(tree.element, tuple(tests))]


_TESTS: Mapping[str, Callable[[str, str], bool]] = {
    "=": str.__eq__,
    "^=": str.startswith,
    "$=": str.endswith,
    "*=": str.__contains__,
}


class _Page:
    """A view hierarchy parsed by lxml, with every element in document order."""

    def __init__(self, tree: UiTree) -> None:
        xml = tree.xml
        if "<!DOCTYPE" in xml or len(xml) > _LONG_XML or xml.count("<") > 2 * MAX_NODES:
            tree.nodes  # noqa: B018 - refuses what is too much, with the line
        xml_parser = etree.XMLParser(
            encoding="utf-8",  # whatever the text says that its bytes were
            resolve_entities=False,
            no_network=True,
            huge_tree=True,
        )
        try:
            root = etree.fromstring(xml.encode("utf-8", "surrogatepass"), xml_parser)
        except (etree.XMLSyntaxError, ValueError) as error:
            tree.nodes  # noqa: B018 - raises with the line
            raise BadTreeError(f"{tree.origin}: not XML: {error}") from error
        self.elements = list(root.iter(etree.Element))
        for one in self.elements:
            if one.tag not in ("node", "hierarchy"):  # as `UiTree` takes compressed dumps
                one.set("class", one.get("class", str(one.tag)))
                one.tag = "node"
        self._values: dict[str, dict[str, list[int]]] = {}
        self._tests: dict[_Test, set[int]] = {}

    @cached_property
    def orders(self) -> dict[etree._Element, int]:
        """The index of each element among the tree's nodes."""
        nodes = (one for one in self.elements if one.tag == "node")
        return {one: order for order, one in enumerate(nodes)}

    def matches(self, chain: Sequence[_Compound]) -> set[int]:
        """Returns the indices of the elements that match a chain of compounds."""
        found: set[int] | None = None
        combinator = ""
        for compound in chain:
            fit = set.intersection(*(self._with(test) for test in compound.tests))
            if compound.tag is not None:
                fit = {place for place in fit if self.elements[place].tag == compound.tag}
            if found is not None and len(fit) > _FEW:
                fit &= self.sets.after(combinator, found)
            elif found is not None:
                fit = {place for place in fit if self._is_below(place, found, combinator)}
            found, combinator = fit, compound.combinator
        return found or set()

    def _is_below(self, place: int, others: set[int], combinator: str) -> bool:
        above = self.sets.parents[place]
        while above >= 0:
            if above in others:
                return True
            if combinator == ">":
                return False
            above = self.sets.parents[above]
        return False

    @cached_property
    def sets(self) -> ElementSets:
        """The elements, to match any selector."""
        return ElementSets(self.elements)

    def _with(self, test: _Test) -> set[int]:
        """Returns the indices of the elements whose attribute passes a test."""
        if test not in self._tests:
            name, sign, wanted = test
            values = self._values.get(name)
            if values is None:
                values = self._values[name] = {}
                for place, one in enumerate(self.elements):
                    value = one.get(name)
                    if value is not None:
                        values.setdefault(value, []).append(place)
            holds = _TESTS[sign]
            self._tests[test] = {
                place
                for value, places in values.items()
                if holds(value, wanted)
                for place in places
            }
        return self._tests[test]


_pages: WeakKeyDictionary[UiTree, _Page] = WeakKeyDictionary()


def _page(tree: UiTree) -> _Page:
    page = _pages.get(tree)
    if page is None:
        page = _pages[tree] = _Page(tree)
    return page
