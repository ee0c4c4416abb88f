"""What real applications have besides buttons and fields: menus, tabs, cells, trees."""

import pytest

from tapwright.core.actions import DoubleTap, Hotkey, OpenApp, Tap, TypeText
from tapwright.core.geometry import Point
from tapwright.core.observation import Observation, UiNode, UiRole
from tapwright.devices.desktop.device import Desktop
from tests.devices.desktop.looking import click, editor, find, tree, wait_for, words


def of_role(seen: Observation, role: UiRole) -> dict[str, UiNode]:
    return {node.label: node for node in tree(seen).nodes if node.role == role}


def wait_for_role(desktop: Desktop, role: UiRole, label: str) -> UiNode:
    seen = wait_for(desktop, lambda one: label in of_role(one, role), f"no {role} {label!r}")
    return of_role(seen, role)[label]


@pytest.mark.slow
def test_a_menu_and_its_items_have_their_roles_and_places(desktop: Desktop) -> None:
    desktop.perform(OpenApp(app="Mousepad"))
    wait_for_role(desktop, "menu", "File")
    click(desktop, "File", "Menu")
    item = wait_for_role(desktop, "menu item", "Close Window")
    assert item.box is not None
    desktop.perform(Tap(at=item.box.center))
    wait_for(desktop, lambda seen: seen.app == "desktop", "the window is still there")


@pytest.mark.parametrize("button", ["left", "right"])
@pytest.mark.slow_but_one
def test_the_items_of_gtk_2_are_there_too(desktop: Desktop, button: str) -> None:
    desktop.perform(OpenApp(app="pcmanfm"))
    if button == "left":
        click(desktop, "View", "Menu")
        item = wait_for_role(desktop, "menu item", "Show Status Bar")
        assert item.is_("checked")
    else:
        seen = wait_for(desktop, lambda one: "Documents" in words(one), "no folder is shown")
        tables = (node for node in tree(seen).nodes if node.class_name == "atspi.Table")
        view = max((node.box for node in tables if node.box is not None), key=lambda box: box.area)
        desktop.perform(Tap(at=Point(view.right - 0.01, view.bottom - 0.01), button="right"))
        item = wait_for_role(desktop, "menu item", "Select All")
    assert item.box is not None
    assert item.is_("clickable")


@pytest.mark.slow
def test_what_is_below_tabs_is_seen_beside_them(desktop: Desktop) -> None:
    desktop.perform(OpenApp(app="Mousepad"))
    editor(desktop)
    for text in ("first", "second"):
        desktop.perform(TypeText(text=text))
        desktop.perform(Hotkey(keys=("ctrl", "n")))
    seen = wait_for(desktop, lambda one: len(of_role(one, "tab")) == 3, "there are not three tabs")
    assert of_role(seen, "text field")
    tab = of_role(seen, "tab")["Untitled 1"]
    assert not tab.children
    assert tab.box is not None
    desktop.perform(Tap(at=tab.box.center))
    wait_for(desktop, lambda one: "first" in words(one), "the first text is not in front")


@pytest.mark.slow
def test_a_list_of_files_has_cells_that_open(desktop: Desktop) -> None:
    desktop.reset(state={"files.Documents/inner/a.txt": "1"})
    desktop.perform(OpenApp(app="pcmanfm"))
    desktop.perform(Hotkey(keys=("ctrl", "4")))
    cell = wait_for_role(desktop, "cell", "Documents")
    assert cell.box is not None
    desktop.perform(DoubleTap(at=cell.box.center))
    wait_for_role(desktop, "cell", "inner")


@pytest.mark.slow
def test_the_settings_of_an_office_are_a_tree(desktop: Desktop) -> None:
    if not any("Writer" in name for name in desktop.apps()):
        pytest.skip("LibreOffice Writer is not installed")
    desktop.perform(OpenApp(app="libreoffice-writer"))
    desktop.perform(Hotkey(keys=("alt", "f12")))
    item = wait_for_role(desktop, "tree item", "User Data")
    assert item.box is not None


@pytest.mark.slow
def test_what_shows_an_icon_has_its_name_as_a_description(desktop: Desktop) -> None:
    desktop.perform(OpenApp(app="pcmanfm"))
    icon = wait_for_role(desktop, "button", "Parent Folder")
    assert (icon.text, icon.description) == ("", "Parent Folder")
    desktop.perform(OpenApp(app="galculator"))
    assert find(desktop, "7").text == "7"
