"""What a run's answers look like when something else than the model's skill decides its score.

Many answers unread, refused, cut off or empty, many queries without an answer, or answers that mean
other places than they were read as: all read from the rows of the log, and none changes a score.
The terminal, the report and the web app show them.
"""

from collections.abc import Iterator, Sequence

from tapwright.conventions import conventions
from tapwright.conventions.convention import Space
from tapwright.evaluate.attempt_causes import sum_counts
from tapwright.evaluate.misread_answers import UNITS, find_misreading, find_reading
from tapwright.evaluate.plan import RunPlan
from tapwright.evaluate.run_log import RunLog, SampleRow
from tapwright.evaluate.run_tally import RowFlags, RunTally
from tapwright.models.query_endings import ENDINGS, QueryEnding

__all__ = ["run_warnings"]

_SHARE = 0.05
"""From this share of the answers on there are many."""
_LEAST_HITS = 3
"""By chance an answer or two are a hit in another unit, too."""
_MOST_READ = 1000
_SHOWN = 80
"""Characters of an answer in a warning."""
_WORDS: dict[QueryEnding, str] = {
    "refused": "answers decline to answer",
    "cut": "answers were cut off at the limit of tokens",
    "empty": "answers are empty",
    "malformed": "answers are calls that the provider could not form",
    "failed": "queries failed",
    "unavailable": "queries found no server",
}


def run_warnings(run: RunLog, tally: RunTally | None = None) -> list[str]:
    """What should be looked at before the score is believed, a line each; nothing for most runs.

    Without its `tally` its rows are counted here.
    """
    counted = RunTally.of(run.rows) if tally is None else tally
    return [
        *_unread_warnings(run, counted),
        *_misreading_warnings(run, counted),
        *_ending_warnings(run, counted),
        *_field_warnings(counted),
        *_help_warnings(run),
    ]


def _ending_warnings(run: RunLog, tally: RunTally) -> Iterator[str]:
    played = run.header.is_played  # an attempt has many queries, which its agent counted
    counts = sum_counts(run.rows) if played else {}
    asked = counts.get("model_calls", 0) if played else len(tally.flags)
    for name, words in _WORDS.items():
        places = [] if played else tally.places_ended(name)
        number = counts.get(name, len(places))
        if not _many(number, asked):
            continue
        first = run.rows[places[0]].error if places else None
        why = f", the first: {_shorten(first.message)}" if first else ""
        way = f": {ENDINGS[name].advice}" if ENDINGS[name].advice else ""
        yield f"{number} of {asked} {words}{why}{way}"


def _help_warnings(run: RunLog) -> Iterator[str]:
    helped = sum("steps_by_person" in row.detail for row in run.rows) if run.header.is_played else 0
    if helped:
        yield (
            f"in {helped} of {len(run.rows)} attempts a person acted in the agent's place; those "
            "have no score"
        )


def _field_warnings(tally: RunTally) -> Iterator[str]:
    total, thought = tally.count(RowFlags.ANSWERED), tally.count(RowFlags.THOUGHT)
    if thought:
        yield (
            f"{thought} of {total} answers came with reasoning in a field of its own, which is "
            "kept apart and not read as the answer"
        )
    odd = tally.count(RowFlags.ODD)
    if odd:
        yield (
            f"{odd} of {total} responses have fields of another type than documented, which were "
            "ignored"
        )


def _unread_warnings(run: RunLog, tally: RunTally) -> Iterator[str]:
    places = tally.places_ended("unread")
    if not _many(len(places), len(tally.flags)):
        return
    # Places off the picture are understood, and told of by what they may be instead.
    rows = [row for row in (run.rows[at] for at in places) if row.status != "out_of_range"]
    if not _many(len(rows), len(tally.flags)):
        return
    reason = rows[0].detail.get("reason")
    why = f" ({reason})" if isinstance(reason, str) and reason else ""
    answers = dict.fromkeys(repr(_shorten(row.answer or "")) for row in rows)
    such = " and ".join(list(answers)[:2])
    yield (
        f"{len(rows)} of {len(tally.flags)} answers could not be read{why}, such as {such}"
        f"{_way_to_read(run, rows)}"
    )


def _way_to_read(run: RunLog, rows: Sequence[SampleRow]) -> str:
    """The option that would read them, as the rest of a sentence; "" where none would."""
    convention = _plan_word(run, "convention")
    found = find_reading(rows, convention)
    if found is None:
        return ""
    instead = f" in place of --convention {convention}" if convention else ""
    which = f"{found.right} of those tried are then right" if found.right else "none is right then"
    return f": {found.option}{instead} reads such answers ({which})"


def _misreading_warnings(run: RunLog, tally: RunTally) -> Iterator[str]:
    """One line when answers would be right far more often in another way, or lie off the picture.

    Of a long run a thousand rows are read, evenly over the log; those that were not understood are
    told of apart.
    """
    aimed = tally.places(RowFlags.AIMED)
    read = [run.rows[at] for at in aimed[:: -(-len(aimed) // _MOST_READ) or 1]]
    hits = sum(row.score == 1.0 for row in read)
    misses = [row for row in read if row.score != 1.0 and row.status in ("ok", "out_of_range")]
    found = find_misreading(misses)
    right = found.keys if found else frozenset()
    strange = [row for row in misses if row.key in right or row.status == "out_of_range"]
    if not _many(len(strange), len(read)):
        return
    named = _plan_word(run, "convention")
    declared = f"the convention {named}" if named else _declared(run)
    if found and len(right) >= _LEAST_HITS and len(right) > hits:
        error = "scale error; " if found.space else ""
        way = "name its own --convention" if named else found.way
        what = found.what
        if found.space and found.space == _space_of(named):  # it has the unit, and another size
            what = f"{UNITS[found.space]} of the picture as it is, not as it is sent"
        yield (
            f"{len(strange)} of {len(read)} answers look like {what}: {error}they were read "
            f"as {declared}: {way}"
        )
    elif _many(off := sum(row.status == "out_of_range" for row in misses), len(read)):
        yield (
            f"{off} of {len(read)} answers are off the picture: scale error? they were read as "
            f"{declared}"
        )


def _space_of(convention: str) -> Space | None:
    """The unit that a convention declares; None for one that is not known here."""
    if convention not in conventions.names():
        return None
    return conventions.get(convention).space


def _declared(run: RunLog) -> str:
    space = _plan_word(run, "space") or RunPlan().space
    return next((words for unit, words in UNITS.items() if unit == space), space)


def _plan_word(run: RunLog, name: str) -> str:
    """A word of the run's plan, "" where it has none."""
    plan = run.header.config.get("plan")
    found = plan.get(name) if isinstance(plan, dict) else None
    return found if isinstance(found, str) else ""


def _shorten(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…"


def _many(count: int, total: int) -> bool:
    return count > 0 and count >= _SHARE * total
