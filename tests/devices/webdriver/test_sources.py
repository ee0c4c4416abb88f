from hypothesis import given
from hypothesis import strategies as st

from tapwright.core.geometry import Size, from_pixel
from tapwright.core.observation import UiTree
from tapwright.devices.webdriver.sources import Units, read_source

SCALES = st.sampled_from([1.0, 1.25, 1.5, 2.0, 2.625, 3.0])


@given(
    scale=SCALES,
    left=st.integers(-3000, 3000),
    top=st.integers(-3000, 3000),
    size=st.builds(Size, st.integers(1, 4096), st.integers(1, 4096)),
    data=st.data(),
)
def test_a_pixel_survives_the_trip_through_the_drivers_units(
    scale: float, left: int, top: int, size: Size, data: st.DataObject
) -> None:
    x, y = data.draw(st.integers(0, size.width - 1)), data.draw(st.integers(0, size.height - 1))
    units = Units(scale, left, top)
    back = units.pixels(*units.place(from_pixel(x, y, size), size))
    assert (int(back[0] + 1e-6), int(back[1] + 1e-6)) == (x, y)


@given(
    scale=st.sampled_from([1, 2, 3]),
    edges=st.tuples(*[st.integers(0, 300)] * 2, *[st.integers(1, 300)] * 2),
)
def test_an_element_of_ios_lies_at_its_points_times_the_scale(
    scale: int, edges: tuple[int, int, int, int]
) -> None:
    x, y, width, height = edges
    xml = (
        '<XCUIElementTypeApplication x="0" y="0" width="320" height="568">'
        f'<XCUIElementTypeButton x="{x}" y="{y}" width="{width}" height="{height}"/>'
        "</XCUIElementTypeApplication>"
    )
    size = Size(320 * scale, 568 * scale)
    source = read_source(xml, size, screen_width=None, origin="t")
    bounds = UiTree(source.xml, size).nodes[1].attributes["bounds"]
    right, bottom = (x + width) * scale, (y + height) * scale
    assert bounds == f"[{x * scale},{y * scale}][{right},{bottom}]"


def read(xml: str) -> list[dict[str, str]]:
    size = Size(800, 600)
    source = read_source(xml, size, screen_width=None, origin="t")
    return [dict(node.attributes) for node in UiTree(source.xml, size).nodes]


def test_what_cannot_be_seen_is_left_out_and_what_is_in_it_stays() -> None:
    nodes = read(
        '<XCUIElementTypeApplication width="800">'
        '<XCUIElementTypeOther visible="false"><XCUIElementTypeButton label="in"/>'
        "</XCUIElementTypeOther></XCUIElementTypeApplication>"
    )
    assert [node["text"] for node in nodes] == ["", "in"]


def test_a_menu_that_is_open_is_read() -> None:
    bar = '<XCUIElementTypeMenuBarItem title="File" selected="{}"><XCUIElementTypeMenu>'
    bar += '<XCUIElementTypeMenuItem title="New"/></XCUIElementTypeMenu>'
    bar += "</XCUIElementTypeMenuBarItem>"
    app = "<XCUIElementTypeApplication>{}</XCUIElementTypeApplication>"
    assert "New" in [node["text"] for node in read(app.format(bar.format("true")))]
    assert "New" not in [node["text"] for node in read(app.format(bar.format("false")))]


def test_a_windows_source_that_says_utf_16_is_read() -> None:
    (window, edit) = read(
        '<?xml version="1.0" encoding="utf-16"?>'
        '<Window Name="Päge" x="0" y="0" width="800" height="600">'
        '<Edit Name="Search" Value.Value="世界" x="10" y="20" width="100" height="30" '
        'HasKeyboardFocus="True"/></Window>'
    )
    assert window["bounds"] == "[0,0][800,600]"
    assert (edit["text"], edit["content-desc"], edit["focused"]) == ("世界", "Search", "true")
    assert edit["bounds"] == "[10,20][110,50]"


def test_numbers_that_are_none_have_no_place() -> None:
    nodes = read(
        '<Window width="nan" height="1e999"><Text Name="a" x="-1e300" y="?" width="5" height="5"/>'
        '<Text Name="b" x="999999999" width="999999999" height="9"/></Window>'
    )
    assert [node.get("bounds") for node in nodes] == [
        None, "[0,0][5,5]", "[99999999,0][99999999,9]",
    ]  # fmt: skip


def test_a_source_of_uiautomator_stays_as_it_is() -> None:
    xml = (
        '<hierarchy rotation="0"><android.widget.Button package="a.b" text="Go" '
        'class="android.widget.Button" bounds="[0,0][9,9]"/></hierarchy>'
    )
    source = read_source(xml, Size(800, 600), screen_width=None, origin="t")
    assert (source.xml, source.app, source.units) == (xml, "a.b", Units())
