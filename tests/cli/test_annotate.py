"""The annotation stage on the command line."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from pydantic import JsonValue

from tapwright.store.store import EpisodeStore
from tapwright.testing import FakeChatServer
from tests.annotate.answering import explain, items_for
from tests.annotate.test_vlm import recorded
from tests.cli.running import tapwright

MODEL = ("--with", "openai/fake")
PRICES = '{"openai/fake": {"input": 2.5, "output": 10}}'


@pytest.fixture
def store(tmp_path: Path) -> Path:
    store = EpisodeStore(tmp_path / "episodes")
    store.write(recorded())
    (tmp_path / "prices.json").write_text(PRICES)
    return store.root


def test_a_model_annotates_what_it_costs_is_told_and_files_come_back(store: Path) -> None:
    here = store.parent
    with FakeChatServer(explain) as server:
        url = server.base_url
        run = tapwright("annotate", "run", "episodes", *MODEL, "--dry-run", "--price",
                        "prices.json", cwd=here, TAPWRIGHT_BASE_URL=url)  # fmt: skip
        assert run.returncode == 0, run.stderr
        told = json.loads(run.stdout)
        assert (told["questions"], told["images"], server.received) == (3, 18, [])
        assert told["cost"] > 0
        run = tapwright("annotate", "run", "episodes", *MODEL, "--price", "prices.json",
                        "--max-cost", "0.000001", cwd=here, TAPWRIGHT_BASE_URL=url)  # fmt: skip
        assert (run.returncode, server.received) == (1, [])
        assert "TW184" in run.stderr
        run = tapwright("annotate", "run", "episodes", *MODEL, cwd=here, TAPWRIGHT_BASE_URL=url)
        assert run.returncode == 0, run.stderr
        assert len(server.received) == 3
    run = tapwright("annotate", "cost", "episodes", *MODEL, "--price", "prices.json", cwd=here)
    assert json.loads(run.stdout)["requests"] == 3
    run = tapwright("annotate", "cost", "episodes", cwd=here)
    assert "tapwright annotate cost episodes -m openai/fake" in run.stderr
    run = tapwright("annotate", "export", "episodes", *MODEL, "-o", "out", cwd=here)
    assert run.returncode == 0, run.stderr
    run = tapwright("annotate", "import", "episodes", "e1", "out/e1/react.json", "--as", "anna",
                    cwd=here)  # fmt: skip
    assert run.returncode == 0, run.stderr
    run = tapwright("annotate", "agree", "episodes", "anna", "openai/fake", cwd=here)
    assert (json.loads(run.stdout)["same_reasoning"], json.loads(run.stdout)["steps"]) == (1.0, 14)


def test_what_a_hosted_model_would_cost_is_told_without_a_key(store: Path) -> None:
    words = ("annotate", "run", str(store), *MODEL)
    run = tapwright(*words, "--dry-run", TAPWRIGHT_BASE_URL="", OPENAI_API_KEY="")
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["questions"] == 3
    run = tapwright(*words, TAPWRIGHT_BASE_URL="", OPENAI_API_KEY="")
    assert "TW403" in run.stderr


def test_a_step_that_nothing_explains_is_listed_and_asked_again_by_retry(store: Path) -> None:
    def stubborn(body: Mapping[str, JsonValue]) -> str:
        return json.dumps([item | {"reasoning": "..."} if item["step"] == 3 else item
                           for item in items_for(body)])  # fmt: skip

    with FakeChatServer(stubborn) as server:
        run = tapwright("annotate", "run", str(store), *MODEL, TAPWRIGHT_BASE_URL=server.base_url)
    assert run.returncode == 1
    assert "e1, step 2: REASONING_PLACEHOLDER" in run.stderr
    assert "13 of 14 steps explained; 1 time REASONING_PLACEHOLDER" in run.stderr
    (row,) = json.loads(tapwright("annotate", "status", str(store)).stdout)
    assert (row["status"], row["explained"]) == ("partial", 13)
    assert row["listed"] == "2: REASONING_PLACEHOLDER"
    with FakeChatServer(explain) as server:
        run = tapwright("annotate", "retry", str(store), *MODEL, TAPWRIGHT_BASE_URL=server.base_url)
        assert len(server.received) == 1
    assert run.returncode == 0, run.stderr
    (row,) = json.loads(tapwright("annotate", "status", str(store)).stdout)
    assert (row["status"], row["listed"]) == ("done", "")


def test_a_review_goes_on_where_it_stopped_and_decides_what_is_exported(store: Path) -> None:
    assert tapwright("annotate", "run", str(store)).returncode == 0
    review = ("annotate", "review", str(store), "--who", "anna")
    for keys in ("a\ne\nother target\nother words\nr\nwrong\nq\n", "a\n"):
        run = tapwright(*review, stdin=keys)
        assert run.returncode == 0, run.stderr
    assert "step 4 of 14" in run.stdout
    out = store.parent / "out"
    run = tapwright("annotate", "export", str(store), "--only", "approved", "-o", str(out))
    assert run.returncode == 0, run.stderr
    items = json.loads((out / "e1" / "react.json").read_text("utf-8"))
    assert [item["action_index"] for item in items] == [1, 2, 4]
    assert items[1]["reasoning"] == "other words"
    assert items[1]["function"]["parameters"] == {"target_element": "other target"}


def test_tasks_are_said_in_other_words_for_the_training_set(store: Path) -> None:
    with FakeChatServer([json.dumps(["Please do it", "Could you do it"])]) as server:
        words = ("annotate", "paraphrase", str(store), *MODEL, "--count", "2", "-o",
                 str(store.parent / "words.json"))  # fmt: skip
        for _ in range(2):
            run = tapwright(*words, TAPWRIGHT_BASE_URL=server.base_url)
            assert run.returncode == 0, run.stderr
        assert len(server.received) == 1
    assert json.loads((store.parent / "words.json").read_text()) == {
        "t": ["Please do it", "Could you do it"]
    }


@pytest.mark.parametrize("code", ["DONE_MISSING", "json_fence", "TW184", "ANNOTATION_LEAK"])
def test_codes_of_verdicts_are_explained_beside_those_of_errors(code: str) -> None:
    run = tapwright("explain", code)
    if code == "json_fence":
        assert run.returncode == 2
        assert "no code is called" in run.stderr
    else:
        assert json.loads(run.stdout)["meaning"]
