"""`tapwright eval` as people use it; one run is a process, which is killed."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest
from pydantic import JsonValue

from tapwright.benchmarks.generated import make_benchmarks
from tapwright.core.actions import Finish, Tap
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.geometry import Point
from tapwright.devices.fake import FakeDevice
from tapwright.store.store import EpisodeStore
from tapwright.testing import FakeChatServer, Fault, HttpError, Slow
from tests.cli.running import tapwright


@pytest.fixture
def bench(episodes: list[Episode], tmp_path: Path) -> Path:
    make_benchmarks(episodes, tmp_path / "bench")
    return tmp_path / "bench"


def texts(server: FakeChatServer) -> list[str]:
    return [json.dumps(one.body["messages"]) for one in server.received]


def test_a_model_is_measured_and_reported(episodes: list[Episode], tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path / "store")
    for one in episodes:
        store.write(one)
    run = tapwright("eval", "make", "store", "-o", "bench", "--unlike", "store", cwd=tmp_path)
    assert run.returncode == 5
    assert "read what to be unlike: " in run.stderr
    run = tapwright("eval", "make", "store", "-o", "bench", cwd=tmp_path)
    assert run.returncode == 0
    for stage in ("read episodes", "make questions and targets"):
        (told,) = re.findall(rf"{stage}: (\d+)/(\d+) in", run.stderr)
        assert told[0] == told[1] != "0"
    run = tapwright(
        "eval", "run", "l2", "--data", "bench", "-m", "scripted/(135, 250)", "--space", "pixel",
        "-o", "runs/a", cwd=tmp_path,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert run.stdout.split() == ["runs/a"]
    assert tapwright("report", "runs/a", "-o", "r.html", cwd=tmp_path).returncode == 0
    page = (tmp_path / "r.html").read_text()
    assert "data:image/jpeg;base64," in page


def test_questions_are_asked_without_what_other_benchmarks_need(
    bench: Path, tmp_path: Path
) -> None:
    code = (
        "import sys, contextlib\n"
        "from tapwright.cli.main import main\n"
        "with contextlib.suppress(SystemExit):\n"
        "    main()\n"
        "heavy = {'numpy', 'rapidfuzz', 'cv2', 'pyarrow', 'jinja2', 'tapwright.store.store'}\n"
        "print('heavy:', sorted(heavy & set(sys.modules)))\n"
    )
    with FakeChatServer(lambda _: "A") as server:
        words = ("eval", "run", "l1", "--data", str(bench), "-m", "openai/any", "-o", "run")
        run = subprocess.run(
            [sys.executable, "-c", code, *words, "--base-url", server.base_url],
            cwd=tmp_path, capture_output=True, text=True, check=True,
        )  # fmt: skip
    assert run.stdout.splitlines() == ["run", "heavy: []"]


@pytest.mark.slow
def test_what_a_killed_run_has_is_never_asked_again(bench: Path, tmp_path: Path) -> None:
    stuck = threading.Event()
    asked = 0

    def answer(body: Mapping[str, JsonValue]) -> str | Fault:
        nonlocal asked
        asked += 1
        if asked == 5:
            stuck.set()
        return "A" if asked < 5 else Slow()

    out = tmp_path / "run"
    with FakeChatServer(answer) as server:
        url = {"TAPWRIGHT_BASE_URL": server.base_url}
        run = subprocess.Popen(
            [
                *(sys.executable, "-m", "tapwright", "eval", "run", "l1", "--data", str(bench)),
                *("-m", "openai/any", "--concurrency", "1", "-o", str(out)),
            ],
            env={**os.environ, **url},
            stderr=subprocess.DEVNULL,
        )
        assert stuck.wait(60)
        os.kill(run.pid, signal.SIGKILL)
        run.wait()
        first = texts(server)
    with FakeChatServer(["B"]) as server:
        log = (out / "run.jsonl").read_text().replace(url["TAPWRIGHT_BASE_URL"], server.base_url)
        (out / "run.jsonl").write_text(log + '{"key": "torn')
        resumed = tapwright("eval", "resume", str(out), TAPWRIGHT_BASE_URL=server.base_url)
        assert resumed.returncode == 0, resumed.stderr
        second = texts(server)
    assert len(first) == 5
    assert not set(first[:4]) & set(second)
    assert first[4] in second
    listed = json.loads(tapwright("eval", "ls", str(tmp_path), "--format", "json").stdout)
    done, _, total = listed[0]["done"].partition("/")
    assert done == total == str(len(second) + 4)


@pytest.mark.slow
def test_runs_at_a_url_are_read_as_those_of_a_directory(bench: Path, tmp_path: Path) -> None:
    runs, url = str(tmp_path / "runs"), (tmp_path / "runs").as_uri()
    played = ("eval", "run", "l1", "--data", str(bench), "-m", "scripted/A", "-o")
    for name in ("a", "b"):
        assert tapwright(*played, f"{url}/{name}").returncode == 0
    for command in ("table", "score"):
        told = tapwright("eval", command, f"{url}/a", f"{url}/b")
        assert (told.returncode, told.stderr) == (0, "")
        here = tapwright("eval", command, f"{runs}/a", f"{runs}/b").stdout
        assert told.stdout == here.replace(runs, url)
    assert tapwright("eval", "ls", url).stdout == tapwright("eval", "ls", runs).stdout.replace(
        runs, url
    )
    for words in (("eval", "compare", f"{url}/b"), ("report",), ("eval", "view", "-o", "site")):
        assert tapwright(*words, f"{url}/a", cwd=tmp_path).returncode == 0
    assert tapwright("episodes", "share", f"{url}/shared").returncode == 0
    refused = tapwright("eval", "ls", f"{url}/shared")
    assert "a shared store, which takes nothing but episodes" in refused.stderr


def test_a_run_has_a_folder_that_every_system_takes_and_an_old_one_goes_on_where_it_is(
    bench: Path, tmp_path: Path
) -> None:
    words = ("eval", "run", "l1", "--data", str(bench), "-m", "scripted/A:B=C")
    assert tapwright(*words, cwd=tmp_path).stdout.split() == ["runs/l1-scripted-A-B-C"]
    (tmp_path / "runs/l1-scripted-A-B-C").rename(tmp_path / "runs/l1-scripted-A:B=C")
    assert tapwright(*words, cwd=tmp_path).stdout.split() == ["runs/l1-scripted-A:B=C"]


def test_a_combination_that_fails_is_told_and_the_others_go_on(bench: Path, tmp_path: Path) -> None:
    words = ("eval", "run", "l1", "nothing", "l2", "--data", str(bench), "-m", "tree")
    run = tapwright(*words, cwd=tmp_path)
    assert run.returncode == 1
    assert "tree on nothing: no benchmark is called 'nothing' [TW101]" in run.stderr
    assert run.stdout.split() == ["runs/l1-tree", "runs/l2-tree"]


def test_a_run_of_an_agent_that_points_is_resumed(bench: Path, tmp_path: Path) -> None:
    words = ("eval", "run", "l2", "--data", str(bench), "-m", "tree", "-o", "run")
    first = tapwright(*words, cwd=tmp_path)
    assert first.returncode == 0, first.stderr
    again = tapwright("eval", "resume", "run", cwd=tmp_path)
    assert again.returncode == 0, again.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("-m gpt-4o l3", "such as openai/gpt-4o"),
        ("-m tre l3", "did you mean 'tree'?"),
        ("-m mine l3", "mine:NAME"),
        ("-m mine.py l3", "mine:NAME"),
        ("-m mine:Own l3", "such as: def make(task, seed): return Own()"),
        ("l3", "tapwright eval run l3 -m tree"),
        ("l2 --data bench", "tapwright eval run l2 --data bench -m tree"),
        ("-m random", "tapwright eval run l1 --data bench -m random"),
    ],
)
def test_what_a_newcomer_leaves_out_of_a_run_is_told(words: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("class Own:\n    pass\n")
    run = tapwright("eval", "run", *words.split(), cwd=tmp_path)
    assert run.returncode == 2
    assert said in run.stderr


def test_a_run_may_not_cost_more_than_it_may(bench: Path, tmp_path: Path) -> None:
    words = ("eval", "run", "l1", "--data", str(bench), "-m", "scripted/B", "-o", "run")
    cost = ("--price", "1000000,0", "--max-cost", "1", "--concurrency", "1")
    run = tapwright(*words, *cost, cwd=tmp_path)
    assert run.returncode == 1
    assert "[TW184]" in run.stderr
    assert len((tmp_path / "run" / "run.jsonl").read_text().splitlines()) == 2
    assert tapwright("eval", "resume", "run", cwd=tmp_path).returncode == 0
    assert "needs the price" in tapwright(*words, "--max-cost", "1", cwd=tmp_path).stderr


def test_an_answer_that_refuses_is_no_format_error_when_it_is_read_again(
    bench: Path, tmp_path: Path
) -> None:
    name = "scripted/I cannot find it."
    run = tapwright(
        "eval", "run", "l2", "--data", str(bench), "-m", name, "-o", "run", cwd=tmp_path
    )
    assert run.returncode == 0, run.stderr
    scored = json.loads(
        tapwright("eval", "score", "run", "--parser", "robust", cwd=tmp_path).stdout
    )
    assert scored[0]["format_errors"] == 0
    assert scored[0]["refusals"] > 0


def test_answers_are_read_again_and_runs_compared_without_a_model(
    bench: Path, tmp_path: Path
) -> None:
    for name in ("tree", "scripted/A"):
        run = tapwright("eval", "run", "l1", "--data", str(bench), "-m", name, cwd=tmp_path)
        assert run.returncode == 0, run.stderr
    scored = tapwright("eval", "score", "runs/l1-tree", "--parser", "seed", "-o", "again",
                       cwd=tmp_path)  # fmt: skip
    assert json.loads(scored.stdout)[0]["parser"] == "seed"
    assert (tmp_path / "again" / "run.jsonl").exists()
    compared = tapwright("eval", "compare", "runs/l1-scripted-A", "runs/l1-tree", cwd=tmp_path)
    found = json.loads(compared.stdout)
    assert found["difference_points"] > 0
    assert found["gained"] > found["lost"]
    flips = tapwright("eval", "compare", "runs/l1-scripted-A", "runs/l1-tree", "--flips",
                      cwd=tmp_path)  # fmt: skip
    assert len(json.loads(flips.stdout)) == found["gained"] + found["lost"]
    shutil.copytree(tmp_path / "runs/l1-tree", tmp_path / "later/l1-tree")
    several = ("runs/l1-scripted-A", "runs/l1-tree", "later/l1-tree")
    pairs = json.loads(tapwright("eval", "compare", *several, cwd=tmp_path).stdout)
    assert [(one["before"], one["after"]) for one in pairs] == list(combinations(several, 2))
    cut = tmp_path / "later/l1-tree/run.jsonl"
    cut.write_bytes(b"".join(cut.read_bytes().splitlines(keepends=True)[:4]))
    *_, last = json.loads(tapwright("eval", "compare", *several, cwd=tmp_path).stdout)
    assert (last["paired"], last["unpaired"]) == (3, found["paired"] - 3)


def test_the_originals_config_runs_and_its_key_is_seen_by_the_server_alone(
    bench: Path, tmp_path: Path
) -> None:
    with FakeChatServer([HttpError(500, "who is {key}?"), "A"]) as server:
        path = f"{server.base_url}?api_key=sk-very-secret&model=any"
        config = {
            "model": {"any": {"model_path": path, "generate_cfg": {}, "kwargs": {}}},
            "data": {"GUIContentUnderstanding": {"mode": "hard"}},
        }
        (tmp_path / "config.json").write_text(json.dumps(config))
        words = ("eval", "run", "--config", "config.json", "--data", str(bench))
        run = tapwright(*words, cwd=tmp_path)
        assert run.returncode == 0, run.stderr
        assert server.received[0].headers["authorization"] == "Bearer sk-very-secret"
    log = (tmp_path / "runs" / "l1-openai-any" / "run.jsonl").read_text()
    assert "sk-very-secret" not in run.stdout + run.stderr + log
    assert "OPENAI_API_KEY" in run.stderr
    assert '"parser": "seed"' in log


def test_tasks_that_cannot_be_set_up_are_counted_and_the_others_are_played(tmp_path: Path) -> None:
    run = tapwright(
        "eval", "run", "l3", "-m", "random", "--device", "fake", "--limit", "12",
        "--max-steps", "3", "-o", "run", cwd=tmp_path,
    )  # fmt: skip
    assert run.returncode == 1, run.stderr
    assert "step limit 1, set-up failed 11" in run.stderr
    assert "of 3 steps per task" in run.stderr
    assert run.stderr.count("[TW300]") == 11 + 1  # the first once more, at the end
    assert "\n11 failed, the first: " in run.stderr
    again = tapwright("eval", "resume", "run", cwd=tmp_path)
    assert again.returncode == 1, again.stderr
    assert "step limit 1, set-up failed 11" in again.stderr


def test_a_run_goes_on_with_the_network_that_it_began_with(tmp_path: Path) -> None:
    words = ("eval", "run", "l3", "-m", "random", "--device", "fake", "--limit", "1",
             "--max-steps", "1", "-o", "run")  # fmt: skip
    tapwright(*words, "--network", "none", cwd=tmp_path)
    log = json.loads((tmp_path / "run/run.jsonl").read_text().splitlines()[0])
    assert log["config"]["config"]["network"] == "none"
    other = tapwright("eval", "resume", "run", "--network", "local", cwd=tmp_path)
    assert other.returncode == 2
    assert "--network: the run has none, given is local" in other.stderr
    assert "--network none" in tapwright("eval", "resume", "run", cwd=tmp_path).stderr
    again = tapwright("eval", "resume", "run", "--network", "none", cwd=tmp_path)
    assert "[TW100]" not in again.stderr
    assert tapwright(*words, cwd=tmp_path).returncode != 0


def test_settings_and_addresses_of_a_command_reach_the_model_and_the_log(
    bench: Path, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    with FakeChatServer(["A"]) as one, FakeChatServer(["A"]) as other:
        run = tapwright(
            *("eval", "run", "l1", "--data", str(bench), "-m", "openai/any", "-o", str(out)),
            *("--set", "temperature=none", "--set", "seed=7", "--set", "max_tokens=None"),
            *("--set", "max_completion_tokens=2048", "--set", "reasoning_effort=low"),
            *("--base-url", one.base_url, "--base-url", f"{other.base_url}/"),
        )
        assert run.returncode == 0, run.stderr
        bodies = [received.body for received in (*one.received, *other.received)]
        assert one.received
        assert other.received
    settings = {"seed": 7, "max_completion_tokens": 2048, "reasoning_effort": "low"}
    keys = {"model", "messages", *settings}
    assert all(body.keys() == keys for body in bodies)
    header = json.loads((out / "run.jsonl").read_text().splitlines()[0])
    logged = {"base_url": f"{one.base_url} {other.base_url}", **settings}
    assert settings.items() <= bodies[0].items()
    assert json.dumps(logged, sort_keys=True) in json.dumps(header, sort_keys=True)


def test_a_run_whose_key_is_wrong_stops_after_a_few_refusals_and_can_be_continued(
    bench: Path, tmp_path: Path
) -> None:
    out = str(tmp_path / "run")
    words = ("eval", "run", "l1", "--data", str(bench), "-m", "openai/any", "-o", out)
    with FakeChatServer([HttpError(401, "Incorrect API key provided: {key}")]) as server:
        address, key = server.base_url, "sk-wrong-0123456789"
        run = tapwright(
            *words, "--concurrency", "1", TAPWRIGHT_BASE_URL=address, OPENAI_API_KEY=key
        )
        assert run.returncode == 4
        assert len(server.received) == 5
    assert "Incorrect API key provided: ***; 5 times in a row, so no more is sent" in run.stderr
    assert "[TW405]" in run.stderr
    with FakeChatServer(["A"]) as server:
        log = tmp_path / "run" / "run.jsonl"
        log.write_text(log.read_text().replace(address, server.base_url))
        resumed = tapwright("eval", "resume", out, "--base-url", server.base_url)
        assert resumed.returncode == 0, resumed.stderr


@pytest.mark.parametrize("words", [("--set", "temperature"), ("--set", "api_key=sk-1")], ids=repr)
def test_what_is_no_setting_is_refused(bench: Path, words: tuple[str, str]) -> None:
    run = tapwright("eval", "run", "l1", "--data", str(bench), "-m", "openai/any", *words)
    assert run.returncode == 2


def test_a_setting_for_what_queries_no_model_is_refused(bench: Path, tmp_path: Path) -> None:
    words = ("eval", "run", "l1", "--data", str(bench), "-o", str(tmp_path), "--set", "seed=1")
    run = tapwright(*words, "-m", "tree")
    assert "queries no model, so --set has no effect" in run.stderr
    run = tapwright(*words, "-m", "scripted/A")
    assert "scripted/A: takes no setting 'seed'" in run.stderr


@pytest.mark.slow
def test_a_model_in_a_directory_takes_settings_of_its_own(
    tiny_model: Path, bench: Path, tmp_path: Path
) -> None:
    words = ("eval", "run", "l1", "--data", str(bench), "-m", f"transformers/{tiny_model}")
    out = tmp_path / "run"
    run = tapwright(*words, "-o", str(out), "--limit", "1", "--set", "max_tokens=3")
    assert run.returncode == 0, run.stderr
    log = (out / "run.jsonl").read_text(encoding="utf-8")
    assert '"max_tokens":3' in log.splitlines()[0].replace(" ", "")
    (tokens,) = re.findall(r'"output_tokens": ?(\d+)', log)
    assert int(tokens) <= 3
    run = tapwright(*words, "-o", str(tmp_path / "b"), "--set", "max_tokens=none")
    assert "max_tokens=None; expected a whole number of at least 1" in run.stderr
    run = tapwright(*words, "-o", str(tmp_path / "c"), "--set", "top_k=1")
    assert "takes no setting 'top_k'" in run.stderr
    assert "it takes max_tokens, batch, device, temperature" in run.stderr


def test_a_store_that_nothing_can_be_asked_of_is_refused_with_the_reasons(tmp_path: Path) -> None:
    seen = FakeDevice().observe()
    bare = replace(seen, ui_tree=None)
    steps = (Step(bare, Decision(Tap(at=Point(0.5, 0.5)))), Step(bare, Decision(Finish())))
    EpisodeStore(tmp_path / "store").write(Episode("a", "t", "Press", steps))
    run = tapwright("eval", "make", str(tmp_path / "store"), "-o", str(tmp_path / "bench"))
    assert run.returncode == 5
    assert "no screen can be used: 2 screens: no view hierarchy was recorded" in run.stderr
    assert not (tmp_path / "bench").exists()
