"""Every reader of strangers' files, with a small good input of each: what the campaign damages."""

import asyncio
import gzip
import json
import random
import shutil
import zipfile
from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path

from PIL import Image
from pydantic import JsonValue

from tapwright.benchmarks import benchmarks
from tapwright.benchmarks.benchmark import StaticSample
from tapwright.core.geometry import Size
from tapwright.core.observation import UiTree
from tapwright.core.screenshot import Screenshot
from tapwright.devices.fake import painted_scene
from tapwright.errors import TapwrightError
from tapwright.evaluate.config import read_config
from tapwright.evaluate.report import write_report
from tapwright.evaluate.run_log import read_run
from tapwright.files.regular import read_regular
from tapwright.formats.exporters.llamafactory import LLAMAFACTORY
from tapwright.formats.exporters.ms_swift import MS_SWIFT
from tapwright.formats.exporters.trl import TRL
from tapwright.formats.exporters.web_dataset import WEB_DATASET
from tapwright.formats.pack.pack import pack_store
from tapwright.formats.pack.unpack import unpack_store
from tapwright.models.anthropic import AnthropicModel
from tapwright.models.errors import UnreadableResponseError
from tapwright.models.gemini import GeminiModel
from tapwright.models.openai import OpenAIModel
from tapwright.models.openai_responses import OpenAIResponsesModel
from tapwright.models.pricing import read_price
from tapwright.models.server_errors import FailedAnswerError
from tapwright.store.store import EpisodeStore
from tapwright.tasks.definitions.lint import lint
from tapwright.tasks.definitions.task import task_from_definition
from tapwright.tasks.definitions.textproto import read_task
from tapwright.tasks.events.expressions import compile_transformation
from tapwright.tasks.events.selectors import select_nodes
from tapwright.tasks.milestones.rule_file import read_rule
from tapwright.tasks.milestones.rules import lint_rule
from tapwright.tasks.patterns import compile_pattern
from tapwright.tasks.templates.confs import read_conf, read_task_file
from tapwright.tasks.templates.tables import read_rows
from tapwright.tasks.templates.template import read_template
from tests.benchmarks.dataset_samples import LAYOUTS
from tests.evaluate.test_config import TOML
from tests.formats import (
    test_agentnet,
    test_android_control,
    test_dual_point,
    test_gui_odyssey,
    test_screenagent,
    training_sets,
)
from tests.formats.foreign import framed
from tests.hostile.kept_readers import KEPT
from tests.hostile.newer_readers import NEWER
from tests.hostile.reader import Reader, each_text, import_all, texts
from tests.store.episodes import episode

GOLDEN = Path(__file__).parents[1] / "golden"
SIZE = Size(1080, 2400)
_WIRES = [
    {"choices": [{"message": {"content": "tap", "tool_calls": [{"function": {"name": "a"}}]}}],
     "usage": {"prompt_tokens": 1, "completion_tokens": 2}},
    {"content": [{"type": "text", "text": "tap"}], "usage": {"input_tokens": 3}},
    {"candidates": [{"content": {"parts": [{"text": "tap"}]}}], "usageMetadata": {}},
    {"output": [{"type": "message", "content": [{"type": "output_text", "text": "tap"}]}]},
]  # fmt: skip
_ROW = {
    "key": "a", "status": "done",
    "value": {"id": "a", "about": {"labels": {"app": "mail"}, "cluster": "c", "truth": "A"},
              "status": "ok", "answer": "A", "parsed": "A", "score": 1.0, "latency_s": 0.5,
              "detail": {"x": 1}, "usage": {"input_tokens": 5, "output_tokens": 1}},
}  # fmt: skip
_HEADER = {
    "job": "evaluate", "created": "2026-01-01T00:00:00+00:00",
    "config": {"tapwright": "0", "benchmark": "l1", "source": "x", "data_sha256": "0" * 64,
               "subject": "openai/m", "prompt_sha256": "0" * 64, "samples": 1,
               "config": {"plan": {"postprocess": "tests.hostile.canary:strike"}}},
}  # fmt: skip
_RULE = """
nodes:
  - id: a
    condition:
      type: text_match
      params: {any: [hello, "(a+)+b"]}
success: {all_of: [a]}
"""
_TRANSFORMS = [
    "y = int(x[0]) * 2", "y = '%s: %5d' % (x[1], 3)", "y = [one * 3 for one in x]",
    "y = {'a': x[0].replace('5', '6')}", "y = f'{x[0]:>3}' + str(round(2.5, 1))",
]  # fmt: skip
_PATTERNS = [r"(\w+) (\d{1,3})?", r"^(?:a|b){2,5}$", r"(?i)[a-z]{3}(?!x)", r"(?P<n>[^ ]*)[ ]?(.*)"]
_SELECTORS = ['#"a" > node:nth-child(2)', '[text="x"] ~ node:not(@1)', "node:has(> node), * + *"]


def _aitw(root: Path) -> None:
    steps = [test_dual_point.aitw_step(number, 2) for number in range(2)]
    (root / "a.tfrecord").write_bytes(framed(*steps))


def _aitz(root: Path) -> None:
    steps = [test_dual_point.aitz_step(number, 2) for number in range(2)]
    test_dual_point.lay_out(root / "general" / "GENERAL-7", *steps)


def _archive(root: Path) -> None:
    _aitz(root / "x")
    with zipfile.ZipFile(root / "x.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted((root / "x").rglob("*.*")):
            archive.write(file, str(file.relative_to(root / "x")))
    shutil.make_archive(str(root / "y"), "gztar", root / "x")
    shutil.rmtree(root / "x")


def _lines(root: Path) -> None:
    wait: dict[str, JsonValue] = {"action": "wait", "time": 2}
    (root / "std.jsonl").write_text(
        test_android_control.line(test_android_control.CLICK, wait), encoding="utf-8"
    )


def _odyssey(root: Path) -> None:
    step: dict[str, JsonValue] = {"action": "SCROLL", "info": [[500, 800], [500, 200]]}
    test_gui_odyssey.lay_out(root, step, {"action": "TEXT", "info": "hello"})


def _sessions(root: Path) -> None:
    test_screenagent.lay_out(root, [test_screenagent.mouse("click")], [test_screenagent.key("a")])


def _agentnet(root: Path) -> None:
    test_agentnet.lay_out(root, "pyautogui.click(0.5, 0.25)", "pyautogui.hotkey(['ctrl', 'c'])")


def _pickle(root: Path) -> None:
    shutil.copy(GOLDEN / "mobile_env_pickles/raw/alice.5.pkl", root)


def _recordings(root: Path) -> None:
    shutil.copytree(GOLDEN / "mobiagent_sft/data/Notes", root / "Notes")


def _benchmarks(root: Path) -> None:
    for name, (write, row) in LAYOUTS.items():
        write(root / name, row)


def _read_benchmarks(root: Path, out: Path) -> None:
    for name in LAYOUTS:
        try:
            loaded = benchmarks.get(name)(str(root / name))
            for sample in loaded.samples():
                if isinstance(sample, StaticSample):
                    Screenshot(read_regular(sample.picture)).image()
        except (TapwrightError, OSError):
            continue


def _training_set(root: Path) -> None:
    training_sets.export(LLAMAFACTORY, training_sets.TWO, root / "llamafactory")
    training_sets.export(MS_SWIFT, training_sets.TWO, root / "ms-swift")
    training_sets.export(TRL, training_sets.TWO, root / "trl")
    training_sets.export(WEB_DATASET, training_sets.TWO, root / "webdataset")


def _check_training_sets(root: Path, out: Path) -> None:
    for format_ in (LLAMAFACTORY, MS_SWIFT, TRL, WEB_DATASET):
        try:
            format_.check(root / format_.name)
        except TapwrightError:
            continue


def _bombs(root: Path) -> None:
    doubled = b"".join(b"h" + bytes([number]) + b"\x86\x94" for number in range(60))
    (root / "memo.pkl").write_bytes(b"\x80\x04]\x94" + b"(NNt\x94" + doubled + b"a.")
    with zipfile.ZipFile(root / "zeros.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zeros.json", bytes(80_000_000))
    (root / "z.tfrecord.gz").write_bytes(gzip.compress(framed(bytes(1_000_000)) * 80, 1))
    (root / "deep.json").write_text("[" * 100_000, encoding="utf-8")


def _copy(name: str) -> Callable[[Path], object]:
    return lambda root: shutil.copytree(GOLDEN / name, root, dirs_exist_ok=True)


def _read_store(root: Path, out: Path) -> None:
    store = EpisodeStore(root)
    for id_ in store.scan()[0]:
        try:
            found = store.read(id_)
            store.history(id_)
            for step in found.steps:
                for screen in step.screens:
                    screen.screenshot.image()
                    if screen.ui_tree is not None:
                        _ = screen.ui_tree.nodes
                dict(step.state)
        except TapwrightError:
            continue


def _pack(root: Path) -> None:
    store = EpisodeStore(root / "store")
    store.write(episode(2, "one"))
    store.write(episode(2, "two"))

    async def run() -> None:
        async for _ in pack_store(store, root / "pack"):
            pass

    asyncio.run(run())
    shutil.rmtree(root / "store")


def _unpack(root: Path, out: Path) -> None:
    list(unpack_store(root / "pack", EpisodeStore(out)))


def _run_log(root: Path) -> None:
    lines = [json.dumps(_HEADER), json.dumps(_ROW), ""]
    (root / "run.jsonl").write_text("\n".join(lines), encoding="utf-8")


def _show_run(root: Path, out: Path) -> None:
    out.mkdir()
    write_report([read_run(root)], out / "report.html")


def _definition(root: Path) -> None:
    shutil.copy(GOLDEN / "mobile_env_pickles/tasks/shop-find.textproto", root)
    shutil.copy(GOLDEN / "mobile_env_bookmark/expected.textproto", root)


def _read_definition(root: Path, out: Path) -> None:
    for path in sorted(root.glob("*.textproto")):
        definition = read_task(path)
        lint(definition)
        task_from_definition(definition, folder=root)


def _read_templates(root: Path, out: Path) -> None:
    warned: list[object] = []
    for path in sorted(one for one in root.rglob("*") if one.is_file()):
        try:
            match path.suffix:
                case ".template":
                    read_template(path, warned.append)
                case ".conf":
                    read_conf(path)
                case ".task":
                    read_task_file(path, warned.append)
                case ".csv" | ".jsonl":
                    list(read_rows(path))
        except TapwrightError:
            continue


def _templates(root: Path) -> None:
    _copy("mobile_env_bookmark")(root)
    (root / "rows.csv").write_text("a,b\n1,2\n3,4\n", encoding="utf-8")
    (root / "rows.jsonl").write_text('{"a": 1, "b": "x"}\n' * 3, encoding="utf-8")


def _tree(root: Path) -> None:
    (root / "tree.xml").write_text(painted_scene(3, SIZE).xml, encoding="utf-8")


def _read_tree(root: Path, out: Path) -> None:
    try:
        xml = read_regular(root / "tree.xml").decode("utf-8", "surrogateescape")
    except OSError:
        return
    tree = UiTree(xml, SIZE)
    _ = tree.nodes
    for selector in _SELECTORS:
        select_nodes(tree, selector)


def _pictures(root: Path) -> None:
    noise = Image.effect_noise((40, 60), 50).convert("RGB")
    for kind in ("PNG", "JPEG", "WEBP", "AVIF", "JPEG2000", "GIF", "BMP", "TIFF"):
        made = BytesIO()
        noise.save(made, kind)
        (root / kind).write_bytes(made.getvalue())


def _read_pictures(root: Path, out: Path) -> None:
    for path in sorted(root.iterdir()):
        try:
            Screenshot(read_regular(path), origin=path.name).image()
        except (TapwrightError, OSError):
            continue


def _read_wire(text: str) -> None:
    for kind in (OpenAIModel, AnthropicModel, GeminiModel, OpenAIResponsesModel):
        model = kind("m", base_url="http://127.0.0.1:9/v1", api_key="sk-0123456789")
        try:
            model._completion(text.encode("utf-8", "surrogatepass"), {})
        except (UnreadableResponseError, FailedAnswerError):
            continue


def _config(root: Path) -> None:
    (root / "eval.toml").write_text(TOML, encoding="utf-8")


def _transform(text: str) -> None:
    compile_transformation((text,))(("5", "a"))


def _search(text: str) -> None:
    compile_pattern(text).search("abc 123 " * 40)


def _select(text: str) -> None:
    select_nodes(UiTree(painted_scene(3, SIZE).xml, SIZE), text)


def _rule(root: Path) -> None:
    (root / "rule.yaml").write_text(_RULE, encoding="utf-8")


def _read_rule(root: Path, out: Path) -> None:
    lint_rule(read_rule(root / "rule.yaml"))


def _prices(root: Path) -> None:
    (root / "p.json").write_text('{"m": {"input": 1, "output": 2.5}}', encoding="utf-8")


READERS: Mapping[str, Reader] = {
    "aitw": Reader(_aitw, import_all),
    "aitz": Reader(_aitz, import_all),
    "android-control": Reader(_lines, import_all),
    "gui-odyssey": Reader(_odyssey, import_all),
    "screenagent": Reader(_sessions, import_all),
    "agentnet": Reader(_agentnet, import_all),
    "mobile-env": Reader(_pickle, import_all),
    "mobiagent": Reader(_recordings, import_all),
    "archive": Reader(_archive, import_all),
    "bombs": Reader(_bombs, import_all),
    "episodes": Reader(_copy("episodes_schema_1"), _read_store, (".md", "expected.json")),
    "pack": Reader(_pack, _unpack),
    "run log": Reader(_run_log, _show_run),
    "definition": Reader(_definition, _read_definition),
    "templates": Reader(_templates, _read_templates, (".md",)),
    "tree": Reader(_tree, _read_tree),
    "pictures": Reader(_pictures, _read_pictures),
    "model wire": Reader(texts(*map(json.dumps, _WIRES)), each_text(_read_wire)),
    "config": Reader(_config, lambda root, out: read_config(root / "eval.toml")),
    "expressions": Reader(texts(*_TRANSFORMS), each_text(_transform)),
    "patterns": Reader(texts(*_PATTERNS), each_text(_search)),
    "selectors": Reader(texts(*_SELECTORS), each_text(_select)),
    "rules": Reader(_rule, _read_rule),
    "benchmarks": Reader(_benchmarks, _read_benchmarks),
    "training sets": Reader(_training_set, _check_training_sets),
    "prices": Reader(_prices, lambda root, out: read_price(root / "p.json", "m")),
    **NEWER,
    **KEPT,
}


def choose_file(root: Path, reader: Reader, chance: random.Random) -> Path:
    """A file of the input to damage."""
    files = sorted(
        one
        for one in root.rglob("*")
        if one.is_file() and not one.name.endswith(reader.left or "\0")
    )
    return chance.choice(files)
