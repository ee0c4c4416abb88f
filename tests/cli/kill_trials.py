"""Kills jobs at seeded moments, repeats them, and counts what is not as it would have been.

    python -m tests.cli.kill_trials SEED --moments 10                       every job, and a table
    python -m tests.cli.kill_trials SEED --moments 10 --only pack,unpack    some

Every moment is two kills, each at a change of the disk, and then the same command to its end.
"""

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from pydantic import JsonValue

from tests.cli.jobs import (
    CONCURRENCY,
    JOBS,
    Job,
    answer_as,
    attempts,
    changes,
    files,
    left_behind,
    make_older,
    nothing,
    rows,
    servers,
)
from tests.cli.killing import Ended, Killer


@dataclass
class Tally:
    """What came of killing one job; `wrong` says in words what is counted above it."""

    kills: int = 0
    finished: int = 0
    lost: int = 0
    doubled: int = 0
    tracebacks: int = 0
    wrong: list[str] = field(default_factory=list)

    def row(self, name: str) -> str:
        """A line of the table."""
        counts = (self.kills, self.finished, self.lost, self.doubled, self.tracebacks)
        return f"{name:34}" + "".join(f"{one:>11}" for one in (*counts, len(self.wrong)))


HEADS = f"{'job':34}" + "".join(
    f"{one:>11}" for one in ("kills", "finished", "lost", "doubled", "tracebacks", "wrong")
)


class Trial:
    """One job, below a directory: what it leaves undisturbed, and then again and again killed."""

    def __init__(self, name: str, job: Job, killer: Killer, root: Path) -> None:
        self._name, self._job, self._killer, self._root = name, job, killer, root
        self._bought: Counter[str] = Counter()
        self.tally = Tally()

    def run(self, moments: int, chance: Random) -> Tally:
        """Kill it at so many moments, each time from the beginning."""
        with servers(self._answer) as surroundings:
            self._surroundings = surroundings
            at = self._place("undisturbed")
            ended = self._command(at)
            if ended.code != self._job.code:
                raise AssertionError(f"{self._name} fails undisturbed: {ended.err}")
            expected, price = self._job.result(at), self._bought.copy()
            for moment in chance.sample(range(ended.changes), min(moments, ended.changes)):
                self._bought.clear()
                at = self._place(str(moment))
                kills = (moment, chance.randrange(ended.changes))
                killed = sum(self._kill(at, one) for one in kills)
                self._finish(at, expected, f"killed at {kills}")
                # What was on its way is lost with the process, and what was being written down.
                again = (self._bought - price).total() - 2 * CONCURRENCY * killed
                if not self._job.mirrors and (again > 0 or set(self._bought) != set(price)):
                    self.tally.doubled += max(0, again)
                    self.tally.wrong.append(f"killed at {kills}: asked {again} times too often")
        return self.tally

    def _answer(self, body: Mapping[str, JsonValue]) -> str:
        self._bought[json.dumps(body["messages"])] += 1
        return answer_as(self._name, body)

    def _place(self, name: str) -> Path:
        made = self._root / name
        (made / "tmp").mkdir(parents=True)
        self._job.prepare(made)
        return made

    def _command(self, at: Path, words: str = "", kill_at: int | None = None) -> Ended:
        said = (words or self._job.words).replace("HERE", at.as_uri()).split()
        ended = self._killer.run(said, cwd=at, kill_at=kill_at, environment=self._surroundings(at))
        if "Traceback" in ended.err:
            self.tally.tracebacks += 1
            self.tally.wrong.append(ended.err[-2000:])
        return ended

    def _kill(self, at: Path, moment: int) -> bool:
        killed = self._command(at, kill_at=moment).killed
        self.tally.kills += killed
        return killed

    def _finish(self, at: Path, expected: object, when: str) -> None:
        make_older(at)
        last = self._command(at)
        if last.code == self._job.code or (self._job.done and self._job.done in last.err):
            self.tally.finished += 1
        else:
            self.tally.wrong.append(f"{when}: {last.err}")
        self._compare(at, expected, when)
        if not (self._job.mirrors or self._job.is_swept_later) and (
            left := left_behind(at / "tmp")
        ):
            self.tally.wrong.append(f"{when}: left {left} until it is cleaned")
        make_older(at)
        cleaned = self._command(at, "clean")
        left = [] if self._job.mirrors else left_behind(at / "tmp")
        if self._job.is_swept_later:  # made, and not locked yet: nobody knows whose it is
            left = [one for one in left if not one.is_dir() or any(one.iterdir())]
        if cleaned.code or (left := [*left, *at.rglob("*.part")]):
            self.tally.wrong.append(f"{when}: left {left}: {cleaned.err}")
        self._compare(at, expected, f"{when}, then cleaned")

    def _compare(self, at: Path, expected: object, when: str) -> None:
        found = self._job.result(at)
        if found == expected:
            return
        wanted, got = (Counter(_leaves(one)) for one in (expected, found))
        self.tally.lost += (wanted - got).total()
        self.tally.doubled += (got - wanted).total()
        self.tally.wrong.append(f"{when}: lacks {wanted - got}, has {got - wanted}")


def _leaves(value: object, at: str = "") -> Iterator[str]:
    """The parts of a result, to be counted; order does not count."""
    if isinstance(value, dict):
        for name, one in value.items():
            yield from _leaves(one, f"{at}/{name}")
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _leaves(one, at)
    else:
        yield f"{at} {value!r}"[:400]


def _campaign() -> dict[str, Job]:
    """All jobs, those that only a campaign has time for, too: every importer, and the demo."""
    from tests.hostile.reader import import_all
    from tests.hostile.readers import READERS

    def lay(build: Callable[[Path], object]) -> Callable[[Path], object]:
        def prepare(at: Path) -> None:
            (at / "theirs").mkdir()
            build(at / "theirs")

        return prepare

    imports = {
        f"import of {name}": Job(
            "episodes import theirs -o out", lay(one.build), lambda at: changes(at / "out")
        )
        for name, one in READERS.items()
        if one.read is import_all and name != "bombs"
    }
    demo = Job("demo --tasks 1 -o out", nothing, _demonstrated)
    return {**JOBS, **imports, "demo": demo}


def _demonstrated(at: Path) -> object:
    runs = {path.name: sorted(rows(path)) for path in (at / "out/runs").iterdir()}  # type: ignore[call-overload]
    return attempts(at / "out/episodes"), runs, sorted(files(at / "out/sft"))


def main() -> int:
    """Run the campaign; 1 when something is not as it would have been."""
    parser = argparse.ArgumentParser()
    parser.add_argument("seed")
    parser.add_argument("--moments", type=int, default=10)
    parser.add_argument("--only", default="", help="names of jobs, with commas")
    given = parser.parse_args()
    jobs, total = _campaign(), Tally()
    names = given.only.split(",") if given.only else list(jobs)
    _say(HEADS)
    with tempfile.TemporaryDirectory() as place, Killer(Path(place)) as killer:
        for name in names:
            with tempfile.TemporaryDirectory() as root:
                trial = Trial(name, jobs[name], killer, Path(root))
                tally = trial.run(given.moments, Random(f"{given.seed} {name}"))
            _say(tally.row(name))
            for number in ("kills", "finished", "lost", "doubled", "tracebacks"):
                setattr(total, number, getattr(total, number) + getattr(tally, number))
            for wrong in tally.wrong:
                _say(f"    {wrong}")
            total.wrong += tally.wrong
    _say(total.row("all"))
    return bool(total.wrong)


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
