"""`tapwright annotate`: its commands."""

import click

from tapwright.cli.lazy import LazyGroup

_COMMANDS = {
    "run": ("tapwright.cli.annotate.run:run", "Annotate every step of a store's episodes"),
    "status": (
        "tapwright.cli.annotate.status:status",
        "List which annotators annotated which episodes",
    ),
    "cost": ("tapwright.cli.annotate.cost:cost", "Show the cost of a model's answers"),
    "retry": (
        "tapwright.cli.annotate.retry:retry",
        "Query again about the steps without annotation",
    ),
    "review": ("tapwright.cli.annotate.review:review", "Accept, edit or reject, step by step"),
    "agree": ("tapwright.cli.annotate.agree:agree", "Measure the agreement of two annotators"),
    "import": ("tapwright.cli.annotate.import_:import_", "Import a react.json, checked"),
    "export": ("tapwright.cli.annotate.export:export", "Write annotations as react.json"),
    "paraphrase": ("tapwright.cli.annotate.paraphrase:paraphrase", "Paraphrase tasks"),
}


@click.group(cls=LazyGroup, table=_COMMANDS)
def annotate() -> None:
    """Reconstruct the reasoning behind each step, and check it against the recording."""
