"""What AT-SPI calls its roles and states, and which roles a click is for.

The numbers are those of `AtspiRole` and `AtspiStateType`:
https://gitlab.gnome.org/GNOME/at-spi2-core at 2.46, atspi/atspi-constants.h.
"""

from enum import IntEnum
from functools import cache

__all__ = [
    "BUTTONS", "CHECKABLE", "CLICKABLE", "LEAVES", "MENUS", "NAMED", "ROLE_NAMES", "SCROLLABLE",
    "STATE_NAMES", "TEXTS", "TREES", "Role", "State", "class_name",
]  # fmt: skip


class Role(IntEnum):
    """Those that something is decided by."""

    ALERT = 2
    CHECK_BOX = 7
    CHECK_MENU_ITEM = 8
    COMBO_BOX = 11
    DESKTOP_ICON = 13
    DIALOG = 16
    FRAME = 23
    ICON = 26
    LABEL = 29
    LIST = 31
    LIST_ITEM = 32
    MENU = 33
    MENU_BAR = 34
    MENU_ITEM = 35
    PAGE_TAB = 37
    PASSWORD_TEXT = 40
    POPUP_MENU = 41
    PUSH_BUTTON = 43
    RADIO_BUTTON = 44
    RADIO_MENU_ITEM = 45
    ROOT_PANE = 46
    SCROLL_BAR = 48
    SCROLL_PANE = 49
    SEPARATOR = 50
    SLIDER = 51
    SPIN_BUTTON = 52
    TABLE = 55
    TABLE_CELL = 56
    TABLE_COLUMN_HEADER = 57
    TABLE_ROW_HEADER = 58
    TEAROFF_MENU_ITEM = 59
    TERMINAL = 60
    TEXT = 61
    TOGGLE_BUTTON = 62
    TOOL_BAR = 63
    TOOL_TIP = 64
    TREE = 65
    TREE_TABLE = 66
    WINDOW = 69
    PARAGRAPH = 73
    ENTRY = 79
    HEADING = 83
    LINK = 88
    TREE_ITEM = 91
    DOCUMENT_SPREADSHEET = 92
    DOCUMENT_TEXT = 94
    LIST_BOX = 98
    PUSH_BUTTON_MENU = 129


class State(IntEnum):
    """Bits of a state, by their number."""

    ACTIVE = 1
    ARMED = 2
    CHECKED = 4
    EDITABLE = 7
    FOCUSABLE = 11
    FOCUSED = 12
    PRESSED = 20
    SELECTED = 23
    SENSITIVE = 24
    SHOWING = 25
    VISIBLE = 30
    MANAGES_DESCENDANTS = 31


ROLE_NAMES = (
    "invalid", "accelerator label", "alert", "animation", "arrow", "calendar", "canvas",
    "check box", "check menu item", "color chooser", "column header", "combo box", "date editor",
    "desktop icon", "desktop frame", "dial", "dialog", "directory pane", "drawing area",
    "file chooser", "filler", "focus traversable", "font chooser", "frame", "glass pane",
    "html container", "icon", "image", "internal frame", "label", "layered pane", "list",
    "list item", "menu", "menu bar", "menu item", "option pane", "page tab", "page tab list",
    "panel", "password text", "popup menu", "progress bar", "push button", "radio button",
    "radio menu item", "root pane", "row header", "scroll bar", "scroll pane", "separator",
    "slider", "spin button", "split pane", "status bar", "table", "table cell",
    "table column header", "table row header", "tearoff menu item", "terminal", "text",
    "toggle button", "tool bar", "tool tip", "tree", "tree table", "unknown", "viewport",
    "window", "extended", "header", "footer", "paragraph", "ruler", "application", "autocomplete",
    "edit bar", "embedded", "entry", "chart", "caption", "document frame", "heading", "page",
    "section", "redundant object", "form", "link", "input method window", "table row",
    "tree item", "document spreadsheet", "document presentation", "document text",
    "document web", "document email", "comment", "list box", "grouping", "image map",
    "notification", "info bar", "level bar", "title bar", "block quote", "audio", "video",
    "definition", "article", "landmark", "log", "marquee", "math", "rating", "timer", "static",
    "math fraction", "math root", "subscript", "superscript", "description list",
    "description term", "description value", "footnote", "content deletion", "content insertion",
    "mark", "suggestion", "push button menu",
)  # fmt: skip

STATE_NAMES = (
    "invalid", "active", "armed", "busy", "checked", "collapsed", "defunct", "editable", "enabled",
    "expandable", "expanded", "focusable", "focused", "has-tooltip", "horizontal", "iconified",
    "modal", "multi-line", "multiselectable", "opaque", "pressed", "resizable", "selectable",
    "selected", "sensitive", "showing", "single-line", "stale", "transient", "vertical", "visible",
    "manages-descendants", "indeterminate", "required", "truncated", "animated", "invalid-entry",
    "supports-autocompletion", "selectable-text", "is-default", "visited", "checkable",
    "has-popup", "read-only",
)  # fmt: skip
"""What AT-SPI calls its states, by the number of their bit."""

MENUS = frozenset(
    {
        Role.MENU, Role.MENU_ITEM, Role.CHECK_MENU_ITEM, Role.RADIO_MENU_ITEM,
        Role.TEAROFF_MENU_ITEM, Role.POPUP_MENU,
    }
)  # fmt: skip
"""What lies in a window of its own, above the one that it belongs to."""
LEAVES = frozenset(
    {
        Role.CHECK_BOX, Role.LABEL, Role.MENU_ITEM, Role.CHECK_MENU_ITEM, Role.PUSH_BUTTON,
        Role.RADIO_BUTTON, Role.RADIO_MENU_ITEM, Role.SCROLL_BAR, Role.SEPARATOR,
    }
)  # fmt: skip
"""What has nothing in it, so that nobody asks."""
CHECKABLE = frozenset(
    {
        Role.CHECK_BOX, Role.CHECK_MENU_ITEM, Role.RADIO_BUTTON, Role.RADIO_MENU_ITEM,
        Role.TOGGLE_BUTTON,
    }
)  # fmt: skip
TEXTS = frozenset(
    {
        Role.TEXT, Role.ENTRY, Role.PARAGRAPH, Role.HEADING, Role.TERMINAL, Role.SPIN_BUTTON,
        Role.TABLE_CELL, Role.ICON,
    }
)  # fmt: skip
"""What has words of its own besides its name."""
BUTTONS = frozenset({Role.PUSH_BUTTON, Role.TOGGLE_BUTTON, Role.PUSH_BUTTON_MENU})
"""What shows its name or an icon, and nobody says which."""
NAMED = frozenset(
    {
        *MENUS, Role.CHECK_BOX, Role.RADIO_BUTTON, Role.LABEL, Role.LIST_ITEM, Role.PAGE_TAB,
        Role.TABLE_CELL, Role.TABLE_COLUMN_HEADER, Role.TABLE_ROW_HEADER, Role.TREE_ITEM,
        Role.LINK, Role.HEADING, Role.PARAGRAPH, Role.ICON, Role.DESKTOP_ICON, Role.TOOL_TIP,
        Role.FRAME, Role.DIALOG, Role.WINDOW, Role.ALERT,
    }
)  # fmt: skip
"""What shows its name, in it or on its title bar."""
TREES = frozenset({Role.TREE, Role.TREE_TABLE})
SCROLLABLE = frozenset({Role.SCROLL_PANE, Role.TERMINAL})
CLICKABLE = frozenset(
    {
        *CHECKABLE, *MENUS, Role.COMBO_BOX, Role.DESKTOP_ICON, Role.ICON, Role.LIST_ITEM,
        Role.PAGE_TAB, Role.PASSWORD_TEXT, Role.PUSH_BUTTON, Role.SLIDER, Role.SPIN_BUTTON,
        Role.TABLE_CELL, Role.TABLE_COLUMN_HEADER, Role.TABLE_ROW_HEADER, Role.ENTRY, Role.LINK,
        Role.TREE_ITEM, Role.PUSH_BUTTON_MENU,
    }
)  # fmt: skip


@cache
def class_name(role: int, *, editable: bool, in_tree: bool = False) -> str:
    """What `UiNode.class_name` is for a role: "atspi.PushButton".

    All that is edited is a text, and what GTK calls a cell of a tree is an item of it.
    """
    if editable and role in (Role.TEXT, Role.ENTRY, Role.PARAGRAPH, Role.PASSWORD_TEXT):
        return "atspi.EditText"
    if in_tree and role == Role.TABLE_CELL:
        return "atspi.TreeItem"
    name = ROLE_NAMES[role] if 0 <= role < len(ROLE_NAMES) else "unknown"
    return "atspi." + "".join(word.capitalize() for word in name.split())
