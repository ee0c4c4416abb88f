from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from tapwright.core.geometry import Box, Point, Size
from tapwright.core.observation import (
    MAX_ATTRIBUTE,
    MAX_ATTRIBUTES,
    MAX_DEPTH,
    MAX_NODES,
    MAX_TREE_TEXT,
    UiTree,
    write_node,
)
from tapwright.core.screenshot import MAX_SIDE, Screenshot
from tapwright.errors import BadImageError, BadTreeError

SIZE = Size(100, 200)
XML_TEXT = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"), max_size=30
)


def png(size: tuple[int, int] = (4, 3)) -> bytes:
    buffer = BytesIO()
    Image.new("RGB", size, "red").save(buffer, "PNG")
    return buffer.getvalue()


def tree(inner: str, size: Size = SIZE) -> UiTree:
    return UiTree(f'<hierarchy rotation="0">{inner}</hierarchy>', size, origin="dump.xml")


@given(text=XML_TEXT, description=XML_TEXT)
def test_attributes_survive_being_written_and_parsed(text: str, description: str) -> None:
    tag = write_node({"text": text, "content-desc": description}, closed=True)
    (node,) = tree(tag).nodes
    assert (node.text, node.description) == (text, description)


@given(text=st.text(max_size=30))
def test_what_xml_cannot_carry_is_left_out_of_an_attribute(text: str) -> None:
    (node,) = tree(write_node({"text": f"a\0{text}\ud83db"}, closed=True)).nodes
    assert node.text.startswith("a")
    assert node.text.endswith("b")


@pytest.mark.parametrize(
    ("class_name", "role"),
    [
        ("android.widget.Button", "button"),
        ("android.widget.ImageButton", "image button"),
        ("android.widget.AutoCompleteTextView", "text field"),
        ("com.google.android.material.textfield.TextInputEditText", "text field"),
        ("androidx.appcompat.widget.SwitchCompat", "switch"),
        ("android.widget.ToggleButton", "switch"),
        ("androidx.appcompat.widget.AppCompatCheckBox", "checkbox"),
        ("android.widget.RadioButton", "radio button"),
        ("android.widget.RadioGroup", "other"),
        ("android.widget.SeekBar", "slider"),
        ("android.app.ActionBar$Tab", "tab"),
        ("android.widget.TableRow", "other"),
        ("com.android.internal.widget.ButtonBarLayout", "other"),
        ("android.widget.ImageView", "image"),
        ("androidx.recyclerview.widget.RecyclerView", "list"),
        ("android.widget.TextView", "text"),
        ("android.view.View", "other"),
        ("", "other"),
    ],
)
def test_a_role_is_told_by_the_class(class_name: str, role: str) -> None:
    (node,) = tree(f'<node class="{class_name}"/>').nodes
    assert node.role == role


def test_boxes_are_fractions_clipped_to_the_screen() -> None:
    nodes = tree(
        '<node bounds="[10,20][60,120]"/><node bounds="[-10,-10][50,100]"/>'
        '<node bounds="[0,200][100,260]"/><node/>'
    ).nodes
    assert [node.box for node in nodes] == [
        Box(0.1, 0.1, 0.6, 0.6),
        Box(0, 0, 0.5, 0.5),
        None,
        None,
    ]


def test_nodes_come_in_document_order_with_parents_and_children() -> None:
    nodes = tree('<node text="a"><node text="b"/><node text="c"/></node><node text="d"/>').nodes
    assert [node.text for node in nodes] == ["a", "b", "c", "d"]
    assert [child.text for child in nodes[0].children] == ["b", "c"]
    assert nodes[1].parent is nodes[0]
    assert [node.text for node in nodes[0].walk()] == ["a", "b", "c"]
    assert [node.depth for node in nodes] == [0, 1, 1, 0]


def test_a_label_is_the_own_text_or_that_of_the_content() -> None:
    row, *_ = tree('<node><node text="Wi-Fi"/><node text="Connected"/></node>').nodes
    assert row.label == "Wi-Fi Connected"


def test_a_tap_reaches_the_smallest_clickable_node_and_the_later_of_equals() -> None:
    found = tree(
        '<node text="page" bounds="[0,0][100,200]">'
        '<node text="row" clickable="true" bounds="[0,0][100,50]">'
        '<node text="word" bounds="[0,0][50,50]"/></node>'
        '<node text="over" clickable="true" bounds="[0,0][100,50]"/></node>'
    )
    assert [
        node.text for node in [found.at(Point(0.2, 0.1)), found.at(Point(0.2, 0.9))] if node
    ] == [
        "over",
        "page",
    ]


EDGES = st.tuples(st.integers(0, 100), st.integers(0, 100)).map(sorted)


@given(
    boxes=st.lists(st.tuples(EDGES, EDGES, st.booleans()), max_size=12),
    x=st.integers(0, 100),
    y=st.integers(0, 100),
)
def test_what_a_tap_reaches_is_found_as_if_all_nodes_were_looked_at(
    boxes: list[tuple[list[int], list[int], bool]], x: int, y: int
) -> None:
    found = tree(
        "".join(
            f'<node clickable="{str(clickable).lower()}" '
            f'bounds="[{left},{top}][{right},{bottom}]"/>'
            for (left, right), (top, bottom), clickable in boxes
        ),
        Size(100, 100),
    )
    point = Point(x / 100, y / 100)
    here = [node for node in found.nodes if node.box is not None and node.box.contains(point)]
    pool = [node for node in here if node.is_("clickable")] or here
    expected = min(
        reversed(pool), key=lambda node: node.box.area if node.box else 2.0, default=None
    )
    assert found.at(point) is expected


@pytest.mark.slow
def test_a_hierarchy_ten_thousand_deep_is_parsed_without_recursion() -> None:
    nodes = tree("<node>" * MAX_DEPTH + "</node>" * MAX_DEPTH).nodes
    assert nodes[-1].depth == 9_999
    assert sum(1 for _ in nodes[0].walk()) == 10_000


ABOVE_A_LIMIT = {
    "elements in each other": "<node>" * (MAX_DEPTH + 1) + "</node>" * (MAX_DEPTH + 1),
    "elements": "<node/>" * (MAX_NODES + 1),
    "attributes of one element": "<node "
    + " ".join(f"a{number}=''" for number in range(257))
    + "/>",
    "characters of one element": f"<node text='{'a' * (MAX_ATTRIBUTE + 1)}'/>",
    "characters": f"<!--{'a' * MAX_TREE_TEXT}-->",
}


@pytest.mark.parametrize("what", ABOVE_A_LIMIT)
@pytest.mark.slow_but_one
def test_a_hierarchy_above_a_limit_is_refused(what: str) -> None:
    with pytest.raises(BadTreeError, match=rf"more than [0-9,]+ {what}$"):
        _ = tree(ABOVE_A_LIMIT[what]).nodes


def test_an_element_at_the_limits_is_parsed() -> None:
    names = " ".join(f"a{number}=''" for number in range(MAX_ATTRIBUTES - 1))
    (node,) = tree(f"<node {names} class='{'a' * MAX_ATTRIBUTE}'/>").nodes
    assert len(node.class_name) == MAX_ATTRIBUTE


def test_what_is_not_xml_is_refused_with_file_and_line() -> None:
    with pytest.raises(BadTreeError, match=r"dump\.xml, line 2: not XML"):
        _ = UiTree("<hierarchy>\n<node", SIZE, origin="dump.xml").nodes


@pytest.mark.parametrize("encoding", ["gbk", "utf-16", "nothing"])
def test_what_a_text_says_of_its_bytes_does_not_count(encoding: str) -> None:
    told = f'<?xml version="1.0" encoding="{encoding}"?><hierarchy><node text="中"/></hierarchy>'
    assert UiTree(told, SIZE).nodes[0].text == "中"


def test_an_entity_bomb_is_refused_before_it_is_expanded() -> None:
    bomb = '<!DOCTYPE a [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><hierarchy>&b;</hierarchy>'
    with pytest.raises(BadTreeError, match="document type declaration"):
        _ = UiTree(bomb, SIZE).nodes


def test_bad_bounds_are_refused_with_what_was_expected() -> None:
    with pytest.raises(BadTreeError, match=r"expected \[left,top\]\[right,bottom\]"):
        _ = tree('<node bounds="10,10,20,20"/>').nodes


def test_a_screenshot_knows_its_size_and_kind_from_its_bytes() -> None:
    shot = Screenshot(png())
    assert (shot.size, shot.extension, shot.media_type) == (Size(4, 3), "png", "image/png")
    assert shot.image().getpixel((0, 0)) == (255, 0, 0)


def test_screenshots_are_equal_when_their_bytes_are() -> None:
    data = png()
    assert Screenshot(data, origin="a") == Screenshot(bytes(data), origin="b")
    assert Screenshot(data) != Screenshot(png((5, 5)))


def test_a_truncated_png_is_an_error_that_names_the_file() -> None:
    data = png((200, 200))
    with pytest.raises(BadImageError, match=r"3\.png: the image is broken"):
        Screenshot(data[: len(data) // 2], origin="3.png").image()


def test_what_is_no_image_is_refused() -> None:
    with pytest.raises(BadImageError, match=r"3\.png: not a readable image"):
        _ = Screenshot(b"hello", origin="3.png").size


@pytest.mark.slow
def test_an_image_of_400_megapixels_is_refused_without_decoding_it() -> None:
    buffer = BytesIO()
    Image.new("1", (20_000, 20_000)).save(buffer, "PNG")
    with pytest.raises(BadImageError, match=r"big\.png"):
        Screenshot(buffer.getvalue(), origin="big.png").image()


def test_a_stand_in_has_the_size_of_its_screen_and_says_that_it_is_one() -> None:
    made = Screenshot.stand_in(Size(1080, 2400))
    assert (made.size, made.extension) == (Size(1080, 2400), "png")
    assert not made.recorded
    assert not Screenshot(made.data).recorded
    assert Screenshot(png()).recorded
    assert made == Screenshot.stand_in(Size(1080, 2400))


@pytest.mark.parametrize("side", [MAX_SIDE, MAX_SIDE + 1])
def test_a_picture_has_a_longest_side(side: int) -> None:
    made = BytesIO()
    Image.new("L", (1, side)).save(made, "PNG")
    shot = Screenshot(made.getvalue())
    if side > MAX_SIDE:
        with pytest.raises(BadImageError, match="a side of a screenshot has at most 32,768"):
            _ = shot.size
    else:
        assert shot.image().size == (1, side)


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "I;16"])
@given(data=st.data())
def test_the_size_in_the_header_of_a_png_is_what_pillow_finds(
    mode: str, data: st.DataObject
) -> None:
    picture = Image.new(mode, (data.draw(st.integers(1, 300)), data.draw(st.integers(1, 300))))
    buffer = BytesIO()
    picture.save(buffer, "PNG")
    made = bytearray(buffer.getvalue())
    for at in data.draw(st.lists(st.integers(0, 60), max_size=2)):
        made[at % len(made)] ^= data.draw(st.integers(0, 255))
    shot = Screenshot(bytes(made))
    try:
        with Image.open(BytesIO(made), formats=["PNG"]) as image:
            assert (shot.size, shot.extension) == (Size(*image.size), "png")
    except (OSError, ValueError):
        with pytest.raises(BadImageError):
            _ = shot.size
