"""What an evaluation would ignore is refused by name."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tapwright.benchmarks import benchmarks
from tapwright.benchmarks.generated import make_benchmarks
from tapwright.core.episode import Episode
from tapwright.errors import DiskError, UsageError
from tapwright.evaluate.combination import RunCombination
from tapwright.evaluate.config import read_config
from tapwright.evaluate.errors import PlanError
from tapwright.evaluate.plan import RunPlan
from tapwright.evaluate.taken_options import kind_of_name, list_unused
from tapwright.workflows.agents import AgentConfig
from tapwright.workflows.evaluate import RunSettings, run_benchmark
from tapwright.workflows.host import HostConfig
from tapwright.workflows.own_names import admit_benchmark

MODEL = "scripted/A"


def test_every_registered_benchmark_is_of_a_kind() -> None:
    own = [name for name in benchmarks.names() if ":" not in name]  # but for those of examples
    kinds = {name: kind_of_name(name) for name in own}
    assert None not in kinds.values()
    assert (kinds["l1"], kinds["l2"], kinds["screenspot-pro-cn"]) == (
        "questions", "pointing", "pointing",
    )  # fmt: skip
    assert (kinds["steps-aitw"], kinds["l3"], kinds["miniwob"]) == ("steps", "tasks", "tasks")
    assert kind_of_name("mine:BENCHMARK") is None


@pytest.mark.parametrize(
    ("benchmark", "spec", "keys", "unused"),
    [
        ("l1", MODEL, {"convention": "json"}, ["convention"]),
        ("l1", MODEL, {"space": "permille", "parser": "seed"}, ["space"]),
        ("l2", MODEL, {"shuffle_options": True}, ["shuffle_options"]),
        ("l2", MODEL, {"convention": "qwen3-vl", "space": "permille"}, ["space"]),
        ("l2", MODEL, {"convention": "qwen3-vl", "parser": "seed"}, ["parser"]),
        ("l2", MODEL, {"convention": "qwen3-vl", "max_pixels": 2000}, []),
        ("l2", MODEL, {"convention": "qwen2.5-vl", "max_pixels": 2000}, ["max_pixels"]),
        ("l2", MODEL, {"convention": "qwen2.5-vl", "parse": "a.b", "max_side": 99},
         ["max_side", "parse"]),
        ("l2", "tree", {"space": "permille", "build": "a.b"}, ["build", "space"]),
        ("steps-qwen", MODEL, {"space": "permille", "convention": "json"}, ["space"]),
        ("l3", MODEL, {"build": "a.b", "only": {"app": "x"}, "system": "Hi"}, ["build", "system"]),
        ("l3", MODEL, {"convention": "json", "max_pixels": 2000}, []),
        ("l3", MODEL, {"convention": "qwen2.5-vl", "max_pixels": 2000}, ["max_pixels"]),
        ("l3", "tree", {"max_pixels": 2000}, ["max_pixels"]),
        ("steps-qwen", MODEL, {"step_history": "last:1", "annotator": "rules"}, []),
        ("steps-qwen", "tree", {"step_history": "last:1"}, ["step_history"]),
        ("l3", MODEL, {"step_history": "last:1"}, ["step_history"]),
    ],
)  # fmt: skip
def test_keys_without_effect_are_found(
    benchmark: str, spec: str, keys: dict[str, Any], unused: list[str]
) -> None:
    assert list_unused(kind_of_name(benchmark), spec, RunPlan.model_validate(keys)) == unused


@pytest.mark.parametrize(
    ("plan", "settings", "said"),
    [
        (RunPlan(convention="json", space="permille"), RunSettings(),
         "--space has no effect: the convention json decides it"),
        (RunPlan(), RunSettings(device="phone"), "--device has no effect"),
        (RunPlan(), RunSettings(max_s=3), "--max-seconds has no effect"),
        (RunPlan(), RunSettings(AgentConfig(loops="end")), "loops has no effect"),
        (RunPlan(), RunSettings(AgentConfig(convention="holo")), "RunPlan"),
    ],
)  # fmt: skip
def test_a_run_is_refused_before_it_starts(
    plan: RunPlan, settings: RunSettings, said: str, episodes: list[Episode], tmp_path: Path
) -> None:
    make_benchmarks(episodes, tmp_path / "own")
    one = RunCombination("l2", MODEL, plan, str(tmp_path / "own"))
    with pytest.raises(UsageError) as caught:
        asyncio.run(run_benchmark(one, tmp_path / "run", HostConfig(), settings))
    assert said in f"{caught.value} {caught.value.hint}"
    assert not (tmp_path / "run").exists()


def test_a_full_disk_is_no_mistake_in_what_data_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "full_disk.py").write_text(
        "import errno\n\n\ndef load(source):\n"
        "    raise OSError(errno.ENOSPC, 'No space left on device', '/tmp/unpacked')\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    admit_benchmark("full_disk:load")
    one = RunCombination("full_disk:load", MODEL, RunPlan(), "data")
    with pytest.raises(DiskError, match="/tmp/unpacked: cannot be written: No space left"):
        asyncio.run(run_benchmark(one, tmp_path / "run", HostConfig()))


def test_a_models_convention_counts_on_the_benchmarks_that_take_one(tmp_path: Path) -> None:
    path = tmp_path / "eval.toml"
    path.write_text(
        '[benchmarks.l1]\ndata = "b"\n[benchmarks.l2]\ndata = "b"\n[benchmarks.l3]\n'
        '[models."openai/a"]\nconvention = "qwen2.5-vl"\n[models.tree]\n'
    )
    found = {(one.spec, one.benchmark): one.plan for one in read_config(path).combinations}
    assert found["openai/a", "l1"] == found["tree", "l2"] == RunPlan()
    assert found["openai/a", "l2"].convention == found["openai/a", "l3"].convention == "qwen2.5-vl"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[models."a/b"]\nconvention = "json"\n[benchmarks.l1]', "convention has no effect on l1"),
        ('[models.tree]\n[plan]\nspace = "pixel"\n[benchmarks.l2]', "space has no effect on l2"),
    ],
)
def test_a_key_of_a_file_that_no_evaluation_takes_is_refused(
    text: str, said: str, tmp_path: Path
) -> None:
    path = tmp_path / "eval.toml"
    path.write_text(text)
    with pytest.raises(PlanError, match=said):
        read_config(path)
