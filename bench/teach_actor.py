"""What `bench_teach.py` teaches about phones that look different: to see what to do next.

Each seed of the phone draws its look anew: where the apps and tabs are, in which order the settings
stand, shapes, colours and letters. The model is taught plays of the phone's own tasks over five
apps, in several wordings, and plays them on phones of other looks, told in other sentences.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from teach_decider import SWITCHES, Row, demonstrations, learn_to_play
from teach_lessons import Lesson

PHONE = "phone:jpeg,look=seed"
SHOWN, ASKED = range(1000, 1012), range(5000, 5004)
"""Seeds of the phone, its data and its look: in training, and where it is measured."""
PLAYED = 100
SAMPLES = 24_000

SWITCH = ("Turn {} {}.", "Switch {} {}.", "{} should be {}.", "Turn the {} {}.")
QUICK = ("Switch {} {} in the shade.", "Pull the shade down and turn {} {}.",
         "Pull the shade down and switch {} {}.")  # fmt: skip
HIDE = ("Hide the calendar {}.", "Do not show the calendar {}.", "Do not show {} in the calendar.")
REMOVE = ("Remove {} from the world clock.", "Take {} out of the world clock.",
          "Remove {} from the clock.")  # fmt: skip
SORT = ("Sort my {} by {}.", "List my {} by {}.", "List the {} by {}.")
SET = ("Set the {} to {}.", "Choose {1} as the {0}.", "Turn the {} to {}.")
"""Ways to say what is to be done. The last is never taught, but its words are, in other ways."""

OPTIONS = (
    ("display", "font_size", "string", ("small", "large")),
    ("display", "screen_timeout_s", "number", (15, 30, 120, 300, 600)),
    ("battery", "battery_saver_below", "number", (5, 10, 20, 30, 50)),
)
SORTS = {"notes": ("created", "title"), "files": ("newest", "oldest", "largest", "type")}


def actor(out: Path, pool: Path, seed: int, lesson: Lesson) -> None:
    """A model of demonstrations plays on phones of other looks, told in other words."""
    shown = demonstrations(pool / "shown-looks", _tables(SHOWN, taught=True), PHONE)
    asked = demonstrations(pool / "asked-looks", _tables(ASKED, taught=False), PHONE)
    learn_to_play(out, shown, asked, PHONE, PLAYED, SAMPLES, seed, lesson)


def _tables(seeds: Iterable[int], *, taught: bool) -> dict[str, list[Row]]:
    """The rows of each template for all seeds, in wordings that are taught or in the others."""
    tables: dict[str, list[Row]] = {}
    for seed in seeds:
        for at, (template, words, said, row) in enumerate(_tasks()):
            wording = words[(seed + at) % (len(words) - 1)] if taught else words[-1]
            command = wording.format(*said)
            command = command[0].upper() + command[1:]
            named = "_".join((template, *map(str, said))).lower().replace(" ", "_")
            tables.setdefault(template, []).append(
                {"id": f"{named}_{seed}", "language": "en", "seed": seed, "command": command, **row}
            )
    return tables


def _tasks() -> Iterator[tuple[str, Sequence[str], Sequence[object], Row]]:
    """The template, the wordings and what they say, and the values of each task."""
    for on in (True, False):
        to = "on" if on else "off"
        for page, names in SWITCHES.items():
            for name in names:
                row: Row = {"page": page, "setting": name, "was": not on, "on": on}
                yield "switch", SWITCH, (name.replace("_", " "), to), row
        for name in ("wifi", "do_not_disturb", "airplane_mode", "battery_saver", "dark_theme"):
            row = {"setting": name, "was": not on, "on": on}
            yield "shade_switch", QUICK, (name.replace("_", " "), to), row
    for page, setting, kind, values in OPTIONS:
        for value in values:
            equals = f"{kind}_value: " + (f'"{value}"' if kind == "string" else str(value))
            row = {"page": page, "setting": setting, "option": str(value), "equals": equals}
            said = setting.removesuffix("_s").replace("_", " "), value
            yield "option", SET, said, row
    for app, kinds in SORTS.items():
        for kind in kinds:
            yield "sort", SORT, (app, kind), {"app": app, "value": kind}
    for calendar in ("personal", "work", "family", "holidays"):
        yield "calendar_hide", HIDE, (calendar.capitalize(),), {"calendar": calendar}
    for city in ("Paris", "New York", "Beijing", "Sydney"):
        yield "city_remove", REMOVE, (city,), {"city": city, "shown": city}
