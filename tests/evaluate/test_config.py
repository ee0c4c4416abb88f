import json
from pathlib import Path
from typing import Any

import pytest

from tapwright.evaluate.config import read_config
from tapwright.evaluate.errors import PlanError
from tapwright.evaluate.plan import RunPlan

TOML = """
[plan]
epochs = 2
[benchmarks.l1]
data = "bench"
shuffle_options = true
[benchmarks.l2]
data = "bench"
limit = 5
[models."openai/small"]
base_url = "http://127.0.0.1:8000/v1"
key = "SMALL_KEY"
settings = { temperature = 0.0 }
space = "permille"
prompts = { l2 = "mine.build" }
price = { input = 1, output = 2.5 }
[models.tree]
"""
MODEL: dict[str, Any] = {
    "model_path": "http://127.0.0.1:8000/v1?api_key=sk-a+b%3D-secret&model=gpt-4o",
    "imp_type": "openai",
    "generate_cfg": {"temperature": 0.7},
    "preprocess_function": "models.base.default_preprocess_function",
    "kwargs": {"system_prompt": "model_default", "img_size": -1, "retry": 5, "verbose": True},
}
DATA = {
    "GUIContentUnderstanding": {"mode": "easy", "match_mode": "exact_matching"},
    "GUIElementGrounding": {"mode": "all", "parse_function": "mine.parse"},
}


def write(tmp_path: Path, found: object) -> Path:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(found))
    return path


def mmbench(tmp_path: Path, data: object = DATA, **changed: Any) -> Path:
    model = {name: value for name, value in {**MODEL, **changed}.items() if value is not None}
    return write(tmp_path, {"model": {"gpt": model}, "data": data})


def test_every_model_meets_every_benchmark(tmp_path: Path) -> None:
    path = tmp_path / "eval.toml"
    path.write_text(TOML)
    found = read_config(path).combinations
    assert [(one.spec, one.benchmark) for one in found] == [
        ("openai/small", "l1"), ("openai/small", "l2"), ("tree", "l1"), ("tree", "l2"),
    ]  # fmt: skip
    first, second, third, _ = found
    assert (first.base_url, first.key) == ("http://127.0.0.1:8000/v1", "SMALL_KEY")
    assert first.settings == {"temperature": 0.0}
    assert first.plan.shuffle_options
    assert (second.plan.build, first.plan.build) == ("mine.build", "")
    assert (second.plan.space, second.plan.limit, second.plan.epochs) == ("permille", 5, 2)
    assert third.plan == RunPlan(epochs=2, shuffle_options=True)
    assert {one.source for one in found} == {"bench"}


def test_json_says_the_same(tmp_path: Path) -> None:
    import tomllib

    (tmp_path / "eval.toml").write_text(TOML)
    path = write(tmp_path, tomllib.loads(TOML))
    assert read_config(path) == read_config(tmp_path / "eval.toml")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[plan", "not TOML"),
        ("[models.x]\n[benchmarks.l1]\nepoch = 2", r"models.x on l1: epoch: Extra"),
        ("[models.x]\n[benchmarks.l1]\nlimit = 0", r"limit: .*greater"),
        ("[models.x]", "no benchmarks"),
        ("[model.x]", "'model' is not a key"),
        ("models = 1\nbenchmarks = 2", "models: int; expected a table"),
        ("[models.x]\nbase_url = 1\n[benchmarks.l1]", "base_url: int; expected text"),
    ],
)
def test_what_is_wrong_is_said_with_file_and_key(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "eval.toml"
    path.write_text(text)
    with pytest.raises(PlanError, match=said) as caught:
        read_config(path)
    assert str(path) in str(caught.value)


def test_the_originals_config_is_read_as_it_means(tmp_path: Path) -> None:
    l1, l2 = read_config(mmbench(tmp_path)).combinations
    assert (l1.benchmark, l1.spec, l1.base_url) == (
        "l1",
        "openai/gpt-4o",
        "http://127.0.0.1:8000/v1",
    )
    assert l1.plan == RunPlan(parser="seed", system="model_default", only={"difficulty": "easy"})
    assert l2.plan == RunPlan(parser="seed", system="model_default", parse="mine.parse")
    assert l1.settings == {"temperature": 0.7}


def test_a_key_in_an_address_is_used_and_told_nowhere(tmp_path: Path) -> None:
    config = read_config(mmbench(tmp_path))
    assert config.combinations[0].secret == "sk-a+b=-secret"
    assert "secret" not in "".join(config.notices) + repr(config).replace("secret_", "")
    assert any("OPENAI_API_KEY" in notice for notice in config.notices)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"model_path": "https://x/v1?api_key=my-key=gpt-4o"}, "does not name its model"),
        ({"model_path": "https://x/v1?api_key=my-key"}, "does not name its model"),
        ({"model_path": "/models/a", "imp_type": "lmdeploy"}, "imp_type 'lmdeploy'"),
        ({"model_path": None}, "no model_path"),
        ({"imp_type": "claude"}, "imp_type 'claude'"),
        ({"kwargs": {"system_propmpt": "x"}}, "'system_propmpt' is no key"),
        ({"kwargs": {"image_size": 700}}, "'image_size' is no key"),
        ({"custom_prompts": {}}, "'custom_prompts' is no key"),
    ],
)
def test_what_the_original_gets_wrong_has_a_name(
    tmp_path: Path, changed: dict[str, Any], said: str
) -> None:
    with pytest.raises(PlanError, match=said) as caught:
        read_config(mmbench(tmp_path, **changed))
    assert "my-key" not in str(caught.value) + caught.value.hint


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"GUITaskAutomation": {}}, "not published"),
        ({"GUIElementGrounding": {"match_mode": "gpt-4-0125"}}, "judging model"),
        ({"GUIElementGrounding": {"parse_functions": "x.y"}}, "'parse_functions' is no key"),
    ],
)
def test_data_that_cannot_be_measured_is_refused(
    tmp_path: Path, data: dict[str, Any], said: str
) -> None:
    with pytest.raises(PlanError, match=said):
        read_config(mmbench(tmp_path, data))


def test_a_directory_of_a_model_is_run_here(tmp_path: Path) -> None:
    given = {"max_new_tokens": 512, "do_sample": False, "temperature": 0.7, "num_beams": 2}
    kind = {"model_path": "/models/ui-tars", "imp_type": "transformers"}
    config = read_config(mmbench(tmp_path, **kind, generate_cfg=given))
    one = config.combinations[0]
    assert (one.spec, one.base_url) == ("transformers//models/ui-tars", None)
    assert one.settings == {"max_tokens": 512}
    assert any("generate_cfg: num_beams has no effect here" in said for said in config.notices)


def test_a_key_that_nothing_reads_is_a_notice(tmp_path: Path) -> None:
    path = mmbench(
        tmp_path,
        {"GUIElementGrounding": {"mode": "all", "judge": True}},
        kwargs={"system_prompt": "model_default", "longest_edge": 2000, "img_detail": "low"},
        nproc=4,
    )
    config = read_config(path)
    where = f"{path}: model.gpt"
    assert config.notices[1:] == (
        f"{where}.kwargs: img_detail has no effect here",
        f"{where}.kwargs: longest_edge has no effect here",
        f"{where}: nproc has no effect here",
        f"{path}: data.GUIElementGrounding: judge has no effect here",
    )
    assert config.combinations[0].plan.system == "model_default"


def test_the_arguments_of_a_model_go_to_its_functions(tmp_path: Path) -> None:
    given = {"system_prompt": "model_default", "img_size": -1, "longest_edge": 2000}
    path = mmbench(tmp_path, postprocess_function="mine.post", kwargs=given)
    config = read_config(path)
    assert config.combinations[0].plan.hook_kwargs == given
    assert "longest_edge" not in " ".join(config.notices)


def test_keys_of_the_published_config_for_a_server_are_read(tmp_path: Path) -> None:
    """As in `configs/config_api_uitars.json` of the original."""
    path = mmbench(
        tmp_path,
        {"GUIElementGrounding": {"mode": "all", "parse_function": "models.api.parse"}},
        generate_function="",
        preprocess_function="",
        postprocess_function="",
        custom_prompt={"GUIElementGrounding": "models.api.build"},
        kwargs={
            "system_prompt": "model_default", "max_pixels": 2116800, "min_pixels": 3136,
            "shortest_edge": 1000, "longest_edge": 2000, "img_size": -1, "img_detail": "low",
        },
    )  # fmt: skip
    config = read_config(path)
    (one,) = config.combinations
    assert (one.plan.build, one.plan.parse) == ("models.api.build", "models.api.parse")
    said = " ".join(config.notices)
    assert all(f"{key} has no effect" in said for key in ("longest_edge", "shortest_edge"))
