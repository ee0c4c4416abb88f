"""Cells of a sheet that LibreOffice made for an earlier look say what new ones would say."""

from functools import partial

import pytest

from tapwright.core import actions
from tapwright.core.observation import Observation
from tapwright.devices.desktop.device import Desktop
from tests.devices.desktop.installed import need_office
from tests.devices.desktop.looking import tree, wait_for


@pytest.mark.slow
def test_cells_of_an_earlier_look_say_what_new_ones_do(desktop: Desktop) -> None:
    need_office()
    desktop.perform(actions.OpenApp(app="libreoffice-calc"))
    wait_for(desktop, partial(shows, ("A1", "")), "there is no sheet")
    peers = desktop.machine.session.peers
    for act, wanted in (
        (actions.TypeText(text="5\n7\n=A1*2\n"), ("A3", "10")),
        (actions.Hotkey(keys=("ctrl", "home")), ("A1", "5")),
        (actions.TypeText(text="="), None),  # none is told of while a formula is typed
        (actions.PressKey(key="escape"), ("A1", "5")),
        (actions.Hotkey(keys=("ctrl", "a")), ("A1", "5")),
        (actions.PressKey(key="delete"), ("A2", "")),
        (actions.Hotkey(keys=("ctrl", "z")), ("A2", "7")),
    ):
        desktop.perform(act)
        reused = wait_for(desktop, partial(shows, wanted), f"the sheet has not {wanted}")
        peers.lent.clear()
        fresh = wait_for(desktop, partial(shows, wanted), f"the new cells have not {wanted}")
        assert cells(fresh) == cells(reused)


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
