"""`tapwright eval`: its commands."""

import click

from tapwright.cli.lazy import LazyGroup

_COMMANDS = {
    "make": ("tapwright.cli.eval.make:make", "Make benchmarks out of recordings"),
    "run": ("tapwright.cli.eval.run:run", "Measure agents and models on benchmarks"),
    "resume": ("tapwright.cli.eval.resume:resume", "Continue an interrupted run"),
    "score": ("tapwright.cli.eval.score:score", "Score a run's answers again, without the model"),
    "replay": ("tapwright.cli.eval.replay:replay", "Compare published verdicts with ours"),
    "compare": ("tapwright.cli.eval.compare:compare", "Compare runs, sample by sample"),
    "table": ("tapwright.cli.eval.table:table", "Print the tables that papers have"),
    "ls": ("tapwright.cli.eval.ls:ls", "List runs"),
    "view": ("tapwright.cli.eval.view:view", "Write runs as a static site"),
}


@click.group(name="eval", cls=LazyGroup, table=_COMMANDS)
def eval_() -> None:
    """Make benchmarks, run them, and compare the results."""
