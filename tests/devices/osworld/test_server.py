"""A desktop that is served by OSWorld's protocol, and the device that drives one."""

from collections.abc import Iterator
from time import monotonic, sleep

import httpx
import pytest

from tapwright.core.actions import Answer, Finish, Hotkey, OpenApp, Tap, TypeText
from tapwright.core.geometry import Point
from tapwright.devices.desktop.device import Desktop
from tapwright.devices.device import AddressedDevice
from tapwright.devices.osworld.device import OsWorldDevice, open_osworld
from tapwright.devices.osworld.server import OsWorldServer
from tapwright.errors import DeviceError, DeviceLostError, UnsupportedActionError, UsageError
from tests.devices.desktop.conftest import programs  # noqa: F401 - a fixture

PATIENCE_S = 60


@pytest.fixture(scope="module")
def server(programs: None) -> Iterator[OsWorldServer]:  # noqa: F811
    with Desktop() as desktop, OsWorldServer(desktop) as served:
        yield served


@pytest.fixture(scope="module")
def client(server: OsWorldServer) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url, timeout=PATIENCE_S) as one:
        yield one


@pytest.fixture(scope="module")
def machine(server: OsWorldServer) -> Iterator[OsWorldDevice]:
    with open_osworld(server.url) as one:
        yield one


def run(client: httpx.Client, command: str | list[str]) -> dict[str, object]:
    body = {"command": command, "shell": isinstance(command, str)}
    told: dict[str, object] = client.post("/execute", json=body).json()
    return told


def read(client: httpx.Client, path: str) -> str | None:
    found = client.post("/file", data={"file_path": path})
    return found.text if found.status_code == 200 else None


def test_a_command_runs_in_the_home_of_the_desktop(client: httpx.Client) -> None:
    told = run(client, "echo out; echo wrong >&2; pwd; exit 3")
    assert told == {
        "status": "success", "output": "out\n/home/user\n", "error": "wrong\n", "returncode": 3,
    }  # fmt: skip


def test_the_home_of_the_vm_is_the_desktop_s(client: httpx.Client) -> None:
    run(client, "echo hi > /home/user/Desktop/a.txt")
    assert read(client, "~/Desktop/a.txt") == read(client, "/home/user/Desktop/a.txt") == "hi\n"
    assert read(client, "$HOME/Desktop/a.txt") == "hi\n"
    assert read(client, "/home/user/none") is None
    assert run(client, ["ls", "~/Desktop"])["output"] == "a.txt\n"


def test_a_file_is_uploaded_as_it_is(client: httpx.Client) -> None:
    data = bytes(range(256)) + b"\r\n--x\r\n"
    form = {"file_path": "/home/user/new/b.bin"}
    assert (
        client.post("/setup/upload", data=form, files={"file_data": data}).text == "File Uploaded"
    )
    assert client.post("/file", data=form).content == data


def test_pyautogui_and_pyperclip_are_the_desktop_s_own(client: httpx.Client) -> None:
    code = (
        "import pyautogui, pyperclip; pyautogui.moveTo(30, 40); pyperclip.copy('世界'); "
        "print(*pyautogui.size(), *pyautogui.position(), pyperclip.paste())"
    )
    assert run(client, ["python", "-c", code])["output"] == "1280 800 30 40 世界\n"
    assert client.get("/cursor_position").json() == [30, 40]
    assert client.post("/screen_size").json() == {"width": 1280, "height": 800}


def test_scripts_tell_how_they_ended(client: httpx.Client) -> None:
    good = client.post("/run_python", json={"code": "print(6 * 7)"})
    assert (good.status_code, good.json()["message"]) == (200, "42\n")
    bad = client.post("/run_python", json={"code": "1 / 0"})
    assert bad.status_code == 500
    assert "ZeroDivisionError" in bad.json()["error"]
    late = client.post("/run_bash_script", json={"script": "sleep 60", "timeout": 0.1}).json()
    assert (late["status"], late["returncode"]) == ("error", -1)


def test_folders_are_listed(client: httpx.Client) -> None:
    run(client, "mkdir -p ~/tree/inner && touch ~/tree/inner/f")
    told = client.post("/list_directory", json={"path": "/home/user/tree"}).json()
    assert told["directory_tree"] == {
        "type": "directory", "name": "tree", "children": [
            {"type": "directory", "name": "inner", "children": [{"type": "file", "name": "f"}]}
        ],
    }  # fmt: skip


@pytest.mark.slow
def test_a_text_is_typed_and_saved_by_the_device(
    client: httpx.Client, machine: OsWorldDevice
) -> None:
    machine.reset()
    client.post("/setup/launch", json={"command": ["mousepad", "/home/user/n.txt"]})
    until = monotonic() + PATIENCE_S
    while "mousepad" not in (seen := machine.observe()).app.lower() and monotonic() < until:
        sleep(0.05)
    assert seen.ui_tree is not None
    menu = next(node for node in seen.ui_tree.nodes if node.text == "File")
    assert (menu.class_name, menu.is_("clickable")) == ("atspi.Menu", True)
    machine.perform(TypeText(text="a<b, Grüße, 世界\n"))
    machine.perform(Hotkey(keys=("control", "s")))
    while read(client, "~/n.txt") is None and monotonic() < until:
        sleep(0.05)
    assert read(client, "~/n.txt") == "a<b, Grüße, 世界\n"
    body = {"window_name": "n.txt"}
    assert client.post("/setup/activate_window", json=body).status_code == 200
    assert client.post("/setup/close_window", json=body).status_code == 200
    while client.post("/setup/close_window", json=body).status_code == 200 and monotonic() < until:
        sleep(0.05)
    assert client.post("/setup/activate_window", json=body).status_code == 404


def test_nobody_is_served_without_the_token(server: OsWorldServer) -> None:
    address = f"http://127.0.0.1:{server.port}/screenshot"
    assert httpx.get(address).status_code == 401
    assert httpx.get(address, auth=("tapwright", "guess")).status_code == 401
    good = {"Authorization": f"Bearer {server.token}"}
    assert httpx.get(address, headers=good).status_code == 200
    assert httpx.get(address, headers={**good, "Origin": "http://evil.test"}).status_code == 403
    assert httpx.get(address, headers={**good, "Host": "evil.test"}).status_code == 403


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/nothing", {}, 404),
        ("/execute", {"command": 7}, 400),
        ("/execute", {"command": []}, 500),
        ("/setup/open_file", {"path": "/home/user/none"}, 404),
        ("/list_directory", {"path": "/home/user/none"}, 400),
        ("/start_recording", {}, 501),
        ("/tapwright/input", {"do": "dance"}, 400),
    ],
)
def test_what_cannot_be_done_is_told(
    path: str, body: dict[str, object], status: int, client: httpx.Client
) -> None:
    told = client.post(path, json=body)
    assert told.status_code == status
    assert told.json()["message"]


def test_the_device_has_mouse_and_keyboard_alone(machine: OsWorldDevice) -> None:
    with pytest.raises(UnsupportedActionError, match="open_app"):
        machine.perform(OpenApp(app="mousepad"))
    machine.perform(Tap(at=Point(0.5, 0.5)))
    machine.perform(Answer(text="yes"))
    machine.perform(Finish())
    with pytest.raises(DeviceError, match="sets no state"):
        machine.reset(state={"files.a": "b"})
    assert isinstance(machine, AddressedDevice)
    assert machine.address()["kind"] == "osworld"


def test_the_token_may_come_apart_from_the_address(server: OsWorldServer) -> None:
    with open_osworld(f"http://127.0.0.1:{server.port}", token=server.token) as machine:
        assert machine.name == "osworld 1280x800"


@pytest.mark.slow
def test_a_server_that_is_not_there_is_told(server: OsWorldServer) -> None:
    with pytest.raises(UnsupportedActionError, match="another token"):
        open_osworld(f"http://tapwright:guess@127.0.0.1:{server.port}")
    with pytest.raises(DeviceLostError, match=r"127\.0\.0\.1:1"):
        open_osworld("http://127.0.0.1:1")
    for address in ("ftp://x", "", "http://x:foo", "http://x/y"):
        with pytest.raises(UsageError, match="expected the address"):
            open_osworld(address)
