"""The newer doors: runs and sets of others, pickles of objects, answers, calls of tools, files."""

import asyncio
import gzip
import json
import pickle
import shutil
from base64 import b64encode
from collections.abc import Callable, Mapping
from contextlib import chdir
from functools import cache
from pathlib import Path

import click
import numpy as np
from click.testing import CliRunner
from pydantic import JsonValue

from tapwright.cli.main import cli
from tapwright.cli.project.file import read_project
from tapwright.cli.project.values import check_project
from tapwright.conventions import conventions
from tapwright.core.actions import Tap, TypeText
from tapwright.core.episode import Decision
from tapwright.core.geometry import Point, Size
from tapwright.devices.device import LiveFrame
from tapwright.devices.live_pictures import NumberedFrame
from tapwright.environment.live import (
    ASKED,
    HOLD,
    PICTURE,
    find_attempts,
    give_back,
    home_of,
    read_picture,
)  # fmt: skip
from tapwright.environment.seat import Seat
from tapwright.errors import BadAnswerError, TapwrightError
from tapwright.evaluate.replay import find_point_rule, replay
from tapwright.faces.tools import read_decision
from tapwright.files.place import Place
from tapwright.formats.atif import ATIF
from tapwright.formats.loading.episodes import load
from tapwright.formats.pack.pack import pack_store
from tapwright.formats.pickles.objects import ObjectUnpickler
from tapwright.formats.pickles.read import read_pickles
from tapwright.formats.shared.copy import SharedCopy
from tapwright.formats.shared.log import make_shared
from tapwright.formats.shared.push import WorkingCopy
from tapwright.store.store import EpisodeStore
from tests.formats import (
    test_agentnetbench,
    test_android_world,
    test_atif,
    test_conversations,
    test_cube,
    test_weblinx,
)
from tests.formats import test_published_sets as published
from tests.formats.foreign import picture
from tests.formats.test_pickles import Kept
from tests.hostile.reader import Reader, each_text, import_all, texts
from tests.store.episodes import episode

GOLDEN = Path(__file__).parents[1] / "golden"
SIZE = Size(1080, 2400)
_OLDER_ANSWERS = (
    '{"thought": "I see", "action": "click", "coordinate": [540, 1200]}',
    '<tool_call>{"name": "mobile_use", "arguments": {"action": "click", "coordinate": [5, 6]}}'
    "</tool_call>",
    "Thought: go\nAction: click(start_box='<|box_start|>(197,525)<|box_end|>')",
    "pyautogui.click(x=0.5, y=0.25)\npyautogui.write(message='hello')",
    'do(action="Tap", element=[499, 182])', "<point>[[500, 120]]</point>", "CLICK <point>[[1,2]]",
)  # fmt: skip
_CALLS = (
    '{"name": "tap", "arguments": {"at": {"x": 5, "y": 6}, "reasoning": "go"}}',
    '{"name": "type_text", "arguments": {"text": "hello", "at": {"x": 5, "y": 6}}}',
    '{"name": "hotkey", "arguments": {"keys": ["control", "c"]}}',
)
_PROJECT = """
store = "episodes"
device = ["fake", "phone"]
model = "mine"
settings = {temperature = 0.5}
[models.mine]
model = "openai/m"
base_url = "http://127.0.0.1:1"
price = [1, 2.5]
[eval.run]
limit = 3
"""


_PLANS = (
    "eval run l1 --plan parser=seed --plan epochs=3", "eval run l3 --plan decision_seconds=0.5",
    "record --agent a:b --plan history=3 --plan loops=stop", "record --plan replay=runs/x:y",
    "eval run l1 --plan grounder=a/b --plan level=high --plan rules=each",
)  # fmt: skip


def _golden(name: str) -> Callable[[Path], object]:
    return lambda root: shutil.copytree(GOLDEN / name, root, dirs_exist_ok=True)


def _bench(root: Path) -> None:
    test_agentnetbench.lay_out(root, [test_agentnetbench.truth("click")])


def _android_world(root: Path) -> None:
    screens = [test_android_world.screen(number) for number in range(2)]
    answers = ['Reason: go\nAction: {"action_type": "click", "index": 0}'] * 2
    played = {"raw_screenshot": screens, "action_output": answers, "step_number": [0, 1]}
    attempts = [test_android_world.attempt(played)]
    (root / "T_0.pkl.gz").write_bytes(gzip.compress(pickle.dumps(attempts)))


def _loading(root: Path) -> None:
    store = EpisodeStore(root / "store")
    store.write(episode(2, "one"))

    async def pack() -> None:
        async for _ in pack_store(store, root / "pack"):
            pass

    asyncio.run(pack())


def _load(root: Path, out: Path) -> None:
    for place in ("store", "pack"):
        try:
            found = load(root / place)
            list(found.rows())
            for one in found:
                one._repr_html_()
                for step in one.steps:
                    step.observation._repr_html_()
        except TapwrightError:
            continue


def _parse_command(text: str) -> None:
    words = text.replace("\0", "").split(" ")
    command: click.Command = cli
    context = click.Context(cli)
    try:
        while isinstance(command, click.Group):
            name, found, words = command.resolve_command(context, words)
            assert found is not None  # else it is refused
            command, context = found, click.Context(found, context, name)
        command.make_context(command.name, words, context)
    except (click.ClickException, click.exceptions.Exit):
        return


def _begin_own(root: Path, out: Path) -> None:
    out.mkdir()
    with chdir(out):
        for path in sorted(root.iterdir()):
            if path.is_file():
                kind, _, name = path.read_bytes().decode("utf-8", "replace").partition(" ")
                ended = CliRunner().invoke(cli, ["new", kind, "--", name])
                if not isinstance(ended.exception, TapwrightError | SystemExit | None):
                    raise ended.exception


def _guiact(root: Path) -> None:
    ids = [f"uid_episode_7_step_0{number}" for number in range(2)]
    steps = [published.guiact(id_, {"name": "tap", "point": published.AT}) for id_ in ids]
    (root / "smartphone_test_data.json").write_text(json.dumps(steps))
    published.write_parquet(
        root / "smartphone_test_images.parquet",
        *({"image_id": id_, "base64": b64encode(picture(1)).decode()} for id_ in ids),
    )


def _mind2web(root: Path) -> None:
    published.write_parquet(
        root / "data/train-00000-of-00001-ab.parquet",
        published.mind2web_row(0, {"original_op": "CLICK", "value": ""}),
        published.mind2web_row(1, {"original_op": "TYPE", "value": "tea"}),
    )


def _omniact(root: Path) -> None:
    published.test_a_task_of_omniact_is_done_by_its_script(
        root, "web", "screen1.png", "screen1_boxes.json"
    )


def _objects(root: Path) -> None:
    held = {"screen": np.full((3, 2, 3), 7, np.uint8), "word": "x", "places": [1.5, (2, 3)]}
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        (root / f"{protocol}.pkl").write_bytes(pickle.dumps(held, protocol))


def _read_objects(root: Path, out: Path) -> None:
    for path in sorted(root.iterdir()):
        try:
            list(read_pickles(path, Kept(), ObjectUnpickler))
        except TapwrightError:
            continue


@cache
def _answers() -> tuple[str, ...]:
    """An answer in each convention, as it renders one."""
    rendered = []
    for name in conventions.names():
        for action in (Tap(at=Point(0.5, 0.25)), TypeText(text="hello")):
            try:
                rendered.append(conventions.get(name).render(Decision(action, "I see"), SIZE))
            except TapwrightError:
                continue
    return tuple(dict.fromkeys((*_OLDER_ANSWERS, *rendered)))


def _parse(text: str) -> None:
    for name in conventions.names():
        member = conventions.get(name)
        # Other tests of the same process may have admitted their own.
        if type(member).__module__.startswith("tapwright."):
            try:
                member.parse(text, SIZE)
            except BadAnswerError:
                continue


def _call(text: str) -> None:
    try:
        call = json.loads(text)
        name, arguments = call["name"], dict(call["arguments"])
    except (ValueError, TypeError, KeyError, RecursionError):
        return  # the protocol's own library refuses it
    read_decision(str(name), arguments, "pixel", SIZE)


def _published_answers(root: Path) -> None:
    row: dict[str, JsonValue] = {
        "raw_response": "[500, 500]", "bbox": [10, 10, 90, 90], "img_size": [100, 100],
        "correctness": "correct",
    }  # fmt: skip
    (root / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for _ in range(3)))
    (root / "b.json").write_text(json.dumps({"details": [row, row]}, indent=1))


def _replay(root: Path, out: Path) -> None:
    rule = find_point_rule("screenspot-pro")
    for path in sorted(root.iterdir()):
        try:
            replay(path, conventions.get("qwen2.5-vl"), rule)
        except TapwrightError:
            continue


def _weblinx(root: Path) -> None:
    clicked = test_weblinx.do("click", "s-1.png", properties={"clientX": 55})
    test_weblinx.lay_out(root, test_weblinx.say("instructor", "Open the site"), clicked)


def _store(root: Path) -> None:
    EpisodeStore(root).write(episode(2, "one"))


def _project(root: Path) -> None:
    (root / "tapwright.toml").write_text(_PROJECT)


def _read_project(root: Path, out: Path) -> None:
    names = cli.list_commands(click.Context(cli))
    check_project(read_project(root / "tapwright.toml", names), cli)


def _shared(root: Path) -> None:
    url = (root / "cloud").as_uri()
    make_shared(Place(url))
    here = WorkingCopy(url, root / "here")
    store = EpisodeStore(root / "here")
    for number in (1, 2):
        store.write(episode(2, f"e{number}"))
        here.push()
    shutil.rmtree(root / "here")


def _fetch_shared(root: Path, out: Path) -> None:
    SharedCopy((root / "cloud").as_uri(), out).fetch()
    for one in EpisodeStore(out):
        one._repr_html_()


def _live(root: Path) -> None:
    """What is there while an attempt is held, without its process."""
    played = episode(1, "played")
    directory = home_of(root, played.id)
    with Seat(root, played, 9):
        shutil.copytree(directory, root / "copy")
    shutil.copytree(root / "copy", directory)
    shutil.rmtree(root / "copy")
    (directory / HOLD).write_text(json.dumps({"who": "anna", "beat": 3, "acts": True}))
    (directory / ASKED).write_text(json.dumps({"key": "k", "action": "tap"}))
    live = LiveFrame(picture(1), "jpeg", Size(9, 9), 0.0)
    (directory / PICTURE).write_bytes(NumberedFrame(1, 0, live).pack())


def _watch_live(root: Path, out: Path) -> None:
    for attempt in find_attempts(root):
        read_picture(root, attempt.info.episode)
        give_back(root, attempt.info.episode, "anna")


def _show_in_notebook(root: Path, out: Path) -> None:
    for one in EpisodeStore(root):
        shown = [one._repr_html_(), *(step.observation._repr_html_() for step in one.steps)]
        assert not any("<script" in page.lower() for page in shown)


NEWER: Mapping[str, Reader] = {
    "weblinx": Reader(_weblinx, import_all),
    "shared": Reader(_shared, _fetch_shared),
    "live view": Reader(_live, _watch_live),
    "notebook": Reader(_store, _show_in_notebook),
    "guiact": Reader(_guiact, import_all),
    "mind2web": Reader(_mind2web, import_all),
    "amex": Reader(published.test_a_demonstration_of_amex_has_its_elements_and_its_app, import_all),
    "cagui": Reader(published.test_a_chinese_phone_of_cagui_is_read_as_aitz_is, import_all),
    "gui-360": Reader(published.test_a_run_of_gui_360_keeps_what_a_hand_can_do, import_all),
    "omniact": Reader(_omniact, import_all),
    "atif": Reader(lambda root: ATIF.write([test_atif.episode()], root / "x"), import_all),
    "cube": Reader(test_cube.played, import_all),
    "verifiers": Reader(test_conversations.played, import_all),
    "openenv": Reader(test_conversations.openenv, import_all),
    "agentlab": Reader(_golden("agentlab"), import_all, (".md",)),
    "agentnetbench": Reader(_bench, import_all),
    "androidworld": Reader(_android_world, import_all),
    "inspect": Reader(_golden("inspect"), import_all, (".md",)),
    "osworld": Reader(_golden("osworld"), import_all, (".md",)),
    "loading": Reader(_loading, _load),
    "plans": Reader(texts(*_PLANS), each_text(_parse_command)),
    "names": Reader(texts("suite mine", "importer mine", "agent mine"), _begin_own),
    "objects": Reader(_objects, _read_objects),
    "answers": Reader(lambda root: texts(*_answers())(root), each_text(_parse)),
    "calls": Reader(texts(*_CALLS), each_text(_call)),
    "published answers": Reader(_published_answers, _replay),
    "project": Reader(_project, _read_project),
}
