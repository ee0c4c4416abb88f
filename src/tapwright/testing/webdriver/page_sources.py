"""The screen of `FakeWebDriver` as the page sources of the drivers, with what is odd about each.

XCUITest and Mac2 as at appium-xcuitest-driver 05ce2be and appium-mac2-driver 5e04f1a, with a closed
menu whose edges mean nothing; WinAppDriver's claims utf-16; UiAutomator2's tags are the classes.
"""

from collections.abc import Mapping
from typing import Literal, TypeAlias
from xml.sax.saxutils import quoteattr

from tapwright.testing.webdriver.notes_app import Edges, Widget, WidgetKind

__all__ = ["AppPlatform", "page_source"]

AppPlatform: TypeAlias = Literal["ios", "android", "macos", "windows"]

_APPLE: Mapping[WidgetKind, str] = {
    "window": "Window", "title": "StaticText", "field": "TextField", "button": "Button",
    "switch": "Switch", "label": "StaticText", "list": "Table", "row": "Cell", "icon": "Icon",
}  # fmt: skip
_WINDOWS: Mapping[WidgetKind, str] = {
    "window": "Window", "title": "Text", "field": "Edit", "button": "Button",
    "switch": "CheckBox", "label": "Text", "list": "List", "row": "ListItem", "icon": "Button",
}  # fmt: skip
_ANDROID: Mapping[WidgetKind, str] = {
    "window": "android.widget.FrameLayout", "title": "android.widget.TextView",
    "field": "android.widget.EditText", "button": "android.widget.Button",
    "switch": "android.widget.Switch", "label": "android.widget.TextView",
    "list": "android.widget.ListView", "row": "android.widget.TextView",
    "icon": "android.widget.TextView",
}  # fmt: skip

_BUNDLES = {"Notes": "com.example.notes", "Home": "com.apple.springboard"}


def page_source(platform: AppPlatform, root: Widget, screen: Edges) -> str:
    """What the driver of a platform answers to a request for the source."""
    match platform:
        case "ios":
            inside = _apple(root, ios=True)
            told = {"bundleId": _BUNDLES[root.name], "name": root.name, "label": root.name}
            app = _element("XCUIElementTypeApplication", {**told, **_places(screen)}, inside)
            return f'<?xml version="1.0" encoding="UTF-8"?><AppiumAUT>{app}</AppiumAUT>'
        case "macos":
            away = (0, screen[3], 0, screen[3])
            item = _element("XCUIElementTypeMenuItem", {"title": "New", **_places(away)}, "")
            menu = _element("XCUIElementTypeMenu", _places(away), item)
            bar = _element(
                "XCUIElementTypeMenuBarItem", {"title": "File", **_places((0, 0, 60, 24))}, menu
            )
            bars = _element("XCUIElementTypeMenuBar", _places((0, 0, screen[2], 24)), bar)
            inside = _apple(root, ios=False) + bars
            named = {"title": root.name, "label": root.name, **_places(root.edges)}
            app = _element("XCUIElementTypeApplication", named, inside)
            return f'<?xml version="1.0" encoding="UTF-8"?>{app}'
        case "windows":
            return f'<?xml version="1.0" encoding="utf-16"?>{_windows(root)}'
        case "android":
            return (
                "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>"
                f'<hierarchy index="0" class="hierarchy" rotation="0">{_android(root)}</hierarchy>'
            )


def _apple(widget: Widget, *, ios: bool) -> str:
    attributes = {
        "label": widget.text if widget.kind == "row" else widget.name,
        "enabled": "true",
        **_places(widget.edges),
    }
    if widget.kind == "field":
        attributes["placeholderValue"] = widget.name
        # A field that is empty says its placeholder.
        attributes["value"] = widget.text or widget.name
        attributes["focused"] = _flag(widget.focused)
    elif widget.kind == "switch":
        attributes["value"] = "1" if widget.on else "0"
    elif widget.kind in ("title", "label"):
        attributes["value"] = widget.text
    if ios:
        attributes |= {"visible": "true", "name": widget.name}
    inside = "".join(_apple(child, ios=ios) for child in widget.children)
    return _element(f"XCUIElementType{_APPLE[widget.kind]}", attributes, inside)


def _windows(widget: Widget) -> str:
    attributes = {
        "Name": widget.name,
        "AutomationId": widget.kind,
        "IsEnabled": "True",
        "IsOffscreen": "False",
        "HasKeyboardFocus": "True" if widget.focused else "False",
        **_places(widget.edges),
    }
    if widget.kind == "field":
        attributes["Value.Value"] = widget.text
    elif widget.kind == "switch":
        attributes["Toggle.ToggleState"] = "On" if widget.on else "Off"
    return _element(_WINDOWS[widget.kind], attributes, "".join(map(_windows, widget.children)))


def _android(widget: Widget) -> str:
    left, top, right, bottom = widget.edges
    acts = widget.kind in ("field", "button", "switch", "row", "icon")
    attributes = {
        "package": "com.example.notes",
        "class": _ANDROID[widget.kind],
        "text": widget.text if widget.kind == "field" else "" if widget.children else widget.name,
        "hint": widget.name if widget.kind == "field" else "",
        "checkable": _flag(widget.kind == "switch"),
        "checked": _flag(widget.on),
        "clickable": _flag(acts),
        "enabled": "true",
        "focused": _flag(widget.focused),
        "scrollable": _flag(widget.kind == "list"),
        "bounds": f"[{left},{top}][{right},{bottom}]",
        "displayed": "true",
    }
    return _element(_ANDROID[widget.kind], attributes, "".join(map(_android, widget.children)))


def _places(edges: Edges) -> dict[str, str]:
    left, top, right, bottom = edges
    return {
        "x": str(left), "y": str(top), "width": str(right - left), "height": str(bottom - top),
    }  # fmt: skip


def _element(tag: str, attributes: Mapping[str, str], inside: str) -> str:
    written = "".join(f" {name}={quoteattr(value)}" for name, value in attributes.items())
    return f"<{tag}{written}>{inside}</{tag}>"


def _flag(value: bool) -> str:
    return "true" if value else "false"
