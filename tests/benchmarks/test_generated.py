import json
import random
import re
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path

import pytest

from tapwright.benchmarks.generated import make_benchmarks
from tapwright.benchmarks.generated_files import GeneratedLevel
from tapwright.benchmarks.generated_questions import QuestionGenerator
from tapwright.benchmarks.generated_reading import read_screens
from tapwright.benchmarks.generated_screens import RecordedScreen
from tapwright.benchmarks.grounding import GroundingBenchmark
from tapwright.benchmarks.understanding import UnderstandingBenchmark
from tapwright.core.actions import Action, Wait
from tapwright.core.episode import Episode
from tapwright.core.observation import Observation, UiTree
from tapwright.core.screenshot import Screenshot
from tapwright.devices.fake import Scene
from tapwright.errors import CorruptEpisodeError, NothingFoundError, UsageError
from tapwright.store.store import EpisodeStore
from tests.benchmarks.surveys import survey
from tests.conftest import Row, episode, paint, touch


def read_all(root: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def watch(episode: Episode, change: Callable[[Observation], Observation]) -> Episode:
    """The episode with each of its observations changed."""
    assert episode.final is not None
    steps = tuple(replace(one, observation=change(one.observation)) for one in episode.steps)
    return replace(episode, steps=steps, final=change(episode.final))


def test_the_same_episodes_and_seed_give_the_same_bytes(
    episodes: list[Episode], tmp_path: Path
) -> None:
    for name, seed in (("one", 3), ("two", 3), ("other", 4)):
        make_benchmarks(episodes, tmp_path / name, seed=seed)
    assert read_all(tmp_path / "one") == read_all(tmp_path / "two")
    assert read_all(tmp_path / "one") != read_all(tmp_path / "other")


def test_what_is_made_loads_and_is_counted(episodes: list[Episode], tmp_path: Path) -> None:
    counts = make_benchmarks(episodes, tmp_path / "own", by_heart=1)
    assert counts.screens == 6  # the editor's screen was recorded twice
    assert counts.questions == len(UnderstandingBenchmark(tmp_path / "own").samples())
    assert counts.targets == len(GroundingBenchmark(tmp_path / "own").samples()) > 30


@pytest.mark.parametrize("level", ["l1", "l2"])
def test_one_of_the_two_is_made_alone(
    level: GeneratedLevel, episodes: list[Episode], tmp_path: Path
) -> None:
    make_benchmarks(episodes, tmp_path / "both")
    counts = make_benchmarks(episodes, tmp_path / "own", levels=(level,))
    both, alone = read_all(tmp_path / "both"), read_all(tmp_path / "own")
    assert {path for path in alone if path.endswith(".json")} == {
        f"{level.upper()}_annotations.json"
    }
    assert (counts.questions > 0, counts.targets > 0) == (level == "l1", level == "l2")
    assert alone.keys() <= both.keys()


def test_screens_of_other_recordings_are_left_out_wherever_a_list_stands(tmp_path: Path) -> None:
    rows = [Row("Display"), Row("Sound"), Row("Battery")]
    seen, other = paint("settings", "Settings", rows), paint("settings", "Sound", [Row("Volume")])
    moved = paint("settings", "Settings", list(reversed(rows)))
    assert moved != seen
    held_out = [episode("a", "Look", [(moved, Wait()), (other, Wait())])]
    counts = make_benchmarks(
        held_out, tmp_path / "own", unlike=[episode("b", "Look", [(seen, Wait())])]
    )
    assert (counts.screens, counts.alike) == (1, 1)
    with pytest.raises(NothingFoundError, match="each of 2 screens"):
        make_benchmarks(held_out, tmp_path / "none", unlike=held_out)
    assert not (tmp_path / "none").exists()


def test_a_list_with_one_more_entry_is_like_it_and_another_list_is_not(tmp_path: Path) -> None:
    names = [f"Mail of day {number}" for number in range(12)]
    inbox = paint("mail", "Inbox", [Row(name) for name in names])
    more = paint("mail", "Inbox", [Row("Just now"), *map(Row, names[:11])])
    other = paint("mail", "Inbox", [Row(f"Letter {number}") for number in range(12)])
    held_out = [episode("a", "Look", [(more, Wait()), (other, Wait())])]
    training = [episode("b", "Look", [(inbox, Wait())])]
    counts = make_benchmarks(held_out, tmp_path / "own", unlike=training)
    assert (counts.screens, counts.alike) == (1, 1)


def test_what_stands_where_it_always_stands_is_asked_for_seldom(tmp_path: Path) -> None:
    fixed = [Row("Wi-Fi"), Row("Bluetooth"), Row("Battery"), Row("Sound")]

    def screens(names: list[str]) -> list[tuple[Scene, Action]]:
        return [(paint("settings", name, [*fixed, Row(f"{name} page")]), Wait()) for name in names]

    training = [episode("b", "Look", screens(["One", "Two", "Three"]))]
    held_out = [episode("a", "Look", screens(["Four", "Five", "Six"]))]
    for by_heart, asked in ((1.0, {"Wi-Fi", "Battery"}), (0.0, set[str]())):
        out = tmp_path / str(by_heart)
        make_benchmarks(held_out, out, unlike=training, by_heart=by_heart, per_screen=20)
        words = " ".join(one.instruction for one in GroundingBenchmark(out).samples())
        assert {row.title for row in fixed if row.title in words} >= asked
        assert asked or not any(row.title in words for row in fixed)
        assert "Four page" in words


@pytest.mark.parametrize("seed", range(8))
def test_exactly_one_option_is_right(seed: int, episodes: list[Episode], tmp_path: Path) -> None:
    make_benchmarks(episodes, tmp_path / "own", seed=seed)
    for question in UnderstandingBenchmark(tmp_path / "own").samples():
        options = dict(question.options)
        assert 4 <= len(options) <= 6
        assert len({text.casefold() for text in options.values()}) == len(options)
        tree = question.observe().ui_tree
        assert tree is not None
        shown = "\n".join(node.text for node in tree.nodes)
        if "texts can be read" in question.instruction or "能看到" in question.instruction:
            assert [letter for letter, text in options.items() if text in shown] == [
                question.answer
            ]


def test_a_target_is_the_only_element_of_its_name(episodes: list[Episode], tmp_path: Path) -> None:
    make_benchmarks(episodes, tmp_path / "own")
    for target in GroundingBenchmark(tmp_path / "own").samples():
        tree = target.observe().ui_tree
        assert tree is not None
        node = tree.at(target.box.center)
        assert node is not None
        assert node.box == target.box


def test_both_languages_and_all_kinds_are_there(episodes: list[Episode], tmp_path: Path) -> None:
    make_benchmarks(episodes, tmp_path / "own", per_screen=9)
    targets = GroundingBenchmark(tmp_path / "own").samples()
    words = " ".join(target.instruction for target in targets)
    assert '"Wi-Fi" switch' in words
    assert "“世界时钟”项目" in words
    assert {(t.labels["grounding_type"], t.labels["data_type"]) for t in targets} == {
        (one, other) for one in ("basic", "advanced") for other in ("icon", "text")
    }


def test_what_would_do_as_well_is_no_wrong_answer_to_what_is_touched_next(tmp_path: Path) -> None:
    rows = [Row("Subject", field=True), Row("Anna"), Row("Enter"), Row("Send"), Row("Drafts"),
            Row("Outbox"), Row("Spam"), Row("Trash")]  # fmt: skip
    form, other, third = (paint("mail", title, rows) for title in ("New mail", "Mail", "Inbox"))
    recorded = episode(
        "f",
        "Look into the drafts for Anna",
        [(form, touch(form, "Drafts")), (other, touch(form, "Subject")),
         (third, touch(form, "Send"))],
    )  # fmt: skip
    for seed in range(8):
        found = list(read_screens([recorded]))
        first = next(screen for screen in found if "New mail" in screen.texts)
        draft = QuestionGenerator(survey(found))._next(first, random.Random(seed))
        assert draft is not None
        assert draft.right == 'the "Drafts" item'
        assert {word for said in draft.wrong for word in re.findall('"(.*)"', said)} <= {
            "Outbox", "Spam", "Trash",
        }  # fmt: skip


def test_a_word_that_is_read_is_not_told_by_the_purpose_of_an_icon(tmp_path: Path) -> None:
    inbox = paint("mail", "收件箱", [Row("附件"), Row("星标"), Row("未读"), Row("全部")])
    make_benchmarks([episode("g", "看邮件", [(inbox, Wait())])], tmp_path / "own")
    told = [target.instruction for target in GroundingBenchmark(tmp_path / "own").samples()]
    assert any("附件" in words for words in told)
    assert not any("附上一个文件" in words for words in told)


def test_a_screen_that_is_kept_holds_no_tree(episodes: list[Episode], tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path / "store")
    for one in episodes:
        store.write(one)
    screens = [screen.fresh() for screen in read_screens(store)]
    assert len(screens) == 6
    for screen in screens:
        assert vars(screen).keys() == {field.name for field in fields(RecordedScreen)}
        assert vars(screen.observation.ui_tree).keys().isdisjoint({"xml", "nodes"})


def test_each_tree_is_read_when_it_is_looked_at_and_when_it_is_asked_about(
    episodes: list[Episode], tmp_path: Path
) -> None:
    read: list[str] = []

    def counted(seen: Observation) -> Observation:
        tree = seen.ui_tree
        assert tree is not None

        def load() -> str:
            read.append(tree.xml)
            return tree.xml

        return replace(seen, ui_tree=UiTree.lazy(load, tree.size, origin="a tree"))

    counts = make_benchmarks([watch(one, counted) for one in episodes], tmp_path / "own")
    looks = sum(len(one.steps) + 1 for one in episodes)
    assert len(read) == looks + counts.screens


def test_a_limit_takes_the_apps_in_turn(episodes: list[Episode], tmp_path: Path) -> None:
    make_benchmarks(episodes, tmp_path / "own", limit=4)
    apps = [sample.labels["app"] for sample in GroundingBenchmark(tmp_path / "own").samples()]
    assert set(apps) == {"Clock", "Mail", "Notes", "Settings"}


def test_the_proof_stands_beside_the_answer(episodes: list[Episode], tmp_path: Path) -> None:
    make_benchmarks(episodes, tmp_path / "own")
    rows = json.loads((tmp_path / "own" / "L1_annotations.json").read_text("utf-8"))
    assert all(group["explanation"] for row in rows for group in row["groups"])


def test_a_directory_that_exists_is_not_touched(episodes: list[Episode], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="already exists"):
        make_benchmarks(episodes, tmp_path)


def test_episodes_without_trees_give_nothing(tmp_path: Path) -> None:
    with pytest.raises(NothingFoundError):
        make_benchmarks([], tmp_path / "own")
    assert not (tmp_path / "own").exists()


def test_no_question_is_asked_of_a_picture_that_nobody_recorded(episodes: list[Episode]) -> None:
    def fade(seen: Observation) -> Observation:
        return replace(seen, screenshot=Screenshot.stand_in(seen.size))

    assert list(read_screens(episodes))
    assert list(read_screens(watch(episode, fade) for episode in episodes)) == []


def test_nothing_is_left_behind_when_a_picture_cannot_be_read(
    episodes: list[Episode], tmp_path: Path
) -> None:
    store = EpisodeStore(tmp_path / "store")
    store.write(episodes[0])
    for frame in (tmp_path / "store").rglob("frames/*"):
        frame.unlink()
    with pytest.raises(CorruptEpisodeError):
        make_benchmarks(store, tmp_path / "own")
    assert [path.name for path in tmp_path.iterdir()] == ["store"]


def test_a_name_with_half_an_emoji_is_kept(episodes: list[Episode], tmp_path: Path) -> None:
    half = [
        replace(
            episode,
            steps=tuple(
                replace(step, observation=replace(step.observation, app="app \ud83d"))
                for step in episode.steps
            ),
        )
        for episode in episodes
    ]
    make_benchmarks(half, tmp_path / "own")
    rows = json.loads((tmp_path / "own" / "L2_annotations.json").read_bytes())
    assert "App \ud83d" in {row["app_name"] for row in rows}
