"""What `bench_teach.py` teaches by demonstration: to turn the phone's settings on and off.

Scripts show it, `annotate` gives the reasons, and `sft export` the conversations; the model then
plays on a phone with other data, and is asked for the next step of demonstrations there.
"""

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import datasets
import teach_a_model as example
from teach_lessons import ROOT, Lesson, score, taught

TEMPLATES = ROOT / "src/tapwright/tasks/phone_tasks/templates"
SWITCHES = {
    "network": ("airplane_mode", "mobile_data", "roaming", "data_saver"),
    "connected": ("nfc",),
    "notifications": (
        "notification_dots", "notification_history", "do_not_disturb", "lock_screen_notifications",
    ),
    "battery": ("battery_saver", "adaptive_battery"),
    "sound": ("vibrate", "touch_sounds"),
    "display": ("adaptive_brightness", "dark_theme", "night_light", "auto_rotate"),
    "location": ("location",),
}  # fmt: skip
"""The pages of the settings, and what one can switch there."""
SHOWN, ASKED = range(1000, 1006), range(5000, 5002)
"""Seeds of the phone's data: in training, and where it is measured."""
PLAYED = 48
PHONE = "phone:jpeg"
Row: TypeAlias = dict[str, str | int | bool]


def decider(out: Path, pool: Path, seed: int, lesson: Lesson) -> None:
    """A model of demonstrations plays the same tasks over other data."""
    shown = demonstrations(
        pool / "shown", {"switch": [row for one in SHOWN for row in _tasks(one)]}, PHONE
    )
    asked = demonstrations(
        pool / "asked", {"switch": [row for one in ASKED for row in _tasks(one)]}, PHONE
    )
    learn_to_play(out, shown, asked, PHONE, PLAYED, 8_000, seed, lesson)


def learn_to_play(
    out: Path, shown: Path, asked: Path, phone: str, played: int, samples: int, seed: int,
    lesson: Lesson,
) -> None:  # fmt: skip
    """Teach the demonstrations `shown`, play tasks of those `asked`."""
    as_taught = ("--convention", "json", "--annotator", "rules")
    if not (shown / "sft/manifest.json").exists():
        example.tapwright("sft", "export", shown / "episodes", *as_taught, "--to", "trl",
                          "--val-share", 0, "--max-pixels", example.PIXELS, "--jpeg", 90,
                          "-o", shown / "sft")  # fmt: skip
    rows = datasets.load_dataset(str(shown / "sft"))["train"]
    model = taught(out / "model", rows, samples, seed, lesson)
    settings = ("--set", "max_tokens=128", "--set", "batch=16")
    pictures = ("--max-pixels", example.PIXELS)  # asked and playing as in training
    lesson.scores["annotated steps"] = score(
        out / "run-steps", model, "steps-qwen", asked / "episodes", *as_taught, *settings, *pictures
    )
    how = ("--sample", played, "--device", phone)
    as_model = ("--convention", "json", *pictures, *settings)
    for label, subject, options in (
        ("l3", model, as_model),
        ("l3, black pictures", _blinded(model, out / "blinded"), as_model),
        ("l3, rules", "tree", ()),
        ("l3, random", "random", ()),
    ):
        run = out / f"run-{label.replace(', ', '-').replace(' ', '-')}"
        lesson.scores[label] = score(run, subject, "l3", asked / "tasks", *how, *options)


def _blinded(model: str, out: Path) -> str:
    """The same model, to which every picture is black."""
    checkpoint = Path(model.removeprefix("transformers/"))
    shutil.copytree(checkpoint, out / checkpoint.name, dirs_exist_ok=True)
    file = out / checkpoint.name / "processor_config.json"
    told = json.loads(file.read_text("utf-8"))
    told["image_processor"]["rescale_factor"] = 0.0
    file.write_text(json.dumps(told), "utf-8")
    return f"transformers/{out / checkpoint.name}"


def demonstrations(at: Path, tables: Mapping[str, Sequence[Row]], phone: str) -> Path:
    """Annotated plays of the tasks of tables by the names of their templates, made once.

    The tasks are in `at`/tasks, their plays in `at`/episodes.
    """
    if not (at / "recorded").exists():
        at.mkdir(parents=True, exist_ok=True)
        for template, rows in tables.items():
            table, task = at / f"{template}.jsonl", at / f"{template}.task"
            table.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
            task.write_text(f"{template}\n", "utf-8")
            example.tapwright("tasks", "expand", table, "--task", task, "-p", TEMPLATES,
                              "-o", at / "tasks")  # fmt: skip
        example.tapwright("record", "--suite", at / "tasks", "--agent", "script",
                          "--device", phone, "-o", at / "episodes")  # fmt: skip
        example.tapwright("annotate", "run", at / "episodes", "--with", "rules")
        (at / "recorded").touch()
    return at


def _tasks(seed: int) -> Iterator[Row]:
    for page, names in SWITCHES.items():
        for name in names:
            for on in (True, False):
                yield {
                    "id": f"{name}_{'on' if on else 'off'}",
                    "language": "en",
                    "seed": seed,
                    "command": f"Turn {name.replace('_', ' ')} {'on' if on else 'off'}.",
                    "page": page,
                    "setting": name,
                    "was": not on,
                    "on": on,
                }
