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

import numpy as np
import numpy.typing as npt

from tapwright.devices.desktop import questions
from tapwright.devices.desktop.accessibility_bus import BusCallError, call
from tapwright.devices.desktop.roles import LEAVES, TEXTS, Role, State
from tapwright.devices.limits import MAX_DESKTOP_NODES

__all__ = ["Accessible", "Sheets", "TreeReader", "read_tree"]

_MANY_CHILDREN = 1000
_MAX_TEXT = 20_000
_MAX_CELLS = 10_000
_SCREEN = 0
_INSIDE_PX = 4
_NOWHERE = -(2**31)
_KEPT_S = 30.0  # what is written in the colour of the paper would else never be seen
_BELOW_PX = 48  # LibreOffice says where cells lie without the height of its menu bar

_COMPONENT = "org.a11y.atspi.Component"
_TABLE = "org.a11y.atspi.Table"
_TEXT = "org.a11y.atspi.Text"
_REGISTRY = "org.a11y.atspi.Registry"
_NOTHING = "/org/a11y/atspi/null"

Extents: TypeAlias = tuple[int, int, int, int]
Place: TypeAlias = tuple[int, int]
"""The row and the column of a cell."""
Picture: TypeAlias = npt.NDArray[np.uint8]


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


@dataclass(frozen=True, slots=True)
class Kept:
    """The empty cells of a table that are neither selected nor focused, until a time.

    `corners` are the first and the last of all its cells on the screen.
    """

    corners: Sequence[Place]
    cells: Mapping[Place, Accessible]
    until_s: float


@dataclass(frozen=True, slots=True)
class Sheets:
    """The tables of a look whose picture stayed the same while they were read, and that picture."""

    picture: Picture | None = None
    tables: Mapping[questions.Reference, Kept] = field(default_factory=dict)


async def read_tree(
    peers: questions.Peers, sheets: Sheets, picture: Picture, *, popups: bool, limit_s: float
) -> "TreeReader":
    """Read everything on a bus, as `TreeReader` says it; raises EOFError when the bus has ended.

    Once more, where cells of an earlier look are not what they were.
    """
    while True:
        reader = TreeReader(peers, sheets, picture, popups=popups)
        await reader.read(limit_s)
        if not reader.outdated:
            return reader
        sheets = Sheets()


class TreeReader:
    """One look at everything on a bus; `applications` has a root for each, filled by `read`.

    Of `sheets`, those of an earlier look, cells are taken over that look the same in `picture`.
    `popups` is whether any menu can be open: closed ones keep hundreds of items. `truncated` says
    that something did not answer in time, or that there is too much of it; `armed`, that a button
    is pressed. One of GTK that a key or its program presses acts a quarter of a second later.
    """

    def __init__(
        self, peers: questions.Peers, sheets: Sheets, picture: Picture, *, popups: bool
    ) -> None:
        self._peers = peers
        self._earlier = sheets
        self._picture = picture
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

    @property
    def outdated(self) -> bool:
        """Whether cells of the earlier look would say other things if they were asked."""
        return not self.truncated and any(cells.outdated for cells in self._sheets)

    def sheets(self) -> Sheets:
        """What the next look may take over, if this one is whole and its picture has stayed."""
        tables = {cells.table.reference: cells.kept() for cells in self._sheets}
        return Sheets(self._picture, tables)

    def _unchanged(self, kept: Kept) -> dict[Place, Accessible]:
        """The cells of which no pixel is another one now."""
        if self._earlier.picture is None:
            return {}
        differs = (self._picture.view(np.uint32) != self._earlier.picture.view(np.uint32))[:, :, 0]
        unchanged = {}
        for place, cell in kept.cells.items():
            x, y, width, height = cell.extents
            if not differs[max(y, 0) : y + height + _BELOW_PX, max(x, 0) : x + width].any():
                unchanged[place] = cell
        return unchanged

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
            cells = _VisibleCells(self, node, self._earlier.tables.get(node.reference))
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

    A spreadsheet has a thousand million cells, and its list of children never comes. Those that
    were empty and look as they did are taken over without a question, but for one in each row and
    column: where that says something else than before, none is what it was. LibreOffice takes the
    focus from all cells while a formula is typed, and where a sheet is protected none is edited
    (sc/source/ui/Accessibility/AccessibleCell.cxx, getAccessibleStateSet).
    """

    def __init__(self, reader: TreeReader, table: Accessible, earlier: Kept | None) -> None:
        self.table = table
        self._reader = reader
        self._earlier = earlier
        self._until_s = time.monotonic() + _KEPT_S
        self._corners: list[Place] = []
        self._cells: dict[Place, Accessible] = {}
        self._known: dict[Place, Accessible] = {}

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

    def _on_place(self, place: Place) -> None:
        self._corners.append(place)
        if len(self._corners) < 2:
            return
        self._corners.sort()
        (top, left), (bottom, right) = self._corners
        rows, columns = bottom - top + 1, right - left + 1
        if rows * columns > _MAX_CELLS:
            self._reader.truncated = True
            return
        earlier = self._earlier
        if earlier and earlier.corners == self._corners and time.monotonic() < earlier.until_s:
            self._known, self._until_s = self._reader._unchanged(earlier), earlier.until_s
        asked = {(top + n % rows, left + n % columns) for n in range(max(rows, columns))}
        for row in range(top, bottom + 1):
            for column in range(left, right + 1):
                if not self._reader._is_full():
                    self._add((row, column), ask=(row, column) in asked)

    def _add(self, place: Place, *, ask: bool) -> None:
        cell = None if ask else self._known.get(place)
        if cell is None:
            cell = Accessible(("", _NOTHING), Role.TABLE_CELL)
            self._reader._ask(
                self.table.reference, _TABLE, "GetAccessibleAt", partial(self._on_cell, cell),
                "ii", list(place),
            )  # fmt: skip
        self.table.children.append(cell)
        self._cells[place] = cell

    def _on_cell(self, cell: Accessible, reference: questions.Reference) -> None:
        """Ask for no more than a cell of a sheet can say, as there are many."""
        if reference[1] == _NOTHING:
            return
        ask = self._reader._ask
        cell.reference = reference = (reference[0], reference[1])
        ask(reference, questions.ACCESSIBLE, "GetState", partial(_set_states, cell))
        ask(reference, _COMPONENT, "GetExtents", partial(_set_extents, cell), "u", [_SCREEN])
        ask(reference, _TEXT, "GetText", partial(_set_text, cell), "ii", [0, -1])
        self._reader._get(cell, questions.ACCESSIBLE, "Name", partial(_set_name, cell))

    @property
    def outdated(self) -> bool:
        """Whether one that was asked though it looks as before is not what it was."""
        return any(
            _words(self._cells[place]) != _words(cell) for place, cell in self._known.items()
        )

    def kept(self) -> Kept:
        """What the next look may take over.

        A cell gets the focus without another pixel when the sheet does. So where no cell has it,
        only those that had none before are known to have no cursor.
        """
        in_sheet = any(cell.has(State.FOCUSED) for cell in self._cells.values())
        cells = {
            place: cell
            for place, cell in self._cells.items()
            if _is_plain(cell) and (in_sheet or place in self._known)
        }
        return Kept(self._corners, cells, self._until_s)


def _words(cell: Accessible) -> tuple[object, ...]:
    return cell.states, cell.name, cell.text, cell.extents


def _is_plain(cell: Accessible) -> bool:
    has = cell.has
    marked = has(State.FOCUSED) or has(State.SELECTED) or not has(State.FOCUSABLE)
    return bool(cell.name) and not cell.text and not marked


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
