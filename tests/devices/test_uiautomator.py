import re

import pytest

from tapwright.core.geometry import Size
from tapwright.core.observation import UiNode, UiTree
from tapwright.devices.page_capture import take_snapshot
from tapwright.devices.style import _alpha
from tapwright.devices.tab import Tab
from tapwright.devices.uiautomator import to_xml
from tests.devices.conftest import OpenPage

SIZE = Size(400, 800)
ORDER = [
    "index", "text", "resource-id", "class", "package", "content-desc", "checkable", "checked",
    "clickable", "enabled", "focusable", "focused", "scrollable", "long-clickable", "password",
    "selected", "visible-to-user", "bounds",
]  # fmt: skip


def xml_of(tab: Tab, *, computer: bool = False) -> str:
    return to_xml(take_snapshot(tab), package="org.test", size=SIZE, scale=1.0, computer=computer)


def tree_of(tab: Tab) -> UiTree:
    return UiTree(xml_of(tab), SIZE)


def node_of(tree: UiTree, short_id: str) -> UiNode:
    found = tree.find(short_id=short_id)
    assert found is not None, f"{short_id} is not in {[node.short_id for node in tree.nodes]}"
    return found


def texts(tree: UiTree) -> list[str]:
    return [node.text for node in tree.nodes if node.text]


def bounds(tree: UiTree, short_id: str) -> list[int]:
    return [
        int(edge) for edge in re.findall(r"-?\d+", node_of(tree, short_id).attributes["bounds"])
    ]


def test_attributes_come_in_uiautomators_order(open_page: OpenPage) -> None:
    xml = xml_of(open_page("<button id=go>Go</button><input id=name placeholder=Name>"))
    tree = UiTree(xml, SIZE)
    assert list(node_of(tree, "go").attributes) == ORDER
    assert list(node_of(tree, "name").attributes) == [*ORDER, "hint"]
    assert xml.startswith("<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy")


ROW = "<div id={id} role=button onclick=1 style='padding: 20px; height: 20px'>{text}</div>"


def test_what_is_cut_off_so_far_that_it_says_nothing_is_left_out(open_page: OpenPage) -> None:
    rows = "".join(ROW.format(id=name, text=name.title()) for name in ("first", "last"))
    for height, there in ((70, False), (90, True)):
        tree = tree_of(open_page(f"<div style='height: {height}px; overflow: auto'>{rows}</div>"))
        assert node_of(tree, "first").text == "First"
        assert (tree.find(short_id="last") is not None) == there


def test_what_never_said_anything_stays(open_page: OpenPage) -> None:
    tree = tree_of(open_page(ROW.format(id="bare", text="")))
    assert bounds(tree, "bare") == [0, 0, 400, 60]


def test_a_field_that_is_cut_off_stays(open_page: OpenPage) -> None:
    page = "<div style='height: 20px; overflow: auto'><textarea id=field></textarea></div>"
    assert node_of(tree_of(open_page(page)), "field").is_("clickable")


def test_the_label_around_a_field_is_not_a_second_thing_to_tap(open_page: OpenPage) -> None:
    tree = tree_of(
        open_page(
            "<label id=around>Name <input id=name></label>"
            "<label id=choice><input id=box type=checkbox> Agree</label>"
        )
    )
    assert not node_of(tree, "around").is_("clickable")
    assert node_of(tree, "name").is_("clickable")
    assert node_of(tree, "choice").is_("clickable")


def test_what_lies_under_a_round_button_is_told_where_it_can_be_reached(
    open_page: OpenPage,
) -> None:
    tree = tree_of(
        open_page(
            "<button id=under style='position: absolute; left: 0; top: 0; width: 100px;"
            "height: 100px'>Call</button><button id=over style='position: absolute; left: 30px;"
            "top: 20px; width: 50px; height: 50px; background: red'>Add</button>"
        )
    )
    assert bounds(tree, "over") == [30, 20, 80, 70]
    assert bounds(tree, "under") == [0, 70, 100, 100]  # below it


@pytest.mark.parametrize(
    ("color", "hides"),
    [
        ("rgb(255 255 255)", True),
        ("rgb(255 255 255 / 95%)", True),
        ("rgba(255, 255, 255, 0)", False),
        ("color(srgb 1 1 1)", True),
        ("color(srgb 1 1 1 / 0.95)", True),
        ("color(srgb 1 1 1 / none)", False),
        ("color(display-p3 none 1 1 / 0)", False),
        ("oklch(none none none)", True),
        ("lab(50 0 0 / none)", False),
        ("color-mix(in oklab, white 1%, transparent)", False),
        ("light-dark(white, black)", True),
        ("white", True),
    ],
)
def test_a_cover_hides_as_its_color_says(open_page: OpenPage, color: str, hides: bool) -> None:
    tree = tree_of(
        open_page(
            f"<p>Under</p><div style='position: fixed; inset: 0; pointer-events: none;"
            f"background: {color}'></div>"
        )
    )
    assert ("Under" not in texts(tree)) == hides


@pytest.mark.parametrize(
    ("color", "alpha"),
    [
        ("color(srgb 1 1 1 / 50%)", 0.5),
        ("color(srgb 1 1 1 / .5)", 0.5),
        ("color(srgb 1 1 1 / 1e-3)", 0.001),
        ("rgba(1, 2, 3, none)", 0.0),
        ("color(srgb 1 1 1 / calc(0.1 * 2))", 1.0),
        ("color(srgb 1 1 1 / nan)", 1.0),
        ("device-cmyk(0 0 0 / )", 1.0),
        ("a/b", 1.0),
        ("", 1.0),
    ],
)
def test_a_color_that_is_not_understood_is_opaque(color: str, alpha: float) -> None:
    assert _alpha(color) == alpha


def test_the_screen_is_the_only_root(open_page: OpenPage) -> None:
    tree = tree_of(open_page("<p>One<p>Two"))
    (root,) = (node for node in tree.nodes if node.parent is None)
    assert root.class_name == "android.widget.FrameLayout"
    assert root.attributes["bounds"] == "[0,0][400,800]"
    assert [node.text for node in root.children] == ["One", "Two"]
    assert [node.attributes["index"] for node in root.children] == ["0", "1"]


@pytest.mark.parametrize(
    ("html", "kind"),
    [
        ("<button id=x>Go</button>", "android.widget.Button"),
        ("<button id=x aria-label=Add><svg></svg></button>", "android.widget.ImageButton"),
        ("<div id=x role=button>Go</div>", "android.widget.Button"),
        ("<input id=x>", "android.widget.EditText"),
        ("<textarea id=x></textarea>", "android.widget.EditText"),
        ("<div id=x contenteditable>a</div>", "android.widget.EditText"),
        ("<input id=x type=checkbox>", "android.widget.CheckBox"),
        ("<input id=x type=radio>", "android.widget.RadioButton"),
        ("<input id=x type=range>", "android.widget.SeekBar"),
        ("<button id=x role=switch></button>", "android.widget.Switch"),
        ("<button id=x role=checkbox></button>", "android.widget.CheckBox"),
        ("<div id=x role=radio>a</div>", "android.widget.RadioButton"),
        ("<div id=x role=slider aria-valuenow=3>a</div>", "android.widget.SeekBar"),
        ("<svg id=x width=10 height=10></svg>", "android.widget.ImageView"),
        ("<div id=x>Tea</div>", "android.widget.TextView"),
        ("<div id=x style='height: 9px'></div>", "android.view.View"),
        ("<div id=x><p>a<p>b</div>", "android.view.ViewGroup"),
        ("<select id=x><option>a</select>", "android.widget.Spinner"),
    ],
)
def test_an_element_has_androids_class(open_page: OpenPage, html: str, kind: str) -> None:
    assert node_of(tree_of(open_page(html)), "x").class_name == kind


@pytest.mark.parametrize(
    ("html", "desktop", "phone"),
    [
        ("<button id=x role=tab>All</button>", "tab", "button"),
        ("<div id=x role=menuitem>Copy</div>", "menu item", "text"),
        ("<div id=x role=menuitemcheckbox>Ruler</div>", "checkbox", "checkbox"),
        ("<div id=x role=menu><div role=menuitem>Copy</div></div>", "menu", "other"),
        ("<div id=x role=gridcell tabindex=0>4.2</div>", "cell", "text"),
        ("<table><tr><td id=x role=cell onclick=1>4.2</table>", "cell", "text"),
        ("<div id=x role=treeitem tabindex=0>Inbox</div>", "tree item", "text"),
    ],
)
def test_roles_of_a_page_are_a_desktops_on_a_computer_and_a_phones_stay(
    open_page: OpenPage, html: str, desktop: str, phone: str
) -> None:
    page = open_page(html)
    assert node_of(UiTree(xml_of(page, computer=True), SIZE), "x").role == desktop
    assert node_of(tree_of(page), "x").role == phone


def test_an_empty_cell_is_left_out(open_page: OpenPage) -> None:
    html = "<div role=gridcell style='height: 9px'></div><p>Sum</p>"
    page = open_page(html)
    tree = UiTree(xml_of(page, computer=True), SIZE)
    assert [node.text for node in tree.nodes[1:]] == ["Sum"]


def test_ids_carry_the_package_and_the_phones_own_ids_win(open_page: OpenPage) -> None:
    tree = tree_of(open_page("<button id=a>1</button><button id=b data-id=c>2</button>"))
    ids = [node.resource_id for node in tree.nodes if node.resource_id]
    assert ids == ["org.test:id/a", "org.test:id/c"]


def test_the_words_of_a_button_are_its_text_and_inline_words_stay_in_order(
    open_page: OpenPage,
) -> None:
    page = open_page("<button id=b><span>Save</span></button><p id=p>One <b>two</b> <i>three</i>.")
    tree = tree_of(page)
    assert node_of(tree, "b").text == "Save"
    assert node_of(tree, "p").text == "One two three."
    assert not node_of(tree, "p").children


def test_a_row_has_its_words_in_its_children(open_page: OpenPage) -> None:
    tree = tree_of(open_page("<div id=r role=button><div>Milk</div><div>2 l</div></div>"))
    row = node_of(tree, "r")
    assert (row.text, row.is_("clickable")) == ("", True)
    assert row.class_name == "android.view.ViewGroup"
    assert [child.text for child in row.children] == ["Milk", "2 l"]


def test_what_is_hidden_leaks_no_text_into_what_holds_it(open_page: OpenPage) -> None:
    tree = tree_of(
        open_page(
            "<div id=outer>shown"
            "<span style='visibility: hidden'>one</span>"
            "<span style='display: none'>two</span>"
            "<span style='opacity: 0'>three</span>"
            "<span aria-hidden=true>four</span>"
            "<div style='position: absolute; left: -500px'>five</div>"
            "<div style='width: 0; height: 0; overflow: hidden'>six</div>"
            "</div>"
        )
    )
    assert texts(tree) == ["shown"]


def test_what_is_shown_within_the_hidden_is_told(open_page: OpenPage) -> None:
    tree = tree_of(
        open_page("<div style='visibility: hidden'>no<p style='visibility: visible'>yes</p></div>")
    )
    assert texts(tree) == ["yes"]


def test_rows_scrolled_out_of_a_list_are_left_out_and_the_last_one_is_cut(
    open_page: OpenPage,
) -> None:
    tab = open_page(
        "<div id=list role=list style='height: 250px; overflow-y: auto'>"
        + "".join(f"<div id=row{n} style='height: 100px'>Row {n}</div>" for n in range(20))
        + "</div>"
    )
    tree = tree_of(tab)
    assert texts(tree) == ["Row 0", "Row 1", "Row 2"]
    assert bounds(tree, "row2") == [0, 200, 400, 250]
    assert node_of(tree, "list").class_name == "android.widget.ListView"
    assert node_of(tree, "list").is_("scrollable")
    tab.evaluate("void (list.scrollTop = 350)")
    tree = tree_of(tab)
    assert texts(tree) == ["Row 4", "Row 5"]  # of row 3 the lower half is there, its text is not
    assert bounds(tree, "row3") == [0, 0, 400, 50]
    assert bounds(tree, "row4") == [0, 50, 400, 150]


def test_a_scroller_whose_rows_are_a_list_is_one(open_page: OpenPage) -> None:
    page = open_page(
        "<div id=list style='height: 90px; overflow-y: auto'><p>Head</p>"
        "<div role=list><p style='height: 500px'>Row</p></div></div>"
    )
    assert node_of(tree_of(page), "list").class_name == "android.widget.ListView"


def test_a_list_that_shows_everything_cannot_be_scrolled(open_page: OpenPage) -> None:
    tab = open_page("<div id=list style='height: 250px; overflow: auto'><p>Only</div>")
    assert not node_of(tree_of(tab), "list").is_("scrollable")


def test_boxes_follow_the_scrolled_page(open_page: OpenPage) -> None:
    tab = open_page("<div style='height: 3000px'></div><button id=end>End</button>")
    tab.evaluate("scrollTo(0, 9999)")
    box = tab.evaluate(
        "(({ left, top, right, bottom }) => [left, top, right, bottom].map(Math.round))"
        "(end.getBoundingClientRect())"
    )
    assert bounds(tree_of(tab), "end") == box


BARS = (
    "<style>.bar { position: fixed; left: 0; right: 0; height: 100px; background: white }</style>"
    "<header class=bar style='top: 0'>Title</header><main style='padding-top: 100px'>"
    + "".join(
        f"<button id=b{n} style='display: block; height: 100px'>{n}</button>" for n in range(20)
    )
    + "</main><footer class=bar style='bottom: 0'><button id=home>Home</button></footer>"
)  # fmt: skip


def test_what_lies_under_a_fixed_bar_is_left_out_or_cut(open_page: OpenPage) -> None:
    tab = open_page(BARS)
    tab.evaluate("scrollTo(0, 150)")
    tree = tree_of(tab)
    assert tree.find(short_id="b0") is None
    assert bounds(tree, "b1")[1:4:2] == [100, 150]
    assert bounds(tree, "b7")[1:4:2] == [650, 700]
    assert tree.find(short_id="b8") is None
    assert node_of(tree, "home").is_("clickable")


def test_every_clickable_box_is_reached_at_its_middle(open_page: OpenPage) -> None:
    tab = open_page(BARS)
    tab.evaluate("scrollTo(0, 333)")
    for node in tree_of(tab).nodes:
        if node.is_("clickable"):
            assert node.box is not None
            x, y = node.box.center.x * 400, node.box.center.y * 800
            assert tab.evaluate(f"document.elementFromPoint({x}, {y}).id") == node.short_id


def test_what_lies_under_a_sticky_header_is_left_out(open_page: OpenPage) -> None:
    tab = open_page(
        "<div style='height: 300px; overflow: auto' id=list>"
        "<div style='position: sticky; top: 0; height: 60px; background: #eee'>Head</div>"
        + "".join(f"<p style='height: 50px; margin: 0'>{n}</p>" for n in range(20))
    )
    tab.evaluate("void (list.scrollTop = 100)")
    assert texts(tree_of(tab)) == ["Head", "2", "3", "4", "5", "6"]


def test_what_lies_under_a_dialogs_scrim_is_left_out(open_page: OpenPage) -> None:
    tab = open_page(
        "<button id=under>Under</button>"
        "<div style='position: fixed; inset: 0; background: rgba(0, 0, 0, 0.4)'>"
        "<div role=dialog style='margin: 100px; background: white'>Sure?"
        "<button id=yes>Yes</button></div></div>"
    )
    tree = tree_of(tab)
    assert tree.find(short_id="under") is None
    assert texts(tree) == ["Sure?", "Yes"]


def test_what_lies_under_a_native_modal_dialog_is_left_out(open_page: OpenPage) -> None:
    tab = open_page("<p>Under<dialog id=box><button>Yes</button></dialog>")
    tab.evaluate("box.showModal()")
    assert texts(tree_of(tab)) == ["Yes"]


def test_a_badge_hides_nothing_and_a_hint_that_passes_touches_on_hides_nothing(
    open_page: OpenPage,
) -> None:
    tab = open_page(
        "<button id=b style='width: 200px; height: 100px'>Mail</button>"
        "<i style='position: absolute; left: 180px; top: 0; background: red'>3</i>"
        "<div style='position: fixed; inset: 0; background: #0001; pointer-events: none'></div>"
    )
    assert bounds(tree_of(tab), "b") == [0, 0, 200, 100]


def test_a_checkbox_says_whether_it_is_checked_and_not_on(open_page: OpenPage) -> None:
    tree = tree_of(
        open_page(
            "<input type=checkbox id=a checked><input type=checkbox id=b>"
            "<button role=switch id=c aria-checked=true aria-label=Wi-Fi></button>"
        )
    )
    found = [node_of(tree, name) for name in "abc"]
    assert [node.text for node in found] == ["", "", ""]
    assert [node.is_("checkable") for node in found] == [True] * 3
    assert [node.is_("checked") for node in found] == [True, False, True]


def test_a_checkbox_that_was_tapped_is_checked(open_page: OpenPage) -> None:
    tab = open_page("<input type=checkbox id=a>")
    tab.evaluate("a.click()")
    assert node_of(tree_of(tab), "a").is_("checked")


def test_fields_tell_value_hint_focus_and_no_password(open_page: OpenPage) -> None:
    tab = open_page(
        "<input id=a placeholder=Name><input id=b type=password value=tea>"
        "<textarea id=c></textarea><select id=d><option>one<option selected>two</select>"
    )
    tab.evaluate("a.focus()")
    tab.insert_text("李雷 & <Co>")
    tab.evaluate("c.value = 'one\\ntwo'")
    tree = tree_of(tab)
    assert (node_of(tree, "a").text, node_of(tree, "a").hint) == ("李雷 & <Co>", "Name")
    assert [node.short_id for node in tree.nodes if node.is_("focused")] == ["a"]
    assert (node_of(tree, "b").text, node_of(tree, "b").is_("password")) == ("•••", True)
    assert node_of(tree, "c").text == "one\ntwo"
    assert node_of(tree, "d").text == "two"


def test_listeners_cursors_and_roles_make_clickable(open_page: OpenPage) -> None:
    tree = tree_of(
        open_page(
            "<div id=a>1</div><div id=b style='cursor: pointer'><p id=inner>2</div>"
            "<div id=c role=menuitem>3</div><a id=d href='#'>4</a><div id=e>5</div>"
            "<script>a.onclick = () => 0; document.body.onclick = () => 0</script>"
        )
    )
    clickable = [node.short_id for node in tree.nodes if node.is_("clickable")]
    assert clickable == ["a", "b", "c", "d"]


def test_names_states_and_selection(open_page: OpenPage) -> None:
    tree = tree_of(
        open_page(
            "<img id=a alt='A cup' width=10 height=10><button id=b title=Close></button>"
            "<button id=c disabled>Send</button><div id=d role=tab aria-selected=true>All</div>"
            "<div id=e data-long-press role=button>Hold</div>"
        )
    )
    assert node_of(tree, "a").description == "A cup"
    assert node_of(tree, "b").description == "Close"
    assert not node_of(tree, "c").is_("enabled")
    assert node_of(tree, "d").is_("selected")
    assert node_of(tree, "e").is_("long-clickable")


def test_an_inline_frame_is_told_in_its_place(open_page: OpenPage) -> None:
    tab = open_page(
        "<iframe id=f style='position: absolute; left: 50px; top: 100px; width: 200px;"
        "height: 100px; border: 5px solid' srcdoc=\"<body style='margin: 0'>"
        "<button id=in style='display: block; width: 90px; height: 60px'>In</button>"
        "<p style='margin: 0; height: 300px' id=cut>Cut</p>\"></iframe>"
    )
    tree = tree_of(tab)
    assert bounds(tree, "in") == [55, 105, 145, 165]
    assert bounds(tree, "cut") == [55, 165, 255, 205]
    parent = node_of(tree, "in").parent
    assert parent is not None
    assert parent.class_name == "android.webkit.WebView"


def test_an_inline_frame_under_a_dialog_is_left_out(open_page: OpenPage) -> None:
    tab = open_page(
        "<iframe srcdoc='<button>In</button>'></iframe>"
        "<div style='position: fixed; inset: 0; background: white'>Over</div>"
    )
    assert texts(tree_of(tab)) == ["Over"]


def test_absolute_children_leave_a_list_that_does_not_hold_them(open_page: OpenPage) -> None:
    tab = open_page(
        "<div style='overflow: hidden; height: 50px'>"
        "<div style='position: absolute; top: 300px'>Free</div>"
        "<div style='position: relative'><div style='position: absolute; top: 300px'>Bound</div>"
    )
    assert texts(tree_of(tab)) == ["Free"]


def test_characters_that_xml_cannot_carry_are_dropped(open_page: OpenPage) -> None:
    tab = open_page("<p id=p>")
    tab.evaluate("p.textContent = 'a\\u0001b\\ud800c \\u{1F9CB}\"\\'<&>'")
    text = node_of(tree_of(tab), "p").text
    assert text.replace("\ufffd", "") == "abc \U0001f9cb\"'<&>"


def test_bounds_count_device_pixels_and_stay_on_the_screen(open_page: OpenPage) -> None:
    tab = open_page("<div id=a style='width: 500px; height: 10.5px'></div>", density=2.0)
    xml = to_xml(take_snapshot(tab), package="", size=Size(800, 1600), scale=2.0)
    tree = UiTree(xml, Size(800, 1600))
    assert bounds(tree, "a") == [0, 0, 800, 21]
    assert node_of(tree, "a").resource_id == "a"


def test_a_page_nested_deeper_than_calls_can_be_is_told(open_page: OpenPage) -> None:
    tab = open_page("")
    tab.evaluate(
        "(() => { let place = document.body; for (let depth = 0; depth < 400; depth++) {"
        "const next = document.createElement('div'); next.id = 'd' + depth;"
        "place.append(next); place = next } place.textContent = 'deep' })()"
    )
    tree = tree_of(tab)
    assert node_of(tree, "d399").depth == 400


def test_an_empty_page_is_a_screen_with_nothing_on_it(open_page: OpenPage) -> None:
    assert len(tree_of(open_page("")).nodes) == 1


LABEL = "<style>label { display: block; width: 300px; padding: 20px }</style>"


@pytest.mark.parametrize(
    "field",
    [
        "<input id=x>",
        "<textarea id=x></textarea>",
        "<input id=x type=checkbox>",
        "<input id=x type=radio>",
    ],
)
def test_a_field_reacts_on_the_whole_label_around_it(open_page: OpenPage, field: str) -> None:
    tab = open_page(f"{LABEL}<label>Name {field}</label>")
    tree = tree_of(tab)
    left, top, right, bottom = bounds(tree, "x")
    assert (left, top, right) == (0, 0, 340)
    assert [node.short_id for node in tree.nodes if node.is_("clickable")] == ["x"]
    assert "Name" in texts(tree)
    clicks = 0
    tab.evaluate("void (clicks = 0, x.onclick = () => clicks++)")
    for at_x in (left + 1, right - 1):
        for at_y in (top + 1, bottom - 1):
            tab.click(at_x, at_y)
            clicks += 1
            assert tab.evaluate("clicks") == clicks


def test_of_a_field_only_the_part_of_the_label_that_is_seen_is_told(open_page: OpenPage) -> None:
    tab = open_page(
        f"{LABEL}<div id=list style='height: 100px; overflow: auto'>"
        "<label style='height: 300px; box-sizing: border-box'><input id=x></label></div>"
        "<div style='position: fixed; left: 0; right: 0; top: 0; height: 10px; background: #eee'>"
    )
    assert bounds(tree_of(tab), "x") == [0, 10, 300, 100]


@pytest.mark.parametrize(
    "html",
    [
        "<label><input id=x><button id=y>Clear</button></label>",
        "<label><input id=x><a id=y href='#'>terms</a></label>",
        "<label><input id=x><input id=y></label>",
        "<label for=y><input id=x></label><p><input id=y>",
        "<label style='display: inline'>Name <input id=x></label>",
        "<label><input id=x type=range></label>",
        "<label><input id=x style='position: fixed; left: 350px'></label>",
    ],
)
def test_a_label_that_is_more_or_other_than_its_field_leaves_it_alone(
    open_page: OpenPage, html: str
) -> None:
    tab = open_page(LABEL + html)
    box = tab.evaluate(
        "(({ left, top, right, bottom }) => [left, top, right, bottom].map(Math.round))"
        "(x.getBoundingClientRect())"
    )
    tree = tree_of(tab)
    assert isinstance(box, list)
    assert bounds(tree, "x")[:2] == box[:2]


def test_what_touches_go_through_is_not_clickable(open_page: OpenPage) -> None:
    tab = open_page(
        "<div id=row role=button>Wi-Fi"
        "<span id=mark role=switch aria-checked=true style='pointer-events: none'>on</span></div>"
    )
    tree = tree_of(tab)
    assert node_of(tree, "row").is_("clickable")
    mark = node_of(tree, "mark")
    assert (mark.is_("clickable"), mark.is_("checkable"), mark.is_("checked")) == (
        False,
        True,
        True,
    )


def test_an_id_of_a_page_is_without_the_port_that_it_is_served_on(open_page: OpenPage) -> None:
    tab = open_page("<button id=msg>Hello</button>")
    snapshot = take_snapshot(tab)
    for port in (":8123", ":40001", ""):
        xml = to_xml(snapshot, package=f"127.0.0.1{port}", size=SIZE, scale=1.0)
        assert node_of(UiTree(xml, SIZE), "msg").resource_id == "127.0.0.1:id/msg"
