"""Cells of a sheet that are taken over from an earlier look say what they say when asked."""

import re
from functools import partial

import pytest

from tapwright.core import actions
from tapwright.core.observation import Observation
from tapwright.devices.desktop.accessibility_reader import Sheets
from tapwright.devices.desktop.device import Desktop
from tests.devices.desktop.installed import need_office
from tests.devices.desktop.looking import tree, wait_for

NAME_BOX = actions.Hotkey(keys=("ctrl", "shift", "t"))


@pytest.mark.slow
def test_cells_of_an_earlier_look_say_what_asked_ones_do(desktop: Desktop) -> None:
    need_office()
    desktop.perform(actions.OpenApp(app="libreoffice-calc"))
    wait_for(desktop, partial(shows, ("A1", "")), "there is no sheet")
    for act, wanted in (
        (actions.TypeText(text="5\n7\n=A1*2\n"), ("A3", "10")),
        (actions.Hotkey(keys=("ctrl", "home")), ("A1", "5")),
        (NAME_BOX, ("A1", "5")),  # the focus leaves the sheet, and comes back elsewhere
        (actions.TypeText(text="B7\n"), ("A1", "5")),
        (NAME_BOX, ("A1", "5")),
        (actions.PressKey(key="escape"), ("A1", "5")),
        (actions.TypeText(text="="), None),  # none is told of while a formula is typed
        (actions.PressKey(key="escape"), ("A1", "5")),
        (actions.PressKey(key="page_down"), ("A50", "")),
        (actions.Hotkey(keys=("ctrl", "home")), ("A1", "5")),
        (actions.Hotkey(keys=("ctrl", "a")), ("A1", "5")),
        (actions.PressKey(key="delete"), ("A2", "")),
        (actions.Hotkey(keys=("ctrl", "z")), ("A2", "7")),
    ):
        desktop.perform(act)
        taken = wait_for(desktop, partial(shows, wanted), f"the sheet has not {wanted}")
        sheets, desktop.machine.session.sheets = desktop.machine.session.sheets, Sheets()
        asked = wait_for(desktop, partial(shows, wanted), f"the asked cells have not {wanted}")
        desktop.machine.session.sheets = sheets
        assert nodes(taken) == nodes(asked)


@pytest.mark.slow
def test_libreoffice_starts_once_in_a_new_home(desktop: Desktop) -> None:
    need_office()
    user = desktop.machine.session.home.path / ".config/libreoffice/4/user"
    note = user / "extensions/buildid"
    before = note.stat()
    desktop.perform(actions.OpenApp(app="libreoffice-calc"))
    assert (user / "autotext").is_dir()  # it has begun to use the folder
    assert note.stat().st_mtime_ns == before.st_mtime_ns


def shows(cell: tuple[str, str] | None, seen: Observation) -> bool:
    """Whether a whole look has the cell, or none at all."""
    return not seen.stale and (not cells(seen) if cell is None else cell in cells(seen))


def cells(seen: Observation) -> set[tuple[str, str]]:
    """The name and the text of each cell."""
    return {
        (node.description, node.text)
        for node in tree(seen).nodes
        if node.class_name == "atspi.TableCell"
    }


def nodes(seen: Observation) -> list[str]:
    """Each cell as the tree has it, with its place and states."""
    found = re.findall(r"<node [^>]*", tree(seen).xml)
    return [node for node in found if "atspi.TableCell" in node]
