"""Phones that send H.264, from their screen to the page: every part of the way is the real one."""

import io
import json
import struct
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import av
import pytest
from PIL import Image
from playwright.sync_api import Page as Tab
from starlette.testclient import WebSocketTestSession

from tapwright.core.geometry import Size
from tapwright.devices.adb.client import AdbClient
from tapwright.devices.adb.live import open_phone
from tapwright.devices.device import Device, LiveFrame
from tapwright.devices.fake import FakeDevice, Scene
from tapwright.devices.live_pictures import NumberedFrame
from tapwright.web.config import WebConfig
from tapwright.web.recording.feed import FrameFeed
from tapwright_adb_simulator import AdbPhone, AdbServer, write_jar
from tests.web.browsing import chromium, serving, watched
from tests.web.recording.talking import ORIGIN, Page, begin, client

COLOURS = ((1, 0, 0), (0, 0, 1), (0, 1, 0))
"""Which channels are bright, in the order in which the phone shows them over and over."""
TREE = '<hierarchy rotation="0"></hierarchy>'


def address(session: str, kind: str = "session") -> str:
    return f"ws://localhost/ws/{kind}?session={session}"


def scene(colour: tuple[int, int, int]) -> Scene:
    buffer = io.BytesIO()
    red, green, blue = (30 + 170 * channel for channel in colour)
    Image.new("RGB", (270, 600), (red, green, blue)).save(buffer, "PNG")
    return Scene(buffer.getvalue(), TREE)


@pytest.fixture
def open_filmed(tmp_path: Path) -> Iterator[Callable[[], Device]]:
    """Opens a phone over adb whose screen is of one colour, and of the next after each action."""
    jar = write_jar(tmp_path / "scrcpy-server-v4.1")
    with ExitStack() as stack:
        phone = stack.enter_context(AdbPhone(FakeDevice([scene(one) for one in COLOURS] * 20)))
        server = stack.enter_context(AdbServer())
        adb = AdbClient(port=server.port, program=Path(server.program), timeout_s=60)
        yield lambda: open_phone(f"{phone.address},scrcpy={jar}", client=adb)


def colour_of(image: Image.Image) -> tuple[int, ...]:
    """The colour in the middle, as far as it survives a video: which channels are bright."""
    pixel = image.convert("RGB").getpixel((image.width // 2, image.height // 2))
    assert isinstance(pixel, tuple)
    return tuple(round(value / 255) for value in pixel)


def after(colour: tuple[int, ...]) -> tuple[int, ...]:
    """The colour of the screen after one more action."""
    order = [*COLOURS, *COLOURS]
    return order[order.index((colour[0], colour[1], colour[2])) + 1]


def received(socket: WebSocketTestSession) -> tuple[int, bytes]:
    """The kind of the next picture, and its bytes."""
    data = socket.receive_bytes()
    socket.send_text('{"t": "credit", "n": 1}')
    (kind,) = struct.unpack_from("<B", data, 8)
    return kind, data[22:]


@pytest.mark.slow
def test_pictures_come_as_the_phone_sent_them(
    open_filmed: Callable[[], Device], tmp_path: Path
) -> None:
    decoder = av.CodecContext.create("h264", "r")
    decoder.flags |= av.codec.context.Flags.low_delay

    def shown(data: bytes) -> tuple[int, ...]:
        (picture,) = decoder.decode(av.Packet(data))
        return colour_of(picture.to_image())  # type: ignore[no-untyped-call]

    with client(tmp_path / "store", {"phone": open_filmed}) as app:
        session = begin(app, "phone")
        with (
            app.websocket_connect(address(session), headers=ORIGIN) as control,
            app.websocket_connect(address(session, "frames"), headers=ORIGIN) as frames,
        ):
            kind, data = received(frames)
            first = shown(data)
            assert kind == 3
            page = Page(control)
            page.hello()
            assert page.act()["t"] == "saved"
            seen: list[tuple[int, tuple[int, ...]]] = []
            while not seen or seen[-1][1] != after(first):
                kind, data = received(frames)
                seen.append((kind, shown(data)))
            frames.send_text('{"t": "key"}')
            assert received(frames)[0] == 3


@pytest.mark.slow
def test_a_page_that_plays_no_video_gets_stills(
    open_filmed: Callable[[], Device], tmp_path: Path
) -> None:
    with client(tmp_path / "store", {"phone": open_filmed}) as app:
        session = begin(app, "phone")
        with (
            app.websocket_connect(address(session), headers=ORIGIN) as control,
            app.websocket_connect(address(session, "frames"), headers=ORIGIN) as frames,
        ):
            page = Page(control)
            page.hello()
            kind, data = received(frames)
            assert kind == 3
            frames.send_text('{"t": "still"}')
            while kind != 1:
                kind, data = received(frames)
            first = colour_of(Image.open(io.BytesIO(data)))
            assert page.act()["t"] == "saved"
            while colour_of(Image.open(io.BytesIO(data))) != after(first):
                kind, data = received(frames)
                assert kind == 1


def test_a_page_that_is_late_is_sent_no_picture_without_those_before_it() -> None:
    def shown(number: int, *, key: bool = False) -> NumberedFrame:
        return NumberedFrame(number, 0, LiveFrame(b"x", "h264", Size(2, 2), 0.0, key=key))

    feed = FrameFeed()
    assert not feed.push(shown(1))  # joined late: a key picture was asked for on the way in
    assert not feed.push(shown(2, key=True))
    asked = [number for number in range(3, 60) if feed.push(shown(number))]
    assert len(asked) == 1  # once, and nothing more is kept until it comes
    assert not feed.push(shown(60, key=True))
    assert not feed.push(shown(61))


@contextmanager
def recording(open_device: Callable[[], Device], store: Path, script: str = "") -> Iterator[Tab]:
    """The record page in a browser, with a session begun; `script` runs before its own."""
    config = WebConfig(episodes=store, devices={"phone": open_device})
    with (
        serving(config) as address,
        chromium() as browser,
        watched(browser) as found,
    ):
        page = found.page
        if script:
            page.add_init_script(script)
        page.goto(address)
        said = page.request.post(
            f"{address}/api/sessions",
            data=json.dumps({"device": "phone", "instruction": "Look"}),
            headers={"x-tapwright": "1", "content-type": "application/json", "origin": address},
        )
        assert said.ok, said.text()
        page.goto(f"{address}/record/{said.json()['session']}")
        yield page


MIDDLE = """
() => {
  const canvas = document.querySelector(".live canvas");
  if (!canvas) return "";
  const spot = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  spot.drawImage(canvas, canvas.width / 2, canvas.height / 2, 1, 1, 0, 0, 1, 1);
  const [...colour] = spot.getImageData(0, 0, 1, 1).data.slice(0, 3);
  return colour.map((one) => Math.round(one / 255)).join();
}
"""


def painted(page: Tab, wanted: Callable[[str], bool]) -> str:
    """What the page paints, as soon as it is what is wanted."""
    for _ in range(200):
        # The page's policy lets nothing be evaluated in it, so it cannot wait by itself.
        seen = str(page.evaluate(MIDDLE))
        if wanted(seen):
            return seen
        page.wait_for_timeout(50)
    raise AssertionError(f"the page paints {seen!r}")


def act_and_see(page: Tab) -> None:
    """Tap on the screen, and see the colour that comes after the one that was there."""
    first = painted(page, lambda seen: "1" in seen)
    page.locator(".live canvas").click()
    wanted = ",".join(map(str, after(tuple(map(int, first.split(","))))))
    painted(page, lambda seen: seen == wanted)


@pytest.mark.slow
def test_the_page_plays_the_phone_s_video(
    open_filmed: Callable[[], Device], tmp_path: Path
) -> None:
    with recording(open_filmed, tmp_path / "store") as page:
        plays = page.evaluate(
            "async () => 'VideoDecoder' in globalThis && (await VideoDecoder"
            ".isConfigSupported({codec: 'avc1.42c01e', optimizeForLatency: true})).supported"
        )
        if not plays:
            pytest.skip("this browser plays no H.264")
        act_and_see(page)


@pytest.mark.slow
def test_a_browser_without_video_shows_stills(
    open_filmed: Callable[[], Device], tmp_path: Path
) -> None:
    hide = "delete globalThis.VideoDecoder"
    with recording(open_filmed, tmp_path / "store", hide) as page:
        act_and_see(page)
