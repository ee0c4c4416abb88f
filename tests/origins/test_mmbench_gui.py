"""MMBench-GUI's files become runs, whose figures are those that its own scorer gave.

The answers, verdicts and figures of tests/golden/mmbench_gui were recorded with the original's
`evaluate()` and `matrics.py` of https://github.com/open-compass/MMBench-GUI/tree/896ddf1. Here they
go the whole way: annotations in its shape, a config with functions, a run, the report, the tables.
"""

import csv
import io
import json
import string
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tests.cli.running import tapwright

GOLDEN = Path(__file__).parents[1] / "golden/mmbench_gui"
L1 = json.loads((GOLDEN / "l1_metrics.json").read_text("utf-8"))
L2 = [
    case
    for case in json.loads((GOLDEN / "l2_rules.json").read_text("utf-8"))
    if all(0 <= edge <= 1 for edge in case["bbox"])
]
SIZE = (1080, 2400)
OWN = """
import json
from pathlib import Path

def generate(messages):
    said = messages[-1]["content"][-1]["text"]
    answers = json.loads(Path("answers.json").read_text("utf-8"))
    return next(answer for mark, answer in answers if mark in said)
"""
CONFIG = """
[plan]
parser = "seed"
[benchmarks.l1]
data = "bench"
[benchmarks.l2]
data = "bench"
[models."scripted/never asked"]
generate = "own.generate"
"""


def write_l1(bench: Path) -> list[tuple[str, str]]:
    groups = [L1["rows"][at : at + 3] for at in range(0, len(L1["rows"]), 3)]
    entries = [
        {
            "index": number,
            "image_path": "one.png",
            "image_size": SIZE,
            "platform": group[0]["platform"],
            "app_name": "App",
            "groups": [
                {
                    "question": f"question {row['index']}.",
                    "options": {
                        letter: f"choice {letter.lower()}{letter.lower()}"
                        for letter in string.ascii_uppercase[: row["options_num"]]
                    },
                    "answer": row["answer"],
                    "explanation": "",
                    "difficulty": row["difficulty"],
                }
                for row in group
            ],
        }
        for number, group in enumerate(groups)
    ]
    (bench / "L1_annotations.json").write_text(json.dumps(entries))
    return [(f"question {row['index']}.", row["prediction_raw"]) for row in L1["rows"]]


def write_l2(bench: Path) -> list[tuple[str, str]]:
    entries = [
        {
            "index": number,
            "image_path": "one.png",
            "image_size": SIZE,
            "platform": "os_android",
            "app_name": "App",
            "instruction": f"element {number}.",
            "bbox": case["bbox"],
            "data_type": "icon" if number % 2 else "text",
            "grounding_type": "basic" if number % 3 else "advanced",
        }
        for number, case in enumerate(L2)
    ]
    (bench / "L2_annotations.json").write_text(json.dumps(entries))
    return [
        (f"element {number}.", ", ".join(map(str, case["click"] or ["nowhere"])))
        for number, case in enumerate(L2)
    ]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mmbench")
    bench = folder / "bench"
    for platform in {row["platform"] for row in L1["rows"]} | {"os_android"}:
        (bench / "offline_images" / platform).mkdir(parents=True)
        Image.new("RGB", SIZE).save(bench / "offline_images" / platform / "one.png")
    answers = [*write_l1(bench), *write_l2(bench)]
    (folder / "answers.json").write_text(json.dumps(answers))
    (folder / "own.py").write_text(OWN)
    (folder / "eval.toml").write_text(CONFIG)
    run = tapwright("eval", "run", "--config", "eval.toml", "-o", "runs", cwd=folder)
    assert run.returncode == 0, run.stderr
    run = tapwright("report", *runs(folder), "-o", "report.html", cwd=folder)
    assert run.returncode == 0, run.stderr
    return folder


def runs(folder: Path) -> list[str]:
    return sorted(f"runs/{one.name}" for one in (folder / "runs").iterdir())


def published(report: Path, benchmark: str) -> dict[str, Any]:
    data = json.loads((report / "report.json").read_text("utf-8"))
    (found,) = (one["published"] for one in data["runs"] if one["benchmark"] == benchmark)
    assert isinstance(found, dict)
    return found


@pytest.mark.slow
def test_l1_has_the_original_s_figures_plain_and_weighted(report: Path) -> None:
    found = published(report, "l1")
    for ours, theirs in (("normal", "scores_normal"), ("weighted", "scores_weighted")):
        assert found[ours]["total_sample_num"] == L1[theirs]["total_sample_num"]
        for level in ("easy", "medium", "hard"):
            wanted = L1[theirs][level]
            assert found[ours][level]["level_score"] == pytest.approx(wanted["level_score"])
            for platform in {row["platform"] for row in L1["rows"]}:
                assert found[ours][level][platform] == pytest.approx(wanted[platform])


@pytest.mark.slow
def test_l2_has_the_original_s_verdicts_and_counts_of_unread_answers(report: Path) -> None:
    found = published(report, "l2")
    errors = sum(case["wrong_format"] for case in L2)
    shares = []
    for level in ("basic", "advanced"):
        of_level = [
            case for number, case in enumerate(L2) if (number % 3 > 0) == (level == "basic")
        ]
        cell = found["table"][level]["os_android"]
        assert cell["Total num"] == len(of_level)
        assert cell["Correct num"] == sum(case["match"] for case in of_level)
        assert cell["Error format num"] == sum(case["wrong_format"] for case in of_level)
        shares.append(100 * cell["Correct num"] / len(of_level))
    assert found["format_errors"] == errors > 0
    assert found["average"] == pytest.approx(sum(shares) / 2)


@pytest.mark.slow
def test_the_tables_and_the_page_have_them(report: Path) -> None:
    found = published(report, "l1"), published(report, "l2")
    tables = {}
    for folder in runs(report):
        run = tapwright("eval", "table", folder, "--to", "csv", cwd=report)
        for text in filter(None, run.stdout.split("\n\n")):
            head, row = csv.reader(io.StringIO(text))
            tables[row[0]] = dict(zip(head, row, strict=True))
    assert list(tables) == ["l1", "l1, weighted by options", "l2", "l2, text and icon"]
    hard = found[0]["weighted"]["hard"]["level_score"]
    assert float(tables["l1, weighted by options"]["Overall Hard"]) == pytest.approx(100 * hard)
    assert float(tables["l2"]["Overall Avg"]) == pytest.approx(found[1]["average"], rel=1e-5)
    assert int(tables["l2, text and icon"]["Overall No place"]) == found[1]["format_errors"]
    page = (report / "report.html").read_text("utf-8")
    assert all(f"{name}: the columns of its paper" in page for name in tables)
