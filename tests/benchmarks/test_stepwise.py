import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tapwright.annotate import annotators
from tapwright.annotate.run import EpisodeAnnotator
from tapwright.benchmarks import benchmarks
from tapwright.benchmarks.errors import BadBenchmarkError
from tapwright.benchmarks.metrics import step_scores
from tapwright.benchmarks.step_reference import WRONG_TYPE
from tapwright.benchmarks.stepwise import Stepwise, judge_step
from tapwright.conventions.json import JSON_CONVENTION
from tapwright.core.actions import Action, Finish, Swipe, Tap, TypeText
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.observation import Observation, UiTree
from tapwright.core.screenshot import Screenshot
from tapwright.devices.fake import painted_scene
from tapwright.errors import UnknownNameError, UsageError
from tapwright.evaluate.run import evaluate
from tapwright.evaluate.run_log import SampleInfo, SampleRow
from tapwright.store.annotations import apply_annotations, read_annotations
from tapwright.store.store import EpisodeStore

SIZE = Size(100, 200)
XML = '<hierarchy><node class="b" clickable="true" bounds="[40,90][60,110]"/></hierarchy>'
ACTIONS: tuple[Action, ...] = (
    Tap(at=Point(0.5, 0.5)),
    TypeText(text="cats"),
    Swipe(start=Point(0.5, 0.8), end=Point(0.5, 0.2)),
    Finish(),
)
WRONG = TypeText(text="dogs")


def episode(name: str = "one", actions: tuple[Action, ...] = ACTIONS) -> Episode:
    seen = Observation(
        Screenshot(painted_scene(1, SIZE).picture), SIZE, UiTree(XML, SIZE), app="org.app"
    )
    steps = tuple(Step(seen, Decision(action)) for action in actions)
    return Episode(name, "task", "Search for cats", steps)


def answer(benchmark: Stepwise, action: Action) -> str:
    return benchmark.convention.render(Decision(action), SIZE)


def rows(benchmark: Stepwise, said: list[str | None]) -> list[SampleRow]:
    """What a run would log; None where the request failed."""
    made = []
    for sample, text in zip(benchmark.samples(), said, strict=True):
        about = SampleInfo(labels=dict(sample.labels), cluster=sample.cluster, truth=sample.truth)
        if text is None:
            made.append(SampleRow(id=sample.id, about=about, status="failed"))
            continue
        score = benchmark.score(sample, text, space="pixel")
        made.append(
            SampleRow(
                id=sample.id,
                about=about,
                status=score.status,
                score=score.value,
                detail=dict(score.detail),
            )
        )
    return made


@pytest.mark.parametrize("name", [name for name in benchmarks.names() if name[:6] == "steps-"])
def test_the_recorded_answers_are_all_right_whatever_the_rules(name: str, tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path / "store")
    store.write(episode())
    loaded = benchmarks.get(name)(str(tmp_path / "store"))
    assert isinstance(loaded, Stepwise)
    said: list[str | None] = [answer(loaded, action) for action in ACTIONS]
    found = step_scores(rows(loaded, said))
    assert (found.n, found.accuracy, found.type_accuracy, found.success_rate) == (4, 1, 1, 1)


def test_a_step_is_asked_as_an_agent_asks_it_with_the_steps_before() -> None:
    benchmark = Stepwise([episode()], rules="qwen", convention="qwen3-vl")
    sample = benchmark.samples()[2]
    assert [step.decision.action for step in sample.history] == list(ACTIONS[:2])
    wanted = benchmark.convention.prompt("Search for cats", sample.history, sample.observe())
    assert benchmark.prompt(sample) == wanted
    assert sample.truth == ACTIONS[2].model_dump(mode="json")


def test_an_agent_is_asked_with_the_steps_before_and_answers_with_its_decision(
    tmp_path: Path,
) -> None:
    asked: list[int] = []

    class Recorded:
        name = "recorded"

        async def act(
            self, instruction: str, history: Sequence[Step], observation: Observation
        ) -> Decision:
            asked.append(len(history))
            return Decision(ACTIONS[len(history)])

    benchmark = Stepwise([episode()], rules="aitw")
    log = asyncio.run(evaluate(benchmark, Recorded(), tmp_path / "run", concurrency=1))
    assert [row.score for row in log.rows] == [1.0] * 4
    assert asked == [0, 1, 2, 3]
    assert step_scores(log.rows).success_rate == 1


def test_numbers_are_by_type_and_by_episode() -> None:
    benchmark = Stepwise([episode("one"), episode("two"), episode("three")], rules="os-atlas")
    right: list[str | None] = [answer(benchmark, action) for action in ACTIONS]
    missed = [right[0], answer(benchmark, WRONG), "garbage", right[3]]
    found = step_scores(rows(benchmark, [*right, *missed, *right[:3], None]))
    assert (found.n, found.failures, found.format_errors) == (11, 1, 1)
    assert found.accuracy == 9 / 11
    assert found.type_accuracy == 10 / 11
    assert found.by_type["type_text"].accuracy == 2 / 3
    assert found.by_type["type_text"].type_accuracy == 1
    assert (found.episodes, found.success_rate, found.progress) == (2, 0.5, (1 + 0.25) / 2)


def test_nothing_has_no_numbers() -> None:
    found = step_scores([])
    assert (found.n, found.accuracy, found.success_rate, found.progress) == (0, None, None, None)


def test_the_elements_of_the_steps_tree_are_known_to_the_rules() -> None:
    step = episode().steps[0]
    near = Tap(at=Point(0.6, 0.45))
    assert judge_step(near, step, rules="qwen").value == 1
    bare = replace(step, observation=replace(step.observation, ui_tree=None))
    assert judge_step(near, bare, rules="qwen").value == 0
    far = Tap(at=Point(0.59, 0.46))
    assert judge_step(far, step, rules="agentnet").value == 1


def test_steps_without_a_picture_of_their_own_are_left_out(tmp_path: Path) -> None:
    whole = episode()
    stale = replace(whole.steps[1], observation=replace(whole.steps[1].observation, stale=True))
    bare = replace(
        whole.steps[2],
        observation=replace(
            whole.steps[2].observation, screenshot=Screenshot.stand_in(SIZE), ui_tree=None
        ),
    )
    benchmark = Stepwise([replace(whole, steps=(whole.steps[0], stale, bare))], rules="aitw")
    assert [sample.id for sample in benchmark.samples()] == ["one-0"]
    store = EpisodeStore(tmp_path / "store")
    store.write(replace(whole, steps=(bare,)))
    with pytest.raises(BadBenchmarkError, match="no episode with a picture of its steps"):
        Stepwise.load(str(tmp_path / "store"), rules="aitw")


def test_the_hash_follows_the_steps() -> None:
    one, two = (Stepwise([episode()], rules=name).data_sha256 for name in ("aitw", "qwen"))
    other = Stepwise([episode(actions=ACTIONS[1:])], rules="aitw").data_sha256
    assert one == two != other


def test_an_unknown_rule_set_or_convention_is_named_at_once() -> None:
    with pytest.raises(UnknownNameError, match="rule set"):
        Stepwise([], rules="aiwt")
    with pytest.raises(UnknownNameError, match="convention"):
        Stepwise([], rules="aitw", convention="qwen4")


def test_an_episode_that_cannot_be_read_is_left_out_by_name(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path / "store")
    for id_ in ("one", "two", "three"):
        store.write(replace(episode(), id=id_))
    lines = tmp_path / "store" / "two" / "steps.jsonl"
    lines.write_bytes(b"no step\n" + lines.read_bytes())
    (tmp_path / "store" / "three" / "episode.json").write_bytes(b"{")
    made = Stepwise.load(str(tmp_path / "store"), rules="aitw")
    assert {sample.cluster for sample in made.samples()} == {"one"}
    assert len(made.left_out) == 2
    assert "three/episode.json" in made.left_out[0]
    assert "two/steps.jsonl, line 1" in made.left_out[1]
    assert made.at_level("high").left_out == made.left_out


def test_an_episode_without_the_file_of_a_picture_is_left_out(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path / "store")
    for id_ in ("one", "two"):
        store.write(replace(episode(), id=id_))
    picture = next((tmp_path / "store" / "two").rglob("*.png"))
    picture.unlink()
    made = Stepwise.load(str(tmp_path / "store"), rules="aitw")
    assert {sample.cluster for sample in made.samples()} == {"one"}
    assert picture.name in made.left_out[0]


def test_a_store_of_unreadable_episodes_is_refused_with_the_first_reason(tmp_path: Path) -> None:
    EpisodeStore(tmp_path / "store").write(replace(episode(), id="one"))
    (tmp_path / "store" / "one" / "steps.jsonl").write_bytes(b"no step\nnor this\n")
    with pytest.raises(BadBenchmarkError, match=r"none of 1 episodes can be used: .*steps\.jsonl"):
        Stepwise.load(str(tmp_path / "store"), rules="aitw")


def test_the_history_is_what_the_annotator_wrote(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path / "store")
    store.write(episode())
    asyncio.run(EpisodeAnnotator(store, annotators.get("rules"))("one"))
    loaded = Stepwise.load(str(store.root), rules="qwen")
    annotated = loaded.annotated_by("rules")
    told = apply_annotations(store.read("one"), read_annotations(store.root / "one", "rules"))
    recorded, written = loaded.samples()[-1], annotated.samples()[-1]
    assert written.history == tuple(told.steps[:-1])
    assert annotated.prompt(written) == JSON_CONVENTION.prompt(
        told.instruction, told.steps[:-1], told.steps[-1].observation
    )
    assert loaded.prompt(recorded) != annotated.prompt(written)
    assert loaded.data_sha256 != annotated.data_sha256
    assert annotated.annotated_by("").data_sha256 == loaded.data_sha256


def test_episodes_that_an_annotator_has_not_annotated_are_left_out(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path / "store")
    store.write(episode())
    store.write(episode("two"))
    asyncio.run(EpisodeAnnotator(store, annotators.get("rules"))("one"))
    annotated = Stepwise.load(str(store.root), rules="qwen").annotated_by("rules")
    assert {sample.cluster for sample in annotated.samples()} == {"one"}
    (why,) = annotated.left_out
    assert "two" in why
    assert "no annotations" in why
    with pytest.raises(BadBenchmarkError, match="ada has annotated none"):
        annotated.annotated_by("ada")


def test_episodes_in_memory_have_no_annotations() -> None:
    with pytest.raises(UsageError, match="annotations by rules"):
        Stepwise([episode()], rules="qwen").annotated_by("rules")


def test_several_actions_are_as_good_as_the_worst_and_none_may_be_missing() -> None:
    step = episode().steps[0]
    tap, typed = step.decision.first, TypeText(text="milk")
    both = replace(step, decision=Decision([tap, typed]))
    for rules in ("qwen", "odyssey", "aitw"):
        assert judge_step([tap, typed], both, rules=rules).value == 1
        assert judge_step([tap], both, rules=rules) == WRONG_TYPE
        assert judge_step([typed, tap], both, rules=rules).type_match is False
    assert judge_step([tap, TypeText(text="tea")], both, rules="qwen").value == 0


def test_agentnet_compares_several_actions_one_by_one() -> None:
    step = episode().steps[0]
    tap, typed = step.decision.first, TypeText(text="milk")
    both = replace(step, decision=Decision([tap, typed]))
    assert judge_step([tap, typed], both, rules="agentnet").value == 1
    # A click and what is typed behind it are one action of ours, and two of the evaluator's.
    assert isinstance(tap, Tap)
    assert judge_step(TypeText(text="milk", at=tap.at), both, rules="agentnet").value == 1
    assert judge_step(tap, both, rules="agentnet").value == 0.5
    assert judge_step([tap, typed, typed], both, rules="agentnet").value == 1
    assert judge_step([tap, typed, typed], both, rules="agentnet-60da8b9").value == 2 / 3
