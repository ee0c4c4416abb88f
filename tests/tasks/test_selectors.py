import json
import time
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from lxml.cssselect import CSSSelector

from tapwright.core.geometry import Size
from tapwright.core.observation import UiTree, write_node
from tapwright.errors import BadTreeError
from tapwright.tasks.errors import BadSelectorError
from tapwright.tasks.events.selectors import select_nodes, to_css
from tapwright.tasks.limits import MAX_SELECTOR_WORK

GOLDEN = Path(__file__).parents[1] / "golden/mobile_env_selectors"
CASES: list[dict[str, Any]] = json.loads((GOLDEN / "cases.json").read_text())["cases"]
TREE = UiTree((GOLDEN / "tree.xml").read_text(), Size(1080, 1920))
QUOTED = {'[text="Red shoes size 4.5"]', '[text="Item #1"]', '[text="Item $2"]'}


def paths() -> list[str]:
    """Where each node stands, as the cases name it, in document order."""
    root = etree.fromstring(TREE.xml.encode())
    return [root.getroottree().getpath(one) for one in root.iter("node")]


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["selector"]))
def test_a_selector_finds_what_mobile_env_found(case: dict[str, Any]) -> None:
    selector = case["selector"]
    if selector in QUOTED:
        assert [node.text for node in select_nodes(TREE, selector)] == [selector[7:-2]]
    elif "error" in case:
        with pytest.raises(BadSelectorError):
            select_nodes(TREE, selector)
    else:
        found = [paths()[node.order] for node in select_nodes(TREE, selector)]
        assert found == [path for path in case["nodes"] if path != "/hierarchy"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["selector"]))
def test_the_css_of_a_selector_is_mobile_envs(case: dict[str, Any]) -> None:
    assert to_css(case["selector"], quoted=True) == case["css"]


@given(
    text=st.text(
        st.characters(
            codec="utf-8", exclude_characters='"\\\r\n\f', categories=["L", "N", "P", "S"]
        )
    )
)
def test_a_text_in_quotes_is_left_alone(text: str) -> None:
    xml = f"<hierarchy>{write_node({'text': text}, closed=True)}</hierarchy>"
    assert len(select_nodes(UiTree(xml, Size(10, 10)), f'[text="{text}"]')) == 1


def test_a_tag_that_is_a_class_is_one() -> None:
    tree = UiTree("<hierarchy><a.B><node class='c.D'/></a.B></hierarchy>", Size(10, 10))
    assert [node.class_name for node in select_nodes(tree, '."a.B" > node')] == ["c.D"]


@pytest.mark.parametrize(
    "selector",
    [
        "",
        "node > " * 10_000 + "node",
        ":not(" * 10_000 + "*" + ")" * 10_000,
        ":not(" * 199 + "*" + ")" * 199,
    ],
)
def test_a_selector_too_deep_to_be_looked_for_is_refused(selector: str) -> None:
    with pytest.raises(BadSelectorError):
        select_nodes(TREE, selector)


@pytest.mark.parametrize("xml", ["<hierarchy", '<!DOCTYPE a [<!ENTITY b "c">]><hierarchy/>'])
def test_a_tree_that_is_none_is_told(xml: str) -> None:
    with pytest.raises(BadTreeError):
        select_nodes(UiTree(xml, Size(10, 10)), "*")


NAMES = st.sampled_from(["a", "b", "ab", "ba"])
NODES: st.SearchStrategy[str] = st.recursive(
    NAMES.map(lambda name: f'<node class="{name}" index="{len(name)}"/>'),
    lambda inner: st.builds(
        lambda name, below: f'<node class="{name}" index="{len(name)}">{"".join(below)}</node>',
        NAMES,
        st.lists(inner, max_size=3),
    ),
    max_leaves=12,
)
COMPOUNDS = st.builds(
    lambda tag, sign, name, tests: f'{tag}.{sign}"{name}"{tests}',
    st.sampled_from(["", "node", "x"]),
    st.sampled_from(["", "^", "$", "*"]),
    NAMES,
    st.sampled_from(
        [
            "", "@1", "@2", ":not(@1)", "[class]", ":nth-child(1)", ":nth-last-child(2n+1)",
            ":nth-child(-n+2)", ":nth-child(n+2)", ":first-child", ":last-child", ":only-child",
            ":empty", ":root", ":has(> node)", ":has(@1)", ":has(+ @2)", ":has(~ @2)",
            ":is(@1, @2)", ":where(@1)", ":not(:first-child)", "[class|=a]", "[class~=ab]",
            '[class!="a"]', '[class=""]', '[class^=""]', ".ab", "#ab", ":not(node node)",
        ]
    ),
)  # fmt: skip
SELECTORS = st.builds(
    lambda first, more: first + "".join(sign + one for sign, one in more),
    COMPOUNDS,
    st.lists(st.tuples(st.sampled_from([" ", " > ", ", ", " + ", " ~ "]), COMPOUNDS), max_size=3),
)


@given(xml=NODES, selector=SELECTORS)
def test_the_index_finds_what_xpath_finds(xml: str, selector: str) -> None:
    tree = UiTree(f"<hierarchy>{xml}</hierarchy>", Size(10, 10))
    root = etree.fromstring(tree.xml)
    nodes = list(root.iter("node"))
    found = cast(list[etree._Element], CSSSelector(to_css(selector))(root))
    assert [node.order for node in select_nodes(tree, selector)] == [
        nodes.index(one) for one in found
    ]


@pytest.mark.parametrize("kind", ["first-of-type", "nth-of-type(2)", "only-of-type"])
def test_elements_of_one_tag_are_counted_apart(kind: str) -> None:
    tree = UiTree("<hierarchy><node/><node><node/></node></hierarchy>", Size(10, 10))
    found = cast(list[etree._Element], CSSSelector(f"node:{kind}")(etree.fromstring(tree.xml)))
    assert len(select_nodes(tree, f"node:{kind}")) == len(found)


@pytest.mark.parametrize(
    "selector",
    ['node:contains("x")', "a|b", "[a|b]", "node\x01", ":lang(en)", ":hover",
     ":nth-child(x)", ":first-of-type", ":has(node > node)", "node:scope", "node::before"],
)  # fmt: skip
def test_what_a_hierarchy_cannot_tell_is_refused(selector: str) -> None:
    with pytest.raises(BadSelectorError):
        select_nodes(TREE, selector)


@pytest.mark.slow
def test_a_selector_is_found_in_linear_time() -> None:
    tree = UiTree(f"<hierarchy>{'<node/>' * 50_000}</hierarchy>", Size(10, 10))
    begun = time.process_time()
    assert len(select_nodes(tree, "node ~ node:nth-last-child(2) ~ node ~ node")) == 0
    assert len(select_nodes(tree, "node ~ node:nth-last-child(2)")) == 1
    assert time.process_time() - begun < 30


@pytest.mark.slow
def test_a_selector_too_long_for_a_large_hierarchy_is_refused() -> None:
    nodes = MAX_SELECTOR_WORK // 100
    tree = UiTree(f"<hierarchy>{'<node/>' * (nodes - 1)}</hierarchy>", Size(10, 10))
    with pytest.raises(BadSelectorError, match="at most 10,000,000 looks"):
        select_nodes(tree, "node ~ " * 51 + "node")


@pytest.mark.parametrize("encoding", ["UTF-16", "UTF-7", "no-such-encoding", "latin-1"])
def test_what_a_text_says_of_its_encoding_is_passed_over(encoding: str) -> None:
    xml = f'<?xml version="1.0" encoding="{encoding}"?><hierarchy><node text="é"/></hierarchy>'
    assert len(select_nodes(UiTree(xml, Size(10, 10)), '[text="é"]:first-child')) == 1


def test_a_document_type_in_another_encoding_is_none() -> None:
    xml = '<?xml version="1.0" encoding="UTF-7"?>+ADwAIQ-DOCTYPE a+AD4-<hierarchy/>'
    with pytest.raises(BadTreeError, match="not XML"):
        select_nodes(UiTree(xml, Size(10, 10)), "*")


def test_a_selector_that_could_go_every_way_is_found_soon() -> None:
    depth = 60
    xml = "<node index='1'>" * depth + "</node>" * depth
    tree = UiTree(f"<hierarchy>{xml}</hierarchy>", Size(10, 10))
    assert len(select_nodes(tree, "@1 " * 30 + "@1")) == 30
    assert select_nodes(tree, '."x" ' + "@1 " * 30) == []
