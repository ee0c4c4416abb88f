"""Page sources of Appium's drivers as the XML that `UiTree` reads, in pixels of the picture.

UiAutomator2's is that XML. XCUITest and Mac2 write `XCUIElementType…` with edges in points
(https://github.com/appium/appium-xcuitest-driver/blob/05ce2be/docs/reference/element-attributes.md),
WinAppDriver the control types of UI Automation in pixels. What cannot be seen is left out: elements
that say so, and on macOS the menus that are closed, whose edges mean nothing. Their kinds get the
names that Android has for them, or would have; `type` keeps the driver's own.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from xml.parsers import expat

from tapwright.core.geometry import Point, Size, to_pixel
from tapwright.core.observation import MAX_DEPTH, MAX_NODES, write_node
from tapwright.devices.errors import BadDeviceOutputError
from tapwright.devices.uiautomator import android_classes

__all__ = ["PageSource", "Units", "read_source"]

_APPLE = "XCUIElementType"
_WRAPPERS = {"AppiumAUT", "app", "hierarchy"}
_CLASSES = android_classes(
    Button="Button MenuButton SplitButton HyperLink Hyperlink Link Key",
    Spinner="PopUpButton ComboBox",
    EditText="TextField SecureTextField SearchField TextView Edit Document",
    Switch="Switch Toggle",
    CheckBox="CheckBox",
    RadioButton="RadioButton",
    SeekBar="Slider",
    TextView="StaticText Text",
    ImageView="Image Icon",
    ListView="Table Outline List Tree DataGrid",
    GridView="CollectionView",
    ScrollView="ScrollView",
    **{"android.webkit.WebView": "WebView"},
    ProgressBar="ProgressIndicator ProgressBar",
    Tab="Tab TabItem",
    Menu="MenuBarItem",
    MenuItem="MenuItem",
    Cell="DataItem",
    TreeItem="TreeItem OutlineRow",
)
_GROUP = "android.view.ViewGroup"
_CLICKED = {
    "Button", "PopUpButton", "MenuButton", "SplitButton", "HyperLink", "Hyperlink", "Link", "Key",
    "TextField", "SecureTextField", "SearchField", "TextView", "Edit", "Document", "ComboBox",
    "Switch", "Toggle", "CheckBox", "RadioButton", "Slider", "Cell", "Tab", "TabItem", "MenuItem",
    "MenuBarItem", "ListItem", "TreeItem", "DataItem", "HeaderItem", "Icon", "Stepper",
    "DisclosureTriangle",
}  # fmt: skip
_CHECKED = {"Switch", "Toggle", "CheckBox", "RadioButton"}
_FIELDS = {
    "TextField", "SecureTextField", "SearchField", "TextView", "Edit", "Document", "ComboBox",
}  # fmt: skip
_SCROLLED = {
    "Table", "Outline", "CollectionView", "List", "Tree", "DataGrid", "ScrollView", "WebView",
}  # fmt: skip
_APP_NAMES = ("bundleId", "title", "label", "name", "Name")
"""Attributes of the first element that name the app; drivers older than 2024 have no bundleId."""
_YES = {"1", "true", "True", "on", "On"}


@dataclass(frozen=True, slots=True)
class Units:
    """What a driver's numbers mean: a place times `scale`, less (`left`, `top`), is in pixels.

    The pixels are the picture's; `left` and `top` are where its corner lies on the screen.
    """

    scale: float = 1.0
    left: float = 0.0
    top: float = 0.0

    def pixels(self, x: float, y: float) -> tuple[float, float]:
        """A place in pixels of the picture."""
        return x * self.scale - self.left, y * self.scale - self.top

    def place(self, point: Point, size: Size) -> tuple[float, float]:
        """A point on a picture of `size` as the driver counts: within the point's pixel.

        A driver that counts pixels gets a whole number, another the middle of the pixel.
        """
        x, y = to_pixel(point, size)
        if self.scale == 1:
            return x + self.left, y + self.top
        return (x + 0.5 + self.left) / self.scale, (y + 0.5 + self.top) / self.scale


@dataclass(frozen=True, slots=True)
class PageSource:
    """A page source in the XML of `UiTree`; `app` is what is in front, "" when it is not said."""

    xml: str
    units: Units
    app: str


def read_source(xml: str, picture: Size, *, screen_width: float | None, origin: str) -> PageSource:
    """Read a page source beside a picture of the same screen.

    `screen_width` is the screen's in the driver's units where the driver says it; else an Apple
    source's first element fills the screen.

    Raises:
        BadDeviceOutputError: it is not XML, has a document type, or no end of elements.
    """
    reader = _Reader(picture, screen_width, origin)
    reader.parser.StartElementHandler = reader.start
    reader.parser.EndElementHandler = reader.end
    reader.parser.StartDoctypeDeclHandler = reader.refuse
    try:
        reader.parser.Parse(xml.encode("utf-8", "surrogatepass"), True)
    except expat.ExpatError as error:
        raise BadDeviceOutputError(
            f"{origin}: its page source cannot be read: line {error.lineno}: "
            f"{expat.errors.messages[error.code]}",
            hint="is the session in a web context? only native ones have this source",
        ) from error
    written = xml if reader.android else f"<hierarchy>{''.join(reader.parts)}</hierarchy>"
    return PageSource(written, reader.units, reader.app)


class _Reader:
    """Writes each element as it comes, so that depth costs no stack."""

    def __init__(self, picture: Size, screen_width: float | None, origin: str) -> None:
        self.parser = expat.ParserCreate("utf-8")  # whatever it claims: Windows says utf-16
        self.parser.buffer_text = True
        self.picture = picture
        self.screen_width = screen_width
        self.origin = origin
        self.parts: list[str] = []
        self.closes: list[bool] = []  # for each open element, whether it was written
        self.count = 0
        self.hidden = 0  # open elements in one that hides all within
        self.open_menu = [False]
        self.units = Units()
        self.app = ""
        self.android = False

    def refuse(self, *_: object) -> None:
        raise BadDeviceOutputError(f"{self.origin}: its page source has a document type")

    def start(self, tag: str, given: dict[str, str]) -> None:
        if tag == "hierarchy":
            self.android = True
        if self.android or tag in _WRAPPERS:
            if self.android and not self.app:
                self.app = given.get("package", "")
            self.closes.append(False)
            return
        self.count += 1
        if self.count > MAX_NODES or len(self.closes) > MAX_DEPTH:
            raise BadDeviceOutputError(
                f"{self.origin}: its page source has more than {MAX_NODES:,} elements, or more "
                f"than {MAX_DEPTH:,} in each other",
                hint="limit its depth: the driver's setting snapshotMaxDepth",
            )
        if self.count == 1:
            self.units = self._units(tag, given)
            self.app = next(filter(None, map(given.get, _APP_NAMES)), "")
        kind = tag.removeprefix(_APPLE)
        if self.hidden or (kind == "Menu" and not self.open_menu[-1]):
            self.hidden += 1
            self.closes.append(False)
            self.open_menu.append(False)
            return
        # A menu of its own, as one under the mouse, is always open.
        self.open_menu.append(kind != "MenuBarItem" or given.get("selected") in _YES)
        shown = given.get("visible") != "false" and given.get("IsOffscreen") not in _YES
        self.closes.append(shown)
        if shown:
            write = _apple if kind != tag else _windows
            self.parts.append(write(kind, given, self._bounds(given)))

    def end(self, tag: str) -> None:
        if self.closes.pop():
            self.parts.append("</node>")
        if self.android or tag in _WRAPPERS:
            return
        self.open_menu.pop()
        if self.hidden:
            self.hidden -= 1

    def _units(self, tag: str, given: Mapping[str, str]) -> Units:
        width = _number(given, "width")
        if not tag.startswith(_APPLE):
            # WinAppDriver's picture is the window's, and the desktop's where that is the session.
            window = (width, _number(given, "height"))
            alone = (self.picture.width, self.picture.height) == window
            return Units(1.0, _number(given, "x"), _number(given, "y")) if alone else Units()
        width = self.screen_width or width
        return Units(self.picture.width / width if width > 0 else 1.0)

    def _bounds(self, given: Mapping[str, str]) -> str:
        width, height = _number(given, "width"), _number(given, "height")
        if width <= 0 or height <= 0:
            return ""
        x, y = _number(given, "x"), _number(given, "y")
        left, top = self.units.pixels(x, y)
        right, bottom = self.units.pixels(x + width, y + height)
        return f"[{_edge(left)},{_edge(top)}][{_edge(right)},{_edge(bottom)}]"


_FAR = 99_999_999
"""Pixels; further away, edges are cut."""


def _edge(pixels: float) -> int:
    return max(-_FAR, min(_FAR, round(pixels)))


def _number(given: Mapping[str, str], name: str) -> float:
    try:
        value = float(given.get(name, "0"))
    except ValueError:
        return 0.0
    return value if abs(value) < 1e9 else 0.0  # false for nan, too


def _apple(kind: str, given: Mapping[str, str], bounds: str) -> str:
    """An element of XCUITest or Mac2."""
    name = given.get("label") or given.get("title", "")
    value = given.get("value", "")
    field = kind in _FIELDS
    hint = given.get("placeholderValue", "")
    id_ = given.get("identifier") or given.get("name", "")
    if field:
        text = "" if value == hint else value
    else:
        text = value if kind == "StaticText" and value else name
    said = field or kind in _CHECKED or kind in ("Image", "Icon", "Slider")
    return _node(
        text="" if said and not field else text,
        id_="" if id_ == name else id_,
        description=name if said else "",
        hint=hint,
        states=_states(
            kind,
            f"{_APPLE}{kind}",
            checked=value in _YES,
            selected=given.get("selected") in _YES,
            enabled=given.get("enabled") != "false",
            focused=given.get("focused") in _YES,
        ),
        bounds=bounds,
    )


def _windows(kind: str, given: Mapping[str, str], bounds: str) -> str:
    """An element of WinAppDriver or of one like it."""
    name = given.get("Name", "")
    field = kind in _FIELDS
    state = given.get("ToggleState") or given.get("Toggle.ToggleState", "")
    selected = given.get("IsSelected") or given.get("SelectionItem.IsSelected", "")
    said = field or kind in _CHECKED or kind in ("Image", "Slider")
    value = given.get("Value.Value") or given.get("Value", "")
    return _node(
        text=value if field else "" if said else name,
        id_=given.get("AutomationId", ""),
        description=name if said else "",
        hint="",
        states=_states(
            kind,
            kind,
            checked=state in _YES or (kind == "RadioButton" and selected in _YES),
            selected=selected in _YES,
            enabled=given.get("IsEnabled") != "False",
            focused=given.get("HasKeyboardFocus") in _YES,
        ),
        bounds=bounds,
    )


def _node(text: str, id_: str, description: str, hint: str, states: str, bounds: str) -> str:
    """An opening tag: the element's own words, then what many elements share."""
    words = {"text": text, "resource-id": id_, "content-desc": description}
    if hint:
        words["hint"] = hint
    place = f' bounds="{bounds}"' if bounds else ""
    return f"{write_node(words, closed=False)[:-1]}{states}{place}>"


@lru_cache(maxsize=1000)
def _states(
    kind: str, type_: str, *, checked: bool, selected: bool, enabled: bool, focused: bool
) -> str:
    """The attributes for a kind of element and its flags."""
    attributes = {
        "class": _CLASSES.get(kind, _GROUP),
        "type": type_,
        "checkable": _flag(kind in _CHECKED),
        "checked": _flag(checked and kind in _CHECKED),
        "clickable": _flag(kind in _CLICKED),
        "enabled": _flag(enabled),
        "focused": _flag(focused),
        "scrollable": _flag(kind in _SCROLLED),
        "password": _flag(kind == "SecureTextField"),
        "selected": _flag(selected),
    }
    return write_node(attributes, closed=False)[len("<node") : -1]


def _flag(value: bool) -> str:
    return "true" if value else "false"
