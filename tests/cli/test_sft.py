import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from tapwright.annotate.review import Review, write_review
from tapwright.benchmarks.generated import make_benchmarks
from tapwright.core.actions import Finish, Tap
from tapwright.core.episode import Episode
from tapwright.core.geometry import Point
from tapwright.store.store import EpisodeStore
from tests.cli.running import tapwright
from tests.formats.training_sets import TAP, episode, step

WORDS = ("--convention", "json", "--annotator", "rules")


@pytest.fixture
def store(tmp_path: Path) -> Path:
    root = tmp_path / "store"
    for id_ in ("first", "second"):
        EpisodeStore(root).write(replace(episode(id_, TAP, TAP), outcome="success"))
    assert tapwright("annotate", "run", str(root)).returncode == 0
    return root


def test_several_stores_are_one_set_and_the_check_can_be_run_again(
    store: Path, tmp_path: Path
) -> None:
    other = EpisodeStore(tmp_path / "other")
    other.write(replace(episode("third", TAP), outcome="success"))
    assert tapwright("annotate", "run", str(other.root)).returncode == 0
    run = tapwright("sft", "export", str(store), str(other.root), "--to", "ms-swift", *WORDS,
                    "-o", "set", cwd=tmp_path)  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert "checked by the rules of ms-swift: 5 good" in run.stderr
    assert run.stdout.split() == ["set"]
    run = tapwright("sft", "check", "set", cwd=tmp_path)
    assert run.stdout == "checked by the rules of ms-swift: 5 good\n"


def test_a_set_whose_files_are_not_what_was_written_is_told(store: Path, tmp_path: Path) -> None:
    run = tapwright("sft", "export", str(store), "--to", "llamafactory", *WORDS, "-o", "set",
                    cwd=tmp_path)  # fmt: skip
    assert run.returncode == 0, run.stderr
    directory = tmp_path / "set"
    rows = json.loads((directory / "train.json").read_text())
    assert len(rows) > 1
    (directory / "train.json").write_text(json.dumps(rows[:1]))
    for words in ((), ("--format", "llamafactory")):
        run = tapwright("sft", "check", "set", *words, cwd=tmp_path)
        assert run.returncode == 1
        assert run.stdout == ""
        assert "set/train.json: is not what sft export wrote" in run.stderr
        assert "on purpose, remove manifest.json" in run.stderr
    manifest = json.loads((directory / "manifest.json").read_text())
    del manifest["format"]
    (directory / "manifest.json").write_text(json.dumps(manifest))
    run = tapwright("sft", "check", "set", cwd=tmp_path)
    assert run.returncode == 1
    assert "set/manifest.json: has no format" in run.stderr
    (directory / "manifest.json").unlink()
    run = tapwright("sft", "check", "set", "--format", "llamafactory", cwd=tmp_path)
    assert run.stdout == "checked by the rules of llamafactory: 1 good\n"


def test_a_broken_episode_and_a_broken_picture_are_told_and_hide_no_other(
    store: Path, tmp_path: Path
) -> None:
    EpisodeStore(store).write(replace(episode("third", TAP), outcome="success"))
    assert tapwright("annotate", "run", str(store)).returncode == 0
    (store / "first/steps.jsonl").write_text("{bad\n")
    (frame,) = (store / "second/frames").iterdir()
    frame.write_bytes(frame.read_bytes()[:-9])
    (store / "headless").mkdir()
    (store / "headless/episode.json").write_text("{bad")
    run = tapwright("sft", "export", str(store), "--to", "ms-swift", *WORDS, "-o", "set",
                    cwd=tmp_path)  # fmt: skip
    assert run.returncode == 1
    assert "first/steps.jsonl, line 1" in run.stderr
    counted = tapwright("sft", "stats", str(store), *WORDS, cwd=tmp_path)
    listed = tapwright("episodes", "ls", str(store), cwd=tmp_path)
    assert counted.returncode == 1
    told = [line for line in run.stderr.splitlines() if line.endswith("[TW204]")]
    assert [line for line in counted.stderr.splitlines() if line.endswith("[TW204]")] == told
    assert set(listed.stderr.splitlines()) < set(told)
    assert "second, step 1: its screenshot differs from the recorded one [TW204]" in run.stderr
    manifest = json.loads((tmp_path / "set/manifest.json").read_text())
    assert [(one["episode"], one["step"]) for one in manifest["dropped"]] == [
        ("first", None), ("headless", None), ("second", 0), ("second", 1),
    ]  # fmt: skip
    assert sum(manifest["samples"].values()) == manifest["checked"] == 1


def test_episodes_that_are_nearly_the_same_are_held_out_together(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path / "store")
    for number in range(6):
        for play in "ab":
            made = episode(f"{number}{play}", step(Tap(at=Point(0.1 * number, 0.5)), number))
            store.write(replace(made, task_id=f"t{play}{number}", outcome="success"))
    assert tapwright("annotate", "run", str(store.root)).returncode == 0
    run = tapwright("sft", "export", str(store.root), "--to", "ms-swift", *WORDS,
                    "--val-share", "0.5", "-o", "set", cwd=tmp_path)  # fmt: skip
    assert run.returncode == 0, run.stderr
    check_pairs_are_together(tmp_path / "set/val.jsonl")


def check_pairs_are_together(held_out: Path) -> None:
    """Six of the plays 0a, 0b, 1a, … are held out, each with its pair."""
    lines = held_out.read_text("utf-8").splitlines()
    ids = [json.loads(line)["episode"] for line in lines]
    assert len(ids) == 6
    assert all({f"{id_[0]}a", f"{id_[0]}b"} <= set(ids) for id_ in ids)


def write_alike(store: EpisodeStore, *ids: str) -> None:
    for id_ in ids:
        store.write(replace(episode(id_, TAP), outcome="success"))
    assert tapwright("annotate", "run", str(store.root)).returncode == 0


def test_many_that_are_nearly_the_same_are_not_held_out_and_that_is_said(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path / "store")
    write_alike(store, *(f"same-{number}" for number in range(12)))
    run = tapwright("sft", "export", str(store.root), "--to", "ms-swift", *WORDS, "-o", "set",
                    cwd=tmp_path)  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert "0 val" in run.stderr
    assert "no validation samples: too many episodes stay together for" in run.stderr
    for number in range(3):
        made = episode(f"other-{number}", step(Tap(at=Point(0.1, 0.1 * number)), number))
        store.write(replace(made, outcome="success"))
    assert tapwright("annotate", "run", str(store.root)).returncode == 0
    run = tapwright("sft", "export", str(store.root), "--to", "ms-swift", *WORDS,
                    "--val-share", "0.3", "-o", "more", cwd=tmp_path)  # fmt: skip
    assert "12 train, 3 val samples" in run.stderr
    assert "3 episodes are held out, 4 were asked for: some stay together" in run.stderr


def test_near_duplicates_of_several_stores_are_held_out_together(tmp_path: Path) -> None:
    stores = [EpisodeStore(tmp_path / name) for name in "ab"]
    for number in range(6):
        for play, store in zip("ab", stores, strict=True):
            made = episode(f"{number}{play}", step(Tap(at=Point(0.1 * number, 0.5)), number))
            store.write(replace(made, task_id=f"t{play}{number}", outcome="success"))
    for store in stores:
        assert tapwright("annotate", "run", str(store.root)).returncode == 0
    run = tapwright("sft", "export", "a", "b", "--to", "ms-swift", *WORDS,
                    "--val-share", "0.5", "-o", "set", cwd=tmp_path)  # fmt: skip
    assert run.returncode == 0, run.stderr
    check_pairs_are_together(tmp_path / "set/val.jsonl")


def test_a_held_out_episode_that_was_dropped_is_told_as_such(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path / "store")
    for number in range(2):
        made = episode(str(number), step(Tap(at=Point(0.1, 0.3 * number)), number))
        store.write(replace(made, outcome="success"))
    assert tapwright("annotate", "run", str(store.root)).returncode == 0
    words = ("sft", "export", str(store.root), "--to", "ms-swift", *WORDS, "-o")
    assert tapwright(*words, "set", cwd=tmp_path).returncode == 0
    (line,) = (tmp_path / "set/val.jsonl").read_text("utf-8").splitlines()
    (store.root / json.loads(line)["episode"] / "annotations/rules.jsonl").unlink()
    run = tapwright(*words, "other", cwd=tmp_path)
    assert "no validation samples: every step of the 1 episode held out was left out" in run.stderr


def test_the_elements_that_conversations_teach_are_counted(
    episodes: list[Episode], tmp_path: Path
) -> None:
    make_benchmarks(episodes, tmp_path / "own", by_heart=1, per_screen=8)
    run = tapwright("sft", "export", "own", "--targets", "l2", "--convention", "mmbench-gui",
                    "--per-picture", "8", "--to", "trl", "-o", "set", cwd=tmp_path)  # fmt: skip
    assert run.returncode == 0, run.stderr
    taught = json.loads((tmp_path / "set/manifest.json").read_text())["taught"]
    assert f"good, made of {sum(taught.values())} elements" in run.stderr


def test_one_episode_leaves_nothing_for_validation_and_that_is_said(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path / "store")
    store.write(replace(episode("only", TAP), outcome="success"))
    assert tapwright("annotate", "run", str(store.root)).returncode == 0
    run = tapwright("sft", "export", str(store.root), "--to", "ms-swift", *WORDS, "-o", "set",
                    cwd=tmp_path)  # fmt: skip
    assert "no validation samples: there is one episode" in run.stderr


def test_only_what_was_approved_is_taught(store: Path, tmp_path: Path) -> None:
    frame = TAP.observation.screenshot.sha256
    said = Review(step=1, frame=frame, state="edit", reasoning="My own words.", who="Ada")
    write_review(store / "second", "rules", said)
    run = tapwright("sft", "export", str(store), "--to", "ms-swift", *WORDS, "--only", "approved",
                    "--val-share", "0", "-o", "set", cwd=tmp_path)  # fmt: skip
    assert run.returncode == 0, run.stderr
    (sample,) = (tmp_path / "set/train.jsonl").read_text().splitlines()
    assert "My own words." in sample
    run = tapwright("sft", "export", str(store), "--to", "ms-swift", "--convention", "json",
                    "--only", "approved", "-o", "x", cwd=tmp_path)  # fmt: skip
    assert run.returncode == 2
    assert "--annotator" in run.stderr


def test_a_sample_is_shown_as_text_and_as_a_page(store: Path, tmp_path: Path) -> None:
    run = tapwright("sft", "preview", str(store), *WORDS, "--step", "1")
    assert run.returncode == 0, run.stderr
    assert "<image> 40x80" in run.stdout
    assert '⟦{"reasoning": ' in run.stdout
    assert "the loss counts" in run.stderr
    run = tapwright("sft", "preview", str(store), *WORDS, "--html", "p.html", cwd=tmp_path)
    assert run.stdout.split() == ["p.html"]
    assert "data:image/png;base64," in (tmp_path / "p.html").read_text()
    run = tapwright("sft", "preview", str(store), "--convention", "json")
    assert run.returncode == 0  # the recorded reasoning
    run = tapwright("sft", "preview", str(store), *WORDS, "--step", "9")
    assert run.returncode == 5
    assert "Traceback" not in run.stderr


def test_the_step_of_any_question_of_a_conversation_shows_it(
    episodes: list[Episode], tmp_path: Path
) -> None:
    make_benchmarks(episodes, tmp_path / "own", by_heart=1, per_screen=8)
    words = ("--targets", "l2", "--convention", "mmbench-gui", "--per-picture", "8")
    shown = {
        tapwright("sft", "preview", str(tmp_path / "own"), *words, "--step", step).stdout
        for step in ("0", "2")
    }
    assert max(text.count("[user]") for text in shown) > 1
    assert all(text.count("⟦") == text.count("[user]") for text in shown)
    run = tapwright("sft", "export", str(tmp_path / "own"), *words, "--to", "hf", "-o", "set")
    assert run.returncode == 2
    assert "a sample of hf has one question" in run.stderr
    assert "--to axolotl, llamafactory, ms-swift, trl" in run.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("--to", "ms-swift", "--history", "some"),
        ("--to", "rendered"),
        ("--to", "rendered", "--template", "latin1.jinja"),
        ("--to", "mobiagent-sft"),
        ("--to", "no-such"),
    ],
    ids=" ".join,
)
def test_what_cannot_be_written_is_wrong_usage(
    store: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    (tmp_path / "latin1.jinja").write_bytes(b"\xe9")
    run = tapwright("sft", "export", str(store), *WORDS, *words, "-o", "set", cwd=tmp_path)
    assert run.returncode == 2, run.stderr
    assert "Traceback" not in run.stderr
    assert not (tmp_path / "set").exists()


def test_what_a_set_would_hold_is_counted_in_characters_or_tokens(
    store: Path, tmp_path: Path
) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel({"?": 0}, unk_token="?"))
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    (tmp_path / "model").mkdir()
    made.save(str(tmp_path / "model" / "tokenizer.json"))
    words = ("sft", "stats", str(store), *WORDS, "--format", "json")
    plain = tapwright(*words)
    assert plain.returncode == 0, plain.stderr
    assert "4 samples; lengths in characters" in plain.stderr
    rows = {(row["by"], row["name"]): row["samples"] for row in json.loads(plain.stdout)}
    assert rows["action", "tap"] == rows["pictures", "1"] == 4
    assert sum(count for (by, _), count in rows.items() if by == "prompt") == 4
    counted = tapwright(*words, "--tokenizer", str(tmp_path / "model"))
    assert "4 samples; lengths in tokens" in counted.stderr
    assert counted.stdout != plain.stdout


def test_steps_that_are_no_sample_are_counted_with_their_reason(store: Path) -> None:
    words = (*WORDS, "--only", "approved", "--format", "json")
    run = tapwright("sft", "stats", str(store), *words)
    assert run.returncode == 0, run.stderr
    assert {row["by"] for row in json.loads(run.stdout)} == {"dropped"}
    assert sum(row["samples"] for row in json.loads(run.stdout)) == 4


@pytest.mark.parametrize(("text", "told"), [(None, "no such file"), ("{}", "not a tokenizer")])
def test_a_tokenizer_that_cannot_be_read_is_told(
    store: Path, tmp_path: Path, text: str | None, told: str
) -> None:
    pytest.importorskip("tokenizers")
    if text is not None:
        (tmp_path / "tokenizer.json").write_text(text)
    run = tapwright("sft", "stats", str(store), *WORDS, "--tokenizer", str(tmp_path))
    assert run.returncode == 2
    assert told in run.stderr


def test_episodes_left_out_are_counted_of_all_that_were_asked_for(
    store: Path, tmp_path: Path
) -> None:
    untaught = replace(episode("quits", step(Finish(), 4)), outcome="success")
    EpisodeStore(store).write(untaught)
    EpisodeStore(store).write(replace(untaught, id="other", outcome="failure"))
    words = (
        "--to",
        "trl",
        "--convention",
        "mobimind-grounder",
        "--actions-only",
        "--val-share",
        "0",
    )
    run = tapwright("sft", "export", str(store), *words, "-o", "set", cwd=tmp_path)
    assert "1 of 4 episodes dropped" in run.stderr, run.stderr


def test_episodes_of_another_outcome_are_counted_with_the_option_that_takes_them(
    store: Path, tmp_path: Path
) -> None:
    for number in range(3):
        EpisodeStore(store).write(replace(episode(f"u{number}", TAP), outcome="unknown"))
    assert tapwright("annotate", "run", str(store)).returncode == 0
    words = ("--to", "trl", *WORDS, "--val-share", "0")
    run = tapwright("sft", "export", str(store), *words, "-o", "set", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert "0 steps and 3 of 5 episodes dropped" in run.stderr
    assert "3 times: the outcome is unknown; --outcome any takes it" in run.stderr
    run = tapwright("sft", "export", str(store), *words, "--outcome", "any", "-o", "all",
                    cwd=tmp_path)  # fmt: skip
    assert "dropped" in run.stderr
    assert "episodes dropped" not in run.stderr
    run = tapwright("sft", "export", str(store), *words, "--outcome", "truncated", "-o", "none",
                    cwd=tmp_path)  # fmt: skip
    assert run.returncode == 5
    assert "2 times: the outcome is success" in run.stderr
    assert "--outcome any" in run.stderr


def test_reasons_that_are_not_named_are_counted(store: Path, tmp_path: Path) -> None:
    for number in range(7):
        refused = replace(TAP, refused=f"no such app {number}")
        EpisodeStore(store).write(replace(episode(f"r{number}", refused), outcome="success"))
    assert tapwright("annotate", "run", str(store)).returncode == 0
    words = ("--to", "trl", *WORDS, "--val-share", "0")
    run = tapwright("sft", "export", str(store), *words, "-o", "set", cwd=tmp_path)
    assert ", 7 dropped" in run.stderr
    assert run.stderr.count("  1 time: it was refused") == 5
    assert "  2 times: another reason, in set/manifest.json\n" in run.stderr


def test_a_family_that_answers_with_boxes_is_taught_boxes_alone(
    store: Path, tmp_path: Path
) -> None:
    words = ("--to", "ms-swift", "--convention", "mobimind-grounder-qwen3", "--annotator", "rules")
    first = EpisodeStore(store).read("first")
    bare = tuple(
        replace(one, observation=replace(one.observation, ui_tree=None)) for one in first.steps
    )
    EpisodeStore(store).write(replace(first, id="bare", steps=bare))
    assert tapwright("annotate", "run", str(store)).returncode == 0
    run = tapwright("sft", "export", str(store), *words, "--val-share", "0", "-o", "set",
                    cwd=tmp_path)  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert "2 times: no box of its target was recorded" in run.stderr
    lines = (tmp_path / "set/train.jsonl").read_text().splitlines()
    assert len(lines) == 4
    rows = [json.loads(line) for line in lines]
    text = json.dumps(rows[0]["messages"][-1])
    assert "bbox_2d" in text
    box = [int(one) for one in re.findall(r"\d+", text.split("bbox_2d")[1])[:4]]
    assert box[0] < box[2]
    assert box[1] < box[3]
    flat = lines[0].replace(", ".join(map(str, box)), f"{box[0]}, {box[1]}, {box[0]}, {box[1]}")
    assert flat != lines[0]
    (tmp_path / "set/train.jsonl").write_text("\n".join([flat, *lines[1:]]) + "\n")
    (tmp_path / "set/manifest.json").unlink()
    run = tapwright("sft", "check", "set", "--format", "ms-swift", cwd=tmp_path)
    assert run.returncode == 1
    assert "a box without area" in run.stderr
