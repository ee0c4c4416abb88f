"""What TRL learns from play: pairs where plays part, labels of plays, rewards of answers."""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_args

import pytest

from tapwright.agents.model import finish_unreadable
from tapwright.conventions import conventions
from tapwright.core.actions import Action, Finish, Tap, TypeText
from tapwright.core.episode import Decision, Episode, EpisodeOutcome, Step
from tapwright.core.geometry import Point, Size
from tapwright.errors import NothingFoundError, UsageError
from tapwright.formats import formats
from tapwright.formats.exporters.conversations import read_conversations
from tapwright.formats.exporters.growing import add_group
from tapwright.formats.exporters.samples import TrainingEpisode
from tapwright.formats.exporters.training_set import SftFormat, SftReport
from tapwright.formats.rewards import Completion, reward_action
from tapwright.formats.rollouts import replay_rollouts, reward_rollout
from tests.cli.running import tapwright
from tests.formats.training_sets import SETTINGS, TAP, export, step

RIGHT, WRONG = Tap(at=Point(0.25, 0.75)), Tap(at=Point(0.75, 0.25))


def play(id_: str, outcome: EpisodeOutcome, *actions: Action) -> Episode:
    """A play of one task; each screen shows how many steps there were before, and no more."""
    steps = tuple(step(action, number) for number, action in enumerate(actions))
    return Episode(id=id_, task_id="t", instruction="Go", steps=steps, outcome=outcome)


PLAYS = [
    play("a", "success", RIGHT, Finish()),
    play("b", "failure", WRONG, Finish()),
    play("c", "truncated", RIGHT, TypeText(text="x")),
    play("d", "success", RIGHT, Finish()),
]


def grouped(id_: str, rewards: list[float], *actions: Action) -> Episode:
    """A play of the group "t@1", whose check gave these rewards."""
    made = play(id_, "success" if sum(rewards) == 1 else "failure", *actions)
    steps = [replace(one, reward=got) for one, got in zip(made.steps, rewards, strict=True)]
    return replace(made, steps=tuple(steps), extra={"group": "t@1"}, agent="m")


GROUP = [
    grouped("a", [0.5, 0.5], RIGHT, Finish()),  # passed a milestone, and the last one
    grouped("b", [0.0, 0.0], WRONG, Finish()),
    grouped("c", [0.5, 0.0], RIGHT, TypeText(text="x")),
    grouped("d", [0.5, 0.5], RIGHT, Finish()),
]


def written(name: str, plays: list[Episode], directory: Path) -> tuple[SftReport, list[Any]]:
    import pyarrow.parquet as pq

    format_ = formats.get(name)
    assert isinstance(format_, SftFormat)
    report = export(format_, plays, directory, replace(SETTINGS, val_share=0))
    return report, pq.read_table(directory / "data/train-00000.parquet").to_pylist()


def said(turns: Any) -> Any:
    ((turn,),) = [turns]
    return json.loads(turn["content"][0]["text"])["action"]


def test_plays_are_paired_where_they_part_and_one_won(tmp_path: Path) -> None:
    report, rows = written("trl-dpo", PLAYS, tmp_path / "set")
    # Of the first step both answers are known; RIGHT was said in a lost play, too, so it proves
    # nothing there. Of the second, the histories of a, c and d are one.
    assert report.checked == len(rows) == 1
    assert [said(row["chosen"])["type"] for row in rows] == ["finish"]
    assert [said(row["rejected"])["type"] for row in rows] == ["type_text"]
    assert rows[0]["step"] == 1


def test_plays_of_one_kind_make_no_pair_and_no_labels(tmp_path: Path) -> None:
    for name, words in (("trl-dpo", "no two plays"), ("trl-kto", "every play won")):
        with pytest.raises(NothingFoundError, match=words) as caught:
            written(name, PLAYS[:1], tmp_path / name)
        assert "epochs=4" in caught.value.hint
        assert not (tmp_path / name).exists()


def test_every_step_has_the_label_of_its_play(tmp_path: Path) -> None:
    unjudged = play("e", "unknown", RIGHT)
    report, rows = written("trl-kto", [*PLAYS, unjudged], tmp_path / "set")
    assert [(row["episode"], row["label"]) for row in rows] == [
        ("a", True), ("a", True), ("b", False), ("b", False),
        ("c", False), ("c", False), ("d", True), ("d", True),
    ]  # fmt: skip
    assert [one.episode for one in report.dropped] == ["e"]


def test_only_what_a_won_play_did_is_a_ground_truth(tmp_path: Path) -> None:
    others = [play(one, one, RIGHT) for one in get_args(EpisodeOutcome) if one != "success"]
    report, rows = written("trl-grpo", [*PLAYS, *others], tmp_path / "set")
    assert [row["episode"] for row in rows] == ["a", "a", "d", "d"]
    assert {one.episode for one in report.dropped} == {"b", "c", *(one.id for one in others)}


def test_an_answer_has_its_reward_from_the_recorded_action(tmp_path: Path) -> None:
    _, rows = written("trl-grpo", [PLAYS[0]], tmp_path / "set")
    tap = SETTINGS.convention.render(TAP.decision, TAP.observation.size)
    elsewhere = SETTINGS.convention.render(
        replace(TAP.decision, actions=(Tap(at=Point(0.75, 0.1)),)), TAP.observation.size
    )
    answers: list[Completion] = [tap, elsewhere, "what?", [{"role": "assistant", "content": tap}]]
    truth = [rows[0]["ground_truth"]] * len(answers)
    assert reward_action(answers, truth, prompts=[""] * 4) == [1.0, 0.2, 0.0, 1.0]


def test_a_group_s_answers_have_what_the_check_gave_from_their_step_on(tmp_path: Path) -> None:
    alone = play("e", "success", RIGHT)
    other = replace(GROUP[1], id="f", extra={"group": "t@2"})
    report, rows = written("trl-rollouts", [*GROUP, alone, other], tmp_path / "set")
    assert [(row["step"], row["group"], row["rewards"]) for row in rows] == [
        (0, "t@1 m", [1.0, 0.0, 0.5, 1.0]),
        (1, "t@1 m", [0.5, 0.0, 0.5]),  # b's screens are the others', its history is not
    ]
    types = [json.loads(answer)["action"]["type"] for answer in rows[1]["answers"]]
    assert types == ["finish", "type_text", "finish"]
    assert ("e", 0) in {(one.episode, one.step) for one in report.dropped}
    # What stands in no row is told, and nothing twice.
    every = {(one.id, number) for one in [*GROUP, alone, other] for number in range(len(one.steps))}
    told = [(one.episode, one.step) for one in report.dropped]
    assert len(told) == len(set(told))
    assert sum(len(row["answers"]) for row in rows) == report.samples["train"]
    assert report.samples["train"] + len(told) == len(every)
    assert report.episodes["train"] == 4


def test_a_group_that_was_rewarded_alike_teaches_nothing(tmp_path: Path) -> None:
    with pytest.raises(NothingFoundError, match="rewarded differently") as caught:
        written("trl-rollouts", [GROUP[0], GROUP[3]], tmp_path / "set")
    assert "--plays" in caught.value.hint


def test_a_group_that_teaches_nothing_any_more_is_taken_out_of_its_set(tmp_path: Path) -> None:
    format_ = formats.get("trl-rollouts")
    assert isinstance(format_, SftFormat)

    def add(group: str, *plays: Episode) -> tuple[int, int]:
        found = [TrainingEpisode(one.id, "", lambda one=one: (one, {}), group) for one in plays]  # type: ignore[misc]
        settings = replace(SETTINGS, val_share=0)
        rows, left_out = add_group(format_, tmp_path / "set", settings, group, found)
        return rows, left_out.total()

    assert add("t", *GROUP[:2]) == (1, 2)  # the second steps have two prompts
    assert add("x-t", *GROUP[:2]) == (1, 2)
    assert add("t", GROUP[0], GROUP[3]) == (0, 4)
    left = [path.name for path in (tmp_path / "set").rglob("*.parquet")]
    assert left == ["train-x-t-00000.parquet"]


def test_a_play_counts_as_it_was_said_also_without_a_reasoning(tmp_path: Path) -> None:
    def silent(one: Step) -> Step:
        return replace(one, decision=replace(one.decision, reasoning=""))

    plays = [replace(one, steps=tuple(map(silent, one.steps))) for one in GROUP]
    _, rows = written("trl-rollouts", plays, tmp_path / "set")
    assert [row["rewards"] for row in rows] == [[1.0, 0.0, 0.5, 1.0], [0.5, 0.0, 0.5]]
    assert {json.loads(one)["reasoning"] for row in rows for one in row["answers"]} == {""}
    with pytest.raises(NothingFoundError, match="no annotation"):
        written("trl", plays, tmp_path / "taught")


def test_an_answer_that_nobody_could_read_is_not_learnt_from(tmp_path: Path) -> None:
    last = GROUP[2].steps[1]
    unread = replace(last, decision=replace(finish_unreadable("?"), reasoning="r"))
    lost = replace(GROUP[2], steps=(GROUP[2].steps[0], unread))
    report, rows = written("trl-rollouts", [GROUP[0], GROUP[1], lost], tmp_path / "set")
    assert [row["rewards"] for row in rows] == [[1.0, 0.0, 0.5]]
    dropped = {(one.episode, one.step): one.reason for one in report.dropped}
    assert "could not be read" in dropped["c", 1]
    # Without it the others' second steps have nobody who answered their prompts otherwise.
    assert dropped.keys() == {("c", 1), ("a", 1), ("b", 1)}


def test_several_processes_of_a_trainer_do_not_all_replay_the_first_answers() -> None:
    row = {"prompt": [], "images": [], "answers": ["a", "b"], "rewards": [1.0, 0.0]}
    trainer = SimpleNamespace(accelerator=SimpleNamespace(num_processes=2))
    with pytest.raises(UsageError, match="in one process, and the trainer has 2"):
        replay_rollouts([row])([[]], trainer)


def test_fewer_answers_than_plays_are_the_best_and_the_worst_and_the_others_later() -> None:
    class Processor:
        eos_token_id = -1

        def __call__(self, text: str, **_: object) -> dict[str, list[int]]:
            return {"input_ids": [ord(text)]}

        def apply_chat_template(self, prompts: list[Any], **_: object) -> dict[str, Any]:
            return {"input_ids": [[0] for _ in prompts]}

    answers, rewards = ["a", "b", "c", "d"], [1.0, 1.0, 0.0, 0.5]
    row = {"prompt": [], "images": [], "answers": answers, "rewards": rewards}
    trainer = SimpleNamespace(
        accelerator=SimpleNamespace(num_processes=1), processing_class=Processor()
    )
    replay = replay_rollouts([row])
    for given, worth in (("ac", [1.0, 0.0]), ("bd", [1.0, 0.5]), ("ac", [1.0, 0.0])):
        step = replay([[], []], trainer)
        assert [ids[:-1] for ids in step["completion_ids"]] == [[ord(one)] for one in given]
        assert step["reward"] == worth


def test_a_set_is_tried_with_each_of_its_answers(tmp_path: Path) -> None:
    _, rows = written("trl-rollouts", GROUP, tmp_path / "rollouts")
    tried = [turns for _, turns in read_conversations("trl-rollouts", tmp_path / "rollouts")]
    assert [turns[-1].text for turns in tried] == [
        answer for row in rows for answer in row["answers"]
    ]
    _, rows = written("trl-dpo", PLAYS, tmp_path / "dpo")
    assert len(list(read_conversations("trl-dpo", tmp_path / "dpo"))) == 2 * len(rows)


def test_plays_of_a_group_are_held_out_together(tmp_path: Path) -> None:
    others = [replace(one, id=f"{one.id}2", extra={"group": "t@2"}) for one in GROUP]
    format_ = formats.get("trl-rollouts")
    assert isinstance(format_, SftFormat)
    for share, val in ((0.1, 0), (0.5, 4)):  # a group is far more than a tenth
        settings = replace(SETTINGS, val_share=share)
        report = export(format_, [*GROUP, *others], tmp_path / f"set-{share}", settings)
        assert report.episodes == {"train": 8 - val, "val": val}
        assert report.checked == 4


def train(kind: str, data: Path, tiny_model: Path, work: Path) -> bool:
    """Take two steps of the trainer of the set at `data`; whether they changed the model."""
    trl = pytest.importorskip("trl")
    import transformers

    import datasets

    rows = datasets.load_dataset(str(data), split="train", cache_dir=str(work / "cache"))
    processor = transformers.AutoProcessor.from_pretrained(tiny_model)
    model = transformers.AutoModelForImageTextToText.from_pretrained(tiny_model)
    before = {name: value.clone() for name, value in model.named_parameters()}
    given: dict[str, Any] = {}
    options: dict[str, Any] = {"max_length": None}
    name = kind.upper()
    if kind in ("grpo", "rollouts"):
        name, options = "GRPO", {"num_generations": 2, "max_completion_length": 4}
        given = {"reward_funcs": reward_action}
    if kind == "rollouts":
        given = {"reward_funcs": reward_rollout, "rollout_func": replay_rollouts(rows)}
    config = getattr(trl, f"{name}Config")(
        output_dir=str(work / "out"), max_steps=2, per_device_train_batch_size=2,
        use_cpu=True, bf16=False, report_to=[], save_strategy="no", learning_rate=0.1, **options,
    )  # fmt: skip
    trainer = getattr(trl, f"{name}Trainer")(
        model=model, args=config, train_dataset=rows, processing_class=processor, **given
    )
    trainer.train()
    assert trainer.state.global_step == 2
    return any(not value.equal(before[name]) for name, value in model.named_parameters())


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # TRL's own
@pytest.mark.parametrize("kind", ["dpo", "kto", "grpo"])
def test_its_trainer_takes_a_few_steps(kind: str, tiny_model: Path, tmp_path: Path) -> None:
    written(f"trl-{kind}", PLAYS, tmp_path / "set")
    changed = train(kind, tmp_path / "set", tiny_model, tmp_path)
    assert changed or kind == "grpo"  # two equal answers of a group teach nothing


HASTY = """
import random
from dataclasses import replace

from tapwright import Decision, Finish
from tapwright.agents.script import ScriptAgent


class Hasty:
    name = "hasty"

    def __init__(self, task, seed):
        self.inner, self.chance = ScriptAgent.for_task(task, seed), random.Random(seed)

    async def act(self, instruction, history, observation):
        if self.chance.random() < 0.25:
            return Decision(Finish(outcome="success"), "That is all.")
        return replace(await self.inner.act(instruction, history, observation), reasoning="On.")
"""


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # TRL's own
def test_grpo_learns_from_plays_of_an_agent_that_taps_at_random(
    tiny_model: Path, tmp_path: Path
) -> None:
    import pyarrow.parquet as pq

    told = tapwright(
        "record", "--suite", "miniwob", "--device", "miniwob", "--task", "click-button.0",
        "--agent", "random", "--seed", "5", "--plays", "6", "-o", "played", cwd=tmp_path,
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    told = tapwright(
        "sft", "export", "played", "--to", "trl-rollouts", "--convention", "json",
        "--outcome", "any", "--max-side", "64", "-o", "set", cwd=tmp_path,
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    (row,) = pq.read_table(tmp_path / "set/data/train-00000.parquet").to_pylist()
    assert len(row["answers"]) == 6
    assert set(row["rewards"]) == {1.0, -1.0}  # a click on the button, and on another one
    assert train("rollouts", tmp_path / "set", tiny_model, tmp_path)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # TRL's own
def test_grpo_learns_from_plays_of_a_phone_that_were_rewarded_differently(
    tiny_model: Path, tmp_path: Path
) -> None:
    import pyarrow.parquet as pq

    (tmp_path / "hasty.py").write_text(HASTY)
    told = tapwright(
        "record", "--task", "wifi_off", "--agent", "hasty:Hasty", "--seed", "5", "--plays", "6",
        "-o", "played", cwd=tmp_path,
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    told = tapwright(
        "sft", "export", "played", "--to", "trl-rollouts", "--convention", "json",
        "--outcome", "any", "--max-side", "64", "-o", "set", cwd=tmp_path,
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    rows = pq.read_table(tmp_path / "set/data/train-00000.parquet").to_pylist()
    # All six begin on one screen; two come to the switch and are given the reward there.
    assert sorted(rows[0]["rewards"]) == [0.0, 0.0, 0.0, 0.0, 1.0, 1.0]
    assert all(len(set(row["rewards"])) == 2 for row in rows)
    ends = [json.loads(answer)["action"]["type"] == "finish" for answer in rows[0]["answers"]]
    assert [reward for reward, end in zip(rows[0]["rewards"], ends, strict=True) if end] == [0.0]
    assert train("rollouts", tmp_path / "set", tiny_model, tmp_path)


def test_several_actions_are_rewarded_as_the_worst_of_them() -> None:
    tap, typed = Tap(at=Point(0.25, 0.75)), TypeText(text="milk")
    convention, size = conventions.get("openai-computer"), Size(1000, 1000)
    truth = json.dumps(
        {
            "action": [tap.model_dump(mode="json"), typed.model_dump(mode="json")],
            "box": None,
            "convention": convention.name,
            "size": [1000, 1000],
        }
    )
    given: list[list[Action]] = [
        [tap, typed], [tap, TypeText(text="tea")], [tap], [typed, tap],
    ]  # fmt: skip
    answers = [convention.render(Decision(actions), size) for actions in given]
    assert reward_action(answers, [truth] * 4) == [1.0, 0.2, 0.0, 0.0]
