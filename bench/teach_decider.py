"""What `bench_teach.py` teaches by demonstration: to turn the phone's settings on and off.

Scripts show it, `annotate` gives the reasons, and `sft export` the conversations; the model then
plays on a phone with other data, and is asked for the next step of demonstrations there.
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

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


def decider(out: Path, pool: Path, seed: int, lesson: Lesson) -> None:
    """A model of demonstrations plays the same tasks over other data."""
    shown, asked = demonstrations(pool / "shown", SHOWN), demonstrations(pool / "asked", ASKED)
    as_taught = ("--convention", "json", "--annotator", "rules")
    if not (pool / "shown/sft/manifest.json").exists():
        example.tapwright("sft", "export", shown, *as_taught, "--to", "trl", "--val-share", 0,
                          "--max-pixels", example.PIXELS, "--jpeg", 90,
                          "-o", pool / "shown/sft")  # fmt: skip
    rows = datasets.load_dataset(str(pool / "shown/sft"))["train"]
    model = taught(out / "model", rows, 8_000, seed, lesson)
    settings = ("--set", "max_tokens=128", "--set", "batch=16")
    pictures = ("--max-pixels", example.PIXELS)  # asked and playing as in training
    lesson.scores["annotated steps"] = score(
        out / "run-steps", model, "steps-qwen", asked, *as_taught, *settings, *pictures
    )
    tasks = pool / "asked/tasks"
    played = ("--sample", PLAYED, "--device", "phone:jpeg")
    for label, subject, options in (
        ("l3, other seeds", model, ("--convention", "json", *pictures, *settings)),
        ("l3, rules", "tree", ()),
        ("l3, random", "random", ()),
    ):
        run = out / f"run-{label[4:].replace(' ', '-')}"
        lesson.scores[label] = score(run, subject, "l3", tasks, *played, *options)


def demonstrations(at: Path, seeds: Iterable[int]) -> Path:
    """Annotated plays of every switch in both directions, made once.

    The tasks are in `at`/tasks.
    """
    store = at / "episodes"
    if not (at / "recorded").exists():
        at.mkdir(parents=True, exist_ok=True)
        rows = [json.dumps(row) for one in seeds for row in _tasks(one)]
        (at / "toggles.jsonl").write_text("\n".join(rows) + "\n", "utf-8")
        (at / "toggles.task").write_text("switch\n", "utf-8")
        example.tapwright("tasks", "expand", at / "toggles.jsonl", "--task", at / "toggles.task",
                          "-p", TEMPLATES, "-o", at / "tasks")  # fmt: skip
        example.tapwright("record", "--suite", at / "tasks", "--agent", "script",
                          "--device", "phone:jpeg", "-o", store)  # fmt: skip
        example.tapwright("annotate", "run", store, "--with", "rules")
        (at / "recorded").touch()
    return store


def _tasks(seed: int) -> Iterator[dict[str, str | int | bool]]:
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
