"""Reads what applications say of themselves over the accessibility bus, many questions at once.

Asked is only what a tree needs, and of what is shown: https://gitlab.gnome.org/GNOME/at-spi2-core
at 2.46, xml/Accessible.xml, xml/Component.xml, xml/Table.xml, xml/Text.xml. `Cache.GetItems`
misses elements, and `Properties.GetAll` of Accessible ends applications that use Qt 5.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias

from tapwright.devices.desktop import questions
from tapwright.devices.desktop.accessibility_bus import BusCallError, call
from tapwright.devices.desktop.questions import Lent
from tapwright.devices.desktop.roles import LEAVES, TEXTS, Role, State
from tapwright.devices.limits import MAX_DESKTOP_NODES

__all__ = ["Accessible", "TreeReader", "read_tree"]

_MANY_CHILDREN = 1000
_MAX_TEXT = 20_000
_MAX_CELLS = 10_000
_SCREEN = 0
_INSIDE_PX = 4
_NOWHERE = -(2**31)
# What an application returned it keeps for 15 s (atk-adaptor/accessible-leasing.c), and a look of
# 3 s asks about it.
_LENT_S = 11.0

_COMPONENT = "org.a11y.atspi.Component"
_TABLE = "org.a11y.atspi.Table"
_TEXT = "org.a11y.atspi.Text"
_REGISTRY = "org.a11y.atspi.Registry"
_NOTHING = "/org/a11y/atspi/null"

Extents: TypeAlias = tuple[int, int, int, int]
Place: TypeAlias = tuple[int, int]
"""The row and the column of a cell."""


@dataclass(slots=True, eq=False)
class Accessible:
    """One element: `extents` are x, y, width and height on the screen, `states` its bits."""

    reference: questions.Reference
    role: int = 0
    states: int = 0
    name: str = ""
    description: str = ""
    text: str = ""
    extents: Extents = (0, 0, 0, 0)
    children: list["Accessible"] = field(default_factory=list)

    def has(self, state: State) -> bool:
        """Whether a bit is set."""
        return bool(self.states >> state & 1)


async def read_tree(peers: questions.Peers, *, popups: bool, limit_s: float) -> "TreeReader":
    """Read everything on a bus, as `TreeReader` says it; raises EOFError when the bus has ended.

    Once more, where cells of an earlier look are not what they were.
    """
    while True:
        reader = TreeReader(peers, popups=popups)
        await reader.read(limit_s)
        if not reader.outdated:
            return reader
        peers.lent.clear()


class TreeReader:
    """One look at everything on a bus; `applications` has a root for each, filled by `read`.

    `popups` is whether any menu can be open: closed ones keep hundreds of items. `truncated` says
    that something did not answer in time, or that there is too much of it; `armed`, that a button
    is pressed. One of GTK that a key or its program presses acts a quarter of a second later.
    """

    def __init__(self, peers: questions.Peers, *, popups: bool) -> None:
        self._peers = peers
        self._popups = popups
        self._questions = questions.Questions(peers)
        self._count = 0
        self._sheets: list[_VisibleCells] = []
        self.applications: list[Accessible] = []
        self.truncated = False
        self.armed = False

    async def read(self, limit_s: float) -> None:
        """Ask until all is told, or the time is up.

        Raises:
            EOFError: the bus has ended.
        """
        bus = self._peers.bus
        try:
            found = await call(bus, _REGISTRY, questions.ROOT, questions.ACCESSIBLE, "GetChildren")
        except BusCallError:
            found = []
        await self._peers.meet([reference[0] for reference in found])
        for reference in found:
            application = Accessible((reference[0], reference[1]))
            self.applications.append(application)
            self._get(application, questions.ACCESSIBLE, "Name", partial(_set_name, application))
            self._ask(
                application.reference, questions.ACCESSIBLE, "GetChildren", self._adder(application)
            )
        answered = await self._questions.answered(limit_s)
        if not bus.connected:
            raise EOFError("it has ended")
        self.truncated |= not answered
        # Of a cell that did not tell its text in time nobody knows whether it is empty.
        sheets = [] if self.truncated else self._sheets
        self._peers.lent = {cells.table.reference: cells.lent() for cells in sheets}

    @property
    def outdated(self) -> bool:
        """Whether a cell of an earlier look is gone, or would say other things if asked for anew.

        LibreOffice makes cells without a text while a formula is typed, and takes their focus.
        """
        return not self.truncated and any(cells.outdated for cells in self._sheets)

    def _adder(self, parent: Accessible) -> questions.OnReply:
        def add(references: list[questions.Reference]) -> None:
            for reference in references:
                self._add(parent, reference)

        return add

    def _add(self, parent: Accessible, reference: questions.Reference) -> None:
        if reference[1] == _NOTHING:
            return
        if self._is_full():
            return
        node = Accessible((reference[0], reference[1]))
        parent.children.append(node)
        self._ask(
            node.reference, questions.ACCESSIBLE, "GetState",
            lambda words: self._on_state(parent, node, words),
        )  # fmt: skip

    def _is_full(self) -> bool:
        """Count one more; whether that is too many."""
        self._count += 1
        self.truncated |= self._count > MAX_DESKTOP_NODES
        return self._count > MAX_DESKTOP_NODES

    def _on_state(self, parent: Accessible, node: Accessible, words: list[int]) -> None:
        _set_states(node, words)
        if node.has(State.SHOWING):
            self._ask_role(node)
        elif self._popups and parent.role == Role.MENU and node.has(State.VISIBLE):
            # GTK 2 says of no item that it is shown, but has a place only for those that are.
            self._ask(
                node.reference, _COMPONENT, "GetExtents",
                lambda extents: self._on_item(node, extents), "u", [_SCREEN],
            )  # fmt: skip

    def _on_item(self, node: Accessible, extents: list[int]) -> None:
        if extents[0] > _NOWHERE:
            node.states |= 1 << State.SHOWING
            self._ask_role(node)

    def _ask_role(self, node: Accessible) -> None:
        self._ask(
            node.reference, questions.ACCESSIBLE, "GetRole", lambda role: self._on_role(node, role)
        )

    def _on_role(self, node: Accessible, role: int) -> None:
        node.role = role
        self.armed |= role == Role.PUSH_BUTTON and node.has(State.ARMED)
        self._get(node, questions.ACCESSIBLE, "Name", lambda name: self._on_name(node, name))
        self._ask(
            node.reference, _COMPONENT, "GetExtents",
            lambda extents: self._on_extents(node, extents), "u", [_SCREEN],
        )  # fmt: skip
        if role in TEXTS or (role != Role.PASSWORD_TEXT and node.has(State.EDITABLE)):
            self._read_text(node)
        if node.has(State.MANAGES_DESCENDANTS) or role == Role.MENU_BAR:
            return  # on its extents
        if role not in LEAVES and (self._popups or role != Role.MENU):
            self._ask(node.reference, questions.ACCESSIBLE, "GetChildren", self._adder(node))

    def _on_name(self, node: Accessible, name: str) -> None:
        node.name = name.strip()  # GTK sets blanks between an item and its shortcut
        if not name and node.has(State.FOCUSABLE):
            self._get(
                node, questions.ACCESSIBLE, "Description", lambda one: _set_description(node, one)
            )

    def _on_extents(self, node: Accessible, extents: list[int]) -> None:
        _set_extents(node, extents)
        if node.has(State.MANAGES_DESCENDANTS):
            self._get(
                node, questions.ACCESSIBLE, "ChildCount", lambda count: self._on_count(node, count)
            )
        elif node.role == Role.MENU_BAR and extents[3] > 0:  # LibreOffice has another, of height 0
            self._ask(node.reference, questions.ACCESSIBLE, "GetChildren", self._adder(node))

    def _on_count(self, node: Accessible, count: int) -> None:
        if 0 <= count <= _MANY_CHILDREN:
            self._ask(node.reference, questions.ACCESSIBLE, "GetChildren", self._adder(node))
        else:
            cells = _VisibleCells(self, node, self._peers.lent.get(node.reference, {}))
            self._sheets.append(cells)
            cells.read()

    def _read_text(self, node: Accessible) -> None:
        def on_count(count: int) -> None:
            if count:
                self._ask(
                    node.reference, _TEXT, "GetText", lambda text: _set_text(node, text), "ii",
                    [0, min(count, _MAX_TEXT)],
                )  # fmt: skip

        self._get(node, _TEXT, "CharacterCount", on_count)

    def _get(
        self, node: Accessible, interface: str, name: str, on_reply: questions.OnReply
    ) -> None:
        self._questions.get(node.reference, interface, name, on_reply)

    def _ask(
        self, reference: questions.Reference, interface: str, member: str,
        on_reply: questions.OnReply, signature: str = "", body: Sequence[int] = (),
    ) -> None:  # fmt: skip
        self._questions.ask(reference, interface, member, on_reply, signature, list(body))


class _VisibleCells:
    """The cells of a table that are on the screen, found from its corners.

    A spreadsheet has a thousand million cells, and its list of children never comes. LibreOffice
    makes an object of a cell whenever it is asked for, so that of the latest look are asked again.
    """

    def __init__(self, reader: TreeReader, table: Accessible, lent: Mapping[Place, Lent]) -> None:
        self.table = table
        self._reader = reader
        self._lent = lent
        self._begun = time.monotonic()
        self._corners: list[Place] = []
        self._cells: dict[Place, Accessible] = {}

    def read(self) -> None:
        """Ask for the cells; they become the table's children."""
        x, y, width, height = self.table.extents
        for corner in (
            (x + _INSIDE_PX, y + _INSIDE_PX),
            (x + width - _INSIDE_PX, y + height - _INSIDE_PX),
        ):
            self._reader._ask(
                self.table.reference, _COMPONENT, "GetAccessibleAtPoint", self._on_corner,
                "iiu", [*corner, _SCREEN],
            )  # fmt: skip

    def _on_corner(self, reference: questions.Reference) -> None:
        if reference[1] != _NOTHING:
            cell = (reference[0], reference[1])
            self._reader._ask(cell, questions.ACCESSIBLE, "GetIndexInParent", self._on_index)

    def _on_index(self, index: int) -> None:
        place: list[int] = []

        def on_part(part: int) -> None:
            place.append(part)
            if len(place) == 2:
                self._on_place((place[0], place[1]))

        for member in ("GetRowAtIndex", "GetColumnAtIndex"):
            self._reader._ask(self.table.reference, _TABLE, member, on_part, "i", [index])

    def _on_place(self, place: tuple[int, int]) -> None:
        self._corners.append(place)
        if len(self._corners) < 2:
            return
        (top, left), (bottom, right) = sorted(self._corners)
        if (bottom - top + 1) * (right - left + 1) > _MAX_CELLS:
            self._reader.truncated = True
            return
        for row in range(top, bottom + 1):
            for column in range(left, right + 1):
                if not self._reader._is_full():
                    self._add(row, column)

    def _add(self, row: int, column: int) -> None:
        cell = Accessible(("", _NOTHING), Role.TABLE_CELL)
        self.table.children.append(cell)
        self._cells[row, column] = cell
        if (lent := self._reused((row, column))) is not None:
            cell.name = lent.name
            self._ask_about(cell, lent.reference)
            return
        self._reader._ask(
            self.table.reference, _TABLE, "GetAccessibleAt",
            lambda reference: self._on_cell(cell, reference), "ii", [row, column],
        )  # fmt: skip

    def _on_cell(self, cell: Accessible, reference: questions.Reference) -> None:
        if reference[1] == _NOTHING:
            return
        self._ask_about(cell, (reference[0], reference[1]))
        self._reader._get(cell, questions.ACCESSIBLE, "Name", lambda name: _set_name(cell, name))

    def _ask_about(self, cell: Accessible, reference: questions.Reference) -> None:
        """Ask for no more than a cell of a sheet can say, as there are many."""
        cell.reference = reference
        ask = self._reader._ask
        ask(reference, questions.ACCESSIBLE, "GetState", lambda words: _set_states(cell, words))
        ask(
            reference, _COMPONENT, "GetExtents",
            lambda extents: _set_extents(cell, extents), "u", [_SCREEN],
        )  # fmt: skip
        ask(reference, _TEXT, "GetText", lambda text: _set_text(cell, text), "ii", [0, -1])

    def _reused(self, place: Place) -> Lent | None:
        lent = self._lent.get(place)
        return lent if lent is not None and lent.until_s > self._begun else None

    @property
    def outdated(self) -> bool:
        """Whether one of an earlier look does not take the focus any more, or says nothing."""
        return any(
            not cell.has(State.FOCUSABLE)
            for place, cell in self._cells.items()
            if self._reused(place) is not None
        )

    def lent(self) -> dict[Place, Lent]:
        """Those that the next look may ask: the empty ones, which are most.

        One that had a text still says it when its cell was emptied (ScCellTextData's
        GetTextForwarder, sc/source/ui/unoobj/textuno.cxx).
        """
        until_s = self._begun + _LENT_S
        return {
            place: self._reused(place) or Lent(cell.reference, cell.name, until_s)
            for place, cell in self._cells.items()
            if cell.has(State.FOCUSABLE) and cell.name and not cell.text
        }


def _set_states(node: Accessible, words: list[int]) -> None:
    node.states = words[0] | (words[1] << 32 if len(words) > 1 else 0)


def _set_extents(node: Accessible, extents: list[int]) -> None:
    node.extents = (extents[0], extents[1], extents[2], extents[3])


def _set_name(node: Accessible, name: str) -> None:
    node.name = name


def _set_text(node: Accessible, text: str) -> None:
    node.text = text[:_MAX_TEXT].rstrip("\n")  # a terminal has its empty rows, too


def _set_description(node: Accessible, text: str) -> None:
    node.description = text
