"""Recorded episodes for tests: a painted phone with four apps in two languages."""

import io
import signal
import threading
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import quoteattr

import pytest
from hypothesis import HealthCheck, settings
from PIL import Image, ImageDraw

from tapwright.core.actions import Action, Finish, Tap, TypeText
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.geometry import Size
from tapwright.core.observation import Observation, UiTree
from tapwright.core.screenshot import Screenshot
from tapwright.devices.fake import Scene

# A busy machine is no bug, and the same tests find the same twice. `make test` tries few examples,
# `make test-all` all of them, and others are tried with `pytest --hypothesis-profile=explore`.
settings.register_profile("explore", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("all", settings.get_profile("explore"), derandomize=True)
settings.register_profile("few", settings.get_profile("all"), max_examples=10)
settings.load_profile("few")

# A shell ignores SIGINT in what it starts in the background, and commands that the tests interrupt
# would inherit that.
if threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> Generator[None]:
    """Of a test that is marked `slow_but_one` the first case stays quick; long ones begin first."""
    seen: set[str] = set()
    for item in items:
        if item.get_closest_marker("slow_but_one") is not None:
            name = item.nodeid.partition("[")[0]
            if name in seen:
                item.add_marker(pytest.mark.slow)
            seen.add(name)
    yield  # -m and --choose
    workers = getattr(config, "workerinput", {}).get("workercount", 1)
    items[:] = _long_first(items, workers)


def _long_first(items: Sequence[pytest.Item], workers: int) -> Iterator[pytest.Item]:
    """The tests with the `long` ones at the heads of the parts that workers begin with."""
    long = [item for item in items if item.get_closest_marker("long") is not None]
    others = [item for item in items if item.get_closest_marker("long") is None]
    size = len(items) / workers
    at = 0
    for worker in range(workers):
        own = long[worker::workers]
        end = len(others) if worker == workers - 1 else at + max(0, round(size) - len(own))
        yield from own
        yield from others[at:end]
        at = end


@pytest.fixture(scope="session", autouse=True)
def _own_configuration(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test leaves something in the configuration directory of whoever runs it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("config")))
        yield


SIZE = Size(270, 600)


@dataclass(frozen=True)
class Row:
    title: str
    subtitle: str = ""
    switch: bool | None = None
    field: bool = False


def paint(app: str, title: str, rows: Sequence[Row], *, search: bool = True) -> Scene:
    """One screen: a bar with a title and perhaps a search icon, then rows from top to bottom."""
    image = Image.new("RGB", (SIZE.width, SIZE.height), "white")
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, SIZE.width, 60), fill="#dfe8f5")
    nodes = [
        '<node class="android.widget.FrameLayout" bounds="[0,0][270,600]">',
        f'<node class="android.widget.TextView" text={quoteattr(title)} bounds="[16,30][150,54]"/>',
    ]
    draw.text((16, 36), title.encode("ascii", "replace").decode(), fill="black")
    if search:
        word = "搜索" if title[0] > "\u4e00" else "Search"
        nodes.append(
            f'<node class="android.widget.ImageButton" content-desc="{word}" clickable="true" '
            'enabled="true" bounds="[230,26][262,58]"/>'
        )
        draw.ellipse((238, 34, 252, 48), outline="black", width=2)
    for number, row in enumerate(rows):
        top = 70 + 56 * number
        place = f"[0,{top}][270,{top + 52}]"
        if row.field:
            nodes.append(
                f'<node class="android.widget.EditText" hint={quoteattr(row.title)} text="" '
                f'clickable="true" enabled="true" focused="true" bounds="{place}"/>'
            )
            draw.rectangle((8, top + 6, 262, top + 46), outline="#888888")
            continue
        clickable = "false" if row.switch is not None else "true"
        nodes.append(
            f'<node class="android.view.View" clickable="{clickable}" enabled="true" '
            f'bounds="{place}"><node class="android.widget.TextView" '
            f'text={quoteattr(row.title)} bounds="[16,{top + 6}][180,{top + 26}]"/>'
        )
        draw.text((16, top + 10), row.title.encode("ascii", "replace").decode(), fill="black")
        if row.subtitle:
            nodes.append(
                f'<node class="android.widget.TextView" text={quoteattr(row.subtitle)} '
                f'bounds="[16,{top + 28}][180,{top + 46}]"/>'
            )
            draw.text((16, top + 30), row.subtitle.encode("ascii", "replace").decode(), fill="gray")
        if row.switch is not None:
            nodes.append(
                f'<node class="android.widget.Switch" clickable="true" checkable="true" '
                f'enabled="true" checked="{str(row.switch).lower()}" '
                f'bounds="[210,{top + 12}][256,{top + 40}]"/>'
            )
            color = "#2563eb" if row.switch else "#aaaaaa"
            draw.rounded_rectangle((210, top + 14, 256, top + 38), 12, fill=color)
        nodes.append("</node>")
    nodes.append("</node>")
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return Scene(
        picture=buffer.getvalue(),
        xml=f"<hierarchy>{''.join(nodes)}</hierarchy>",
        app=f"org.example.{app}",
    )


def look(scene: Scene) -> Observation:
    return Observation(
        Screenshot(scene.picture),
        SIZE,
        UiTree(scene.xml, SIZE, origin="a painted screen"),
        scene.app,
    )


def touch(scene: Scene, label: str) -> Tap:
    node = next(
        node
        for node in UiTree(scene.xml, SIZE).nodes
        if node.label == label and node.box is not None and node.is_("clickable")
    )
    assert node.box is not None
    return Tap(at=node.box.center)


def episode(id_: str, instruction: str, moves: Sequence[tuple[Scene, Action]]) -> Episode:
    return Episode(
        id=id_,
        task_id=id_,
        instruction=instruction,
        steps=tuple(Step(look(scene), Decision(action)) for scene, action in moves),
        final=look(moves[-1][0]),
        outcome="success",
        agent="script",
        device=f"painted {SIZE}",
    )


SETTINGS = paint(
    "settings",
    "Settings",
    [
        Row("Wi-Fi", "HomeNet", switch=True),
        Row("Bluetooth", switch=False),
        Row("Display", "Brightness and sleep"),
        Row("Sound"),
        Row("Storage", "12 GB used"),
    ],
)
NOTES = paint(
    "notes", "All notes", [Row("Groceries"), Row("Ideas"), Row("Trip to Oslo"), Row("Old")]
)
MAIL = paint(
    "mail",
    "Inbox",
    [Row("Anna", "Lunch tomorrow?"), Row("Bank", "Your statement"), Row("Shop", "Order sent")],
)
EDITOR = paint(
    "notes", "New note", [Row("Title", field=True), Row("Pin", switch=False)], search=False
)
CHINESE = paint(
    "clock",
    "闹钟",
    [
        Row("起床", "每天", switch=True),
        Row("午睡", "工作日", switch=False),
        Row("健身", "周末"),
        Row("世界时钟"),
    ],
)
CHINESE_NOTES = paint(
    "notes", "备忘录", [Row("买菜清单"), Row("会议记录"), Row("旅行计划"), Row("读书")]
)


@pytest.fixture
def settings_scene() -> Scene:
    return SETTINGS


@pytest.fixture
def editor_scene() -> Scene:
    return EDITOR


@pytest.fixture
def episodes() -> list[Episode]:
    return painted()


def painted() -> list[Episode]:
    """Five episodes on painted screens, in two languages."""
    return [
        episode(
            "a",
            "Open the display settings",
            [(SETTINGS, touch(SETTINGS, "Display Brightness and sleep"))],
        ),
        episode(
            "b",
            'Write a note called "Milk"',
            [
                (NOTES, touch(NOTES, "Groceries")),
                (EDITOR, TypeText(text="Milk")),
                (EDITOR, Finish()),
            ],
        ),
        episode("c", "Read the mail from Anna", [(MAIL, touch(MAIL, "Anna Lunch tomorrow?"))]),
        episode("d", "打开世界时钟", [(CHINESE, touch(CHINESE, "世界时钟"))]),
        episode("e", "看看旅行计划", [(CHINESE_NOTES, touch(CHINESE_NOTES, "旅行计划"))]),
    ]


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of a vision-language model; torch is imported by who asks for it only."""
    from tests.models.tiny import write_tiny_model

    return write_tiny_model(tmp_path_factory.mktemp("models") / "tiny")
