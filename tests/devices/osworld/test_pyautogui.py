"""The `pyautogui` of a served desktop: what each of its functions asks the desktop for."""

import importlib.util
import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar

import pytest

from tapwright.devices.osworld import server
from tapwright.devices.osworld.hands import INPUT

PROGRAM = Path(server.__file__).with_name("programs") / "pyautogui.py"
AT = {"x": 30, "y": 40}


class _Desktop(BaseHTTPRequestHandler):
    asked: ClassVar[list[dict[str, Any]]]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        INPUT.validate_json(body)  # what a desktop would refuse has no other way to be seen
        request = json.loads(body)
        told = {"size": {"width": 100, "height": 80}, "position": AT}.get(request["do"])
        if request["do"] not in ("size", "position"):
            self.asked.append(request)
        data = json.dumps(told).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def asked() -> Iterator[list[dict[str, Any]]]:
    _Desktop.asked = []
    served = ThreadingHTTPServer(("127.0.0.1", 0), _Desktop)
    Thread(target=served.serve_forever, daemon=True).start()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TAPWRIGHT_INPUT", f"127.0.0.1:{served.server_address[1]}#sesame")
        yield _Desktop.asked
    served.shutdown()
    served.server_close()


@pytest.fixture(scope="module")
def pyautogui(asked: list[dict[str, Any]]) -> Any:
    spec = importlib.util.spec_from_file_location("pyautogui", PROGRAM)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.__dict__["PAUSE"] = 0.0
    return module


def do(name: str, **fields: object) -> dict[str, Any]:
    return {"do": name, **fields}


def click(button: str = "left", clicks: int = 1) -> dict[str, Any]:
    return do("click", **AT, button=button, clicks=clicks)


def move(x: int, y: int) -> dict[str, Any]:
    return do("move", x=x, y=y)


LEFT_DOWN, LEFT_UP = (do("button", button="left", down=down) for down in (True, False))


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("moveTo(1, 2)", [move(1, 2)]),
        ("moveTo((1.6, 2))", [move(2, 2)]),
        ("moveTo(y=7)", [move(30, 7)]),
        ("moveTo(31, 41, 0.11)", [move(30, 40), move(31, 41)]),
        ("moveRel(5, -5)", [move(35, 35)]),
        ("move((5, None))", [move(35, 40)]),
        ("click()", [click()]),
        ("click(1, 2, 2, 0.0, 'right')", [move(1, 2), click("right", 2)]),
        ("click(clicks=2, interval=0.06, button='secondary')", [click("right"), click("right")]),
        ("click(1, 2, tween=None, logScreenshot=False, _pause=False)", [move(1, 2), click()]),
        ("leftClick(1, 2)", [move(1, 2), click()]),
        ("middleClick()", [click("middle")]),
        ("rightClick(1, 2, duration=0.0)", [move(1, 2), click("right")]),
        ("doubleClick(1, 2)", [move(1, 2), click(clicks=2)]),
        ("doubleClick(1, 2, 0.0, 'right')", [move(1, 2), click("right", 2)]),
        ("tripleClick((1, 2), _pause=False)", [move(1, 2), click(clicks=3)]),
        ("mouseDown(1, 2)", [move(1, 2), LEFT_DOWN]),
        ("mouseUp(button=1)", [LEFT_UP]),
        ("mouseDown(button=3)", [do("button", button="right", down=True)]),
        ("dragTo(30, 40, 0, None, 'left', mouseDownUp=False)", [move(30, 40)] * 5),
        ("dragRel(0, 0, button='left')", [LEFT_DOWN, *[move(30, 40)] * 5, LEFT_UP]),
        ("scroll(3, 1, 2)", [move(1, 2), do("wheel", notches=-3, sideways=False)]),
        ("vscroll(-1)", [do("wheel", notches=1, sideways=False)]),
        ("hscroll(2)", [do("wheel", notches=2, sideways=True)]),
        ("keyDown('shift')", [do("key", key="shift", down=True)]),
        ("keyUp('shift')", [do("key", key="shift", down=False)]),
        ("press('enter', presses=2)", [do("chord", keys=["enter"])] * 2),
        ("press(['a', 'b'])", [do("chord", keys=["a"]), do("chord", keys=["b"])]),
        ("hotkey('ctrl', 'c')", [do("chord", keys=["ctrl", "c"])]),
        ("hotkey(['ctrl', 'c'], interval=0.0)", [do("chord", keys=["ctrl", "c"])]),
        ("write('Grüße', interval=0.01)", [do("type", text="Grüße")]),
        ("typewrite(['a', 'enter'])", [do("chord", keys=["a"]), do("chord", keys=["enter"])]),
    ],
)
def test_each_function_asks_for_what_it_is_called(
    code: str, expected: list[dict[str, Any]], pyautogui: Any, asked: list[dict[str, Any]]
) -> None:
    asked.clear()
    eval(code, vars(pyautogui))
    assert asked == expected


def test_keys_are_held_while_a_block_lasts(pyautogui: Any, asked: list[dict[str, Any]]) -> None:
    asked.clear()
    with pyautogui.hold(["ctrl", "shift"]):
        pyautogui.press("a")
    downs = [do("key", key=key, down=True) for key in ("ctrl", "shift")]
    ups = [do("key", key=key, down=False) for key in ("shift", "ctrl")]
    assert asked == [*downs, do("chord", keys=["a"]), *ups]


@pytest.mark.slow
def test_places_and_sizes_have_names(pyautogui: Any) -> None:
    assert (pyautogui.size(), pyautogui.size().width) == ((100, 80), 100)
    assert (pyautogui.position(), pyautogui.position(7).x) == ((30, 40), 7)
    assert (pyautogui.onScreen(99, 79), pyautogui.onScreen((100, 0))) == (True, False)
