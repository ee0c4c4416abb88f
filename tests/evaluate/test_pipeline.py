import asyncio
import io
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

import pytest

from tapwright.benchmarks import understanding
from tapwright.benchmarks.benchmark import StaticSample
from tapwright.benchmarks.generated import make_benchmarks
from tapwright.benchmarks.grounding import GroundingBenchmark
from tapwright.benchmarks.static_benchmark import StaticBenchmark
from tapwright.benchmarks.understanding import UnderstandingBenchmark
from tapwright.conventions.grounders import MMBENCH_GUI
from tapwright.core.episode import Episode
from tapwright.core.messages import Message, Picture
from tapwright.evaluate.errors import HookError
from tapwright.evaluate.hook_messages import api_messages, flat_messages
from tapwright.evaluate.hooks import dataset_name, load_hook, sample_line, table_line
from tapwright.evaluate.pipeline import ModelQueries
from tapwright.evaluate.plan import RunPlan
from tapwright.evaluate.run import evaluate
from tapwright.evaluate.run_log import read_run
from tapwright.formats.exporters.pictures import PictureEncoder
from tapwright.formats.exporters.training_set import SftSettings
from tapwright.models.scripted import ScriptedModel

S = TypeVar("S", bound=StaticSample)
MINE = "tests.evaluate.own_hooks"


@pytest.fixture
def data(episodes: list[Episode], tmp_path: Path) -> Path:
    make_benchmarks(episodes, tmp_path / "own")
    return tmp_path / "own"


def asked(benchmark: StaticBenchmark[S], plan: RunPlan) -> list[Message]:
    asker = ModelQueries(benchmark, ScriptedModel(["A"]), plan)
    return asker.prompt(benchmark.samples()[0])


@pytest.mark.parametrize("system", ["benchmark_default", ""])
def test_by_default_the_benchmark_says_everything(data: Path, system: str) -> None:
    benchmark = UnderstandingBenchmark(data)
    assert asked(benchmark, RunPlan(system=system)) == benchmark.prompt(benchmark.samples()[0])


def test_the_models_default_is_no_system_message(data: Path) -> None:
    benchmark = UnderstandingBenchmark(data)
    (user,) = asked(benchmark, RunPlan(system="model_default"))
    assert user == benchmark.prompt(benchmark.samples()[0])[1]


def test_a_system_text_of_ones_own_takes_the_place_of_the_default(data: Path) -> None:
    benchmark = UnderstandingBenchmark(data)
    system, user = asked(benchmark, RunPlan(system="Be terse."))
    assert (system.role, system.text) == ("system", "Be terse.")
    assert user == benchmark.prompt(benchmark.samples()[0])[1]


def test_nothing_leaks_from_one_benchmark_into_the_next(data: Path, tmp_path: Path) -> None:
    model = ScriptedModel(["A"])
    l1, l2 = UnderstandingBenchmark(data), GroundingBenchmark(data)
    own = RunPlan(limit=1, build=f"{MINE}.build")
    asyncio.run(evaluate(l1, model, tmp_path / "1", RunPlan(limit=1)))
    asyncio.run(evaluate(l2, model, tmp_path / "2", own))
    asyncio.run(evaluate(l1, model, tmp_path / "3", RunPlan(limit=1)))
    first, second, third = model.requests
    assert first == third
    assert first[0].text == understanding.SYSTEM
    assert second[0].text == "for GUIElementGrounding"


def test_words_of_ones_own_stand_behind_the_picture(data: Path) -> None:
    benchmark = GroundingBenchmark(data)
    system, user = asked(benchmark, RunPlan(user_prompt="Where is {instruction}? {x}"))
    assert user.text == f"Where is {benchmark.samples()[0].instruction}? {{x}}"
    assert isinstance(user.parts[0], Picture)
    assert system.role == "system"


def test_a_picture_is_sent_as_the_bytes_of_its_file(data: Path) -> None:
    benchmark = GroundingBenchmark(data)
    sample = benchmark.samples()[0]
    (picture,) = (
        part for part in asked(benchmark, RunPlan())[1].parts if isinstance(part, Picture)
    )
    assert picture.screenshot.data == sample.picture.read_bytes()
    assert picture.screenshot.media_type == "image/png"


def test_a_smaller_picture_is_recorded_and_undone_when_the_answer_is_read(
    data: Path, tmp_path: Path
) -> None:
    benchmark = GroundingBenchmark(data)
    samples = {sample.instruction: sample for sample in benchmark.samples()}
    sizes = []

    def point(messages: Sequence[Message]) -> str:
        """Sees the target's middle, in pixels of the picture that came."""
        (picture,) = (part for part in messages[1].parts if isinstance(part, Picture))
        size = picture.screenshot.size
        sizes.append((size.width, size.height))
        sample = next(one for text, one in samples.items() if messages[1].text.endswith(text))
        return f"({sample.box.center.x * size.width}, {sample.box.center.y * size.height})"

    run = asyncio.run(
        evaluate(benchmark, ScriptedModel(point), tmp_path / "run", RunPlan(max_side=300))
    )
    assert {row.score for row in run.rows} == {1.0}
    assert {max(size) for size in sizes} == {300}
    assert {row.sent for row in run.rows} == {(135, 300)}
    assert read_run(tmp_path / "run").rows == run.rows


def test_every_stage_can_be_ones_own(data: Path, tmp_path: Path) -> None:
    plan = RunPlan(
        limit=1,
        build=f"{MINE}.build",
        preprocess=f"{MINE}:preprocess",
        generate=f"{MINE}.generate",
        postprocess=f"{MINE}.postprocess",
        parse=f"{MINE}.parse_last_letter",
    )
    model = ScriptedModel(["never asked"])
    run = asyncio.run(evaluate(UnderstandingBenchmark(data), model, tmp_path / "run", plan))
    assert model.requests == []
    (row,) = run.rows
    assert (row.answer, row.parsed, row.status) == ("2 messages, so B", "B", "ok")


def test_a_prompt_of_ones_own_is_read_back_as_messages(data: Path) -> None:
    plan = RunPlan(build=f"{MINE}.build", preprocess=f"{MINE}.preprocess", system="is not used")
    benchmark = GroundingBenchmark(data)
    system, user = asked(benchmark, plan)
    sample = benchmark.samples()[0]
    assert system.text == "for GUIElementGrounding"
    assert user.text == f"mine: {sample.instruction}Be terse."
    assert [part["type"] for part in flat_messages([user])] == ["image", "text", "text"]
    shape = api_messages([user])[0]["content"]
    assert isinstance(shape, list)
    assert isinstance(shape[0], dict)
    assert str(shape[0]["image_url"]).startswith("{'url': 'data:image/png;base64,")


@pytest.mark.parametrize("path", ["nowhere.at_all", f"{MINE}.nothing", f"{MINE}:Line.x", ".x"])
def test_a_function_that_is_not_there_is_said_before_anything_is_asked(
    path: str, data: Path, tmp_path: Path
) -> None:
    model = ScriptedModel(["A"])
    with pytest.raises(HookError, match="parse "):
        asyncio.run(
            evaluate(UnderstandingBenchmark(data), model, tmp_path / "run", RunPlan(parse=path))
        )
    assert model.requests == []
    assert load_hook("parse", "") is None


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("parse_badly", "KeyError: 'no such field'"),
        ("parse_oddly", "returned"),
        ("parse_strictly", "AssertionError"),
        ("parse_with_a_library", "OwnError: of a library"),
    ],
)
def test_an_answer_outlives_the_function_that_fails_to_read_it(
    name: str, said: str, data: Path, tmp_path: Path
) -> None:
    plan = RunPlan(limit=2, parse=f"{MINE}.{name}")
    model = ScriptedModel(["A"])
    run = asyncio.run(evaluate(UnderstandingBenchmark(data), model, tmp_path / "run", plan))
    assert not run.complete
    for row in run.rows:
        assert (row.answer, row.score, row.status) == ("A", None, "failed")
        assert row.error is not None
        assert said in row.error.message
    asyncio.run(evaluate(UnderstandingBenchmark(data), model, tmp_path / "run", plan))
    assert len(model.requests) == 2


def test_a_function_gets_what_the_original_gives_it(data: Path, tmp_path: Path) -> None:
    """`image_size` is a list in the annotations, and text in the table of answers."""
    benchmark = GroundingBenchmark(data)
    sample = benchmark.samples()[0]
    size = [sample.size.width, sample.size.height]
    line, row = sample_line(sample), table_line(sample, "(1, 1)")
    assert (line["image_size"], row["image_size"]) == (size, str(size))
    assert (line["app_name"], row["prediction"]) == (sample.labels["app"], "(1, 1)")
    assert Path(str(line["image_path"])).is_absolute()
    plan = RunPlan(limit=1, postprocess=f"{MINE}.postprocess_by_data", parse=f"{MINE}.parse_middle")
    run = asyncio.run(evaluate(benchmark, ScriptedModel(["x"]), tmp_path / "run", plan))
    assert run.rows[0].parsed == pytest.approx([0.5, 0.5], abs=0.01)
    assert dataset_name("screenspot") == "screenspot"


def test_functions_get_the_arguments_of_the_plan_beside_the_data_set(
    data: Path, tmp_path: Path
) -> None:
    plan = RunPlan(
        limit=1,
        preprocess=f"{MINE}.preprocess_with_arguments",
        postprocess=f"{MINE}.postprocess_by_size",
        parse=f"{MINE}.parse_middle",
        hook_kwargs={"img_detail": "low", "max_pixels": 700},
    )
    model = ScriptedModel(["x"])
    run = asyncio.run(evaluate(GroundingBenchmark(data), model, tmp_path / "run", plan))
    assert run.rows[0].error is None
    assert model.requests[0][-1].text == "low at GUIElementGrounding"


def test_a_place_near_the_edge_is_read_as_the_function_found_it(data: Path, tmp_path: Path) -> None:
    plan = RunPlan(limit=1, space="fraction", parse=f"{MINE}.parse_tiny")
    model = ScriptedModel(["x"])
    run = asyncio.run(evaluate(GroundingBenchmark(data), model, tmp_path / "run", plan))
    assert run.rows[0].parsed == pytest.approx([1e-07, 0.5])


def test_a_scaled_picture_is_a_png_that_opens(data: Path) -> None:
    from PIL import Image

    benchmark = GroundingBenchmark(data)
    model = ScriptedModel(["(1, 1)"])
    asker = ModelQueries(benchmark, model, RunPlan(max_side=100))
    sent = asyncio.run(asker.ask(benchmark.samples()[0]))
    (picture,) = (part for part in sent.prompt[1].parts if isinstance(part, Picture))
    with Image.open(io.BytesIO(picture.screenshot.data)) as image:
        assert (image.size, image.format) == (sent.sent, "PNG")


def test_pictures_are_scaled_to_a_number_of_pixels(data: Path) -> None:
    benchmark = GroundingBenchmark(data)
    sample = benchmark.samples()[0]
    model = ScriptedModel(["(1, 1)"])
    asked = asyncio.run(ModelQueries(benchmark, model, RunPlan(max_pixels=2000)).ask(sample))
    assert asked.sent is not None
    width, height = asked.sent
    assert 1800 < width * height <= 2000
    assert width / height == pytest.approx(sample.size.width / sample.size.height, abs=0.05)


@pytest.mark.slow
def test_a_picture_is_measured_in_the_size_in_which_it_was_taught(data: Path) -> None:
    benchmark = GroundingBenchmark(data)
    sample = benchmark.samples()[0]
    longest = max(sample.size.width, sample.size.height)
    limits: list[dict[str, int]] = [
        *({"max_pixels": most} for most in range(1000, 60_000, 1013)),
        *({"max_side": side} for side in range(28, longest, 7)),
    ]
    for limit in limits:
        asker = ModelQueries(benchmark, ScriptedModel(["(1, 1)"]), RunPlan.model_validate(limit))
        asked = asyncio.run(asker.ask(sample))
        (sent,) = (part for part in asked.prompt[1].parts if isinstance(part, Picture))
        settings = SftSettings(
            MMBENCH_GUI, max_pixels=limit.get("max_pixels"), max_side=limit.get("max_side")
        )
        with PictureEncoder(settings) as pictures:
            taught = pictures.request(sample.observe().screenshot)().picture
            assert taught.size == pictures.output_size(sample.size)
        assert asked.sent == (taught.size.width, taught.size.height)
        assert sent.screenshot.image().tobytes() == taught.image().tobytes()


def test_the_header_of_a_plan_without_a_pixel_limit_is_as_before() -> None:
    assert "max_pixels" not in RunPlan().model_dump(mode="json")
    assert RunPlan(max_pixels=2000).model_dump(mode="json")["max_pixels"] == 2000
