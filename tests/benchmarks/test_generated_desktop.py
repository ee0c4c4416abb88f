"""L1 and L2 out of desktops' screens: roles, platforms, and targets as small as they are there."""

import io
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from PIL import Image

from tapwright.benchmarks.generated import make_benchmarks
from tapwright.benchmarks.grounding import GroundingBenchmark
from tapwright.core.actions import Finish
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.geometry import Size
from tapwright.core.observation import Observation, UiTree
from tapwright.core.screenshot import Screenshot

FULL_HD, UHD = Size(1920, 1080), Size(3840, 2160)
LINUX = [
    ("atspi.Menu", "File", 40, 20), ("atspi.MenuItem", "Save As...", 300, 25),
    ("atspi.TableCell", "Budget", 80, 17), ("atspi.PageTab", "Sheet1", 60, 20),
    ("atspi.TreeItem", "Settings", 200, 20), ("atspi.PushButton", "Export", 1200, 400),
]  # fmt: skip
WINDOWS = [("android.widget.MenuItem", "Copy", 90, 20), ("android.widget.TreeItem", "C:", 90, 20)]


def screen(size: Size, controls: Sequence[tuple[str, str, int, int]], *, kind: str = "") -> Episode:
    top, nodes = 2, []
    for class_name, text, width, height in controls:
        nodes.append(
            f'<node class="{class_name}" text="{text}" clickable="true" enabled="true" '
            f'{kind} bounds="[10,{top}][{10 + width},{top + height}]"/>'
        )
        top += height + 4
    root = f'<node class="atspi.DesktopFrame" bounds="[0,0][{size.width},{size.height}]">'
    if kind:
        root = f'<node class="android.view.ViewGroup" {kind} bounds="[0,0][9,9]">'
    xml = f"<hierarchy>{root}{''.join(nodes)}</node></hierarchy>"
    buffer = io.BytesIO()
    Image.new("RGB", (size.width, size.height), (size.width % 255, top % 255, 9)).save(
        buffer, "PNG"
    )
    seen = Observation(Screenshot(buffer.getvalue()), size, UiTree(xml, size), app="office")
    steps = (Step(seen, Decision(Finish())),)
    return Episode(
        id=f"e{size.width}{len(nodes)}", task_id="t", instruction="Look", steps=steps, final=seen,
        outcome="success", agent="script", device="desktop",
    )  # fmt: skip


def rows_of(out: Path) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = json.loads((out / "L2_annotations.json").read_text())
    return rows


@pytest.mark.parametrize("size", [FULL_HD, UHD], ids=str)
def test_targets_have_their_roles_and_sizes(size: Size, tmp_path: Path) -> None:
    make_benchmarks([screen(size, LINUX)], tmp_path / "own", per_screen=10)
    rows = rows_of(tmp_path / "own")
    aims = {str(row["instruction"]): row["target_size"] for row in rows}
    for words in ('"File" menu', '"Save As..." menu item', '"Budget" cell', '"Sheet1" tab'):
        assert any(words in aim for aim in aims), (words, aims)
    assert any('"Settings" tree item' in aim for aim in aims)
    (large,) = {size for aim, size in aims.items() if '"Export"' in aim and "button" in aim}
    assert large == "large"
    assert {row["platform"] for row in rows} == {"os_linux"}
    samples = GroundingBenchmark(tmp_path / "own").samples()
    assert {sample.labels["target_size"] for sample in samples} >= {"small", "large"}


@pytest.mark.parametrize("size", [FULL_HD, UHD], ids=str)
def test_only_small_targets_are_made_when_they_are_wanted(size: Size, tmp_path: Path) -> None:
    make_benchmarks([screen(size, LINUX)], tmp_path / "own", per_screen=10, small=True)
    rows = rows_of(tmp_path / "own")
    assert {row["target_size"] for row in rows} == {"small"}
    for row in rows:
        edges = row["bbox"]
        assert isinstance(edges, list)
        assert (edges[2] - edges[0]) * (edges[3] - edges[1]) < 0.001


@pytest.mark.parametrize(
    ("kind", "platform"),
    [('type="MenuItem"', "os_windows"), ('type="XCUIElementTypeMenuBar"', "os_mac")],
)
def test_other_computers_are_told_by_their_drivers_words(
    kind: str, platform: str, tmp_path: Path
) -> None:
    make_benchmarks([screen(FULL_HD, WINDOWS, kind=kind)], tmp_path / "own", per_screen=10)
    rows = rows_of(tmp_path / "own")
    assert {row["platform"] for row in rows} == {platform}
    assert any('"Copy" menu item' in str(row["instruction"]) for row in rows)
    assert GroundingBenchmark(tmp_path / "own").samples()
