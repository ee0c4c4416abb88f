"""`tapwright episodes diff`: what two stores do not have in common."""

import sys
from pathlib import Path

import click

from tapwright.cli import output
from tapwright.cli.directories import Directory, open_catalog, open_store
from tapwright.errors import NothingFoundError

_SHOWN = 5


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright episodes diff monday tuesday\n"
    "  tapwright episodes diff episodes backup --format quiet"
)
@click.argument("first", metavar="A", type=Directory())
@click.argument("second", metavar="B", type=Directory())
@output.format_option
def diff(first: Path, second: Path, format_: output.Format) -> None:
    """List the episodes of the stores A and B that are in one alone, or differ, and in what.

    Compared are current versions, tags and annotations: each field of the episode and of its steps,
    which count from 0; pictures by their hashes. Ends with 1 when there is a difference.

    An episode that cannot be read is named and compared with nothing; the command then ends with 1.
    """
    from tapwright.curate.store_difference import StoreComparison

    catalogs = open_catalog(open_store(first)), open_catalog(open_store(second))
    broken = 0
    for catalog in catalogs:
        for name, error in catalog.unreadable().items():
            output.print_failure(catalog.store.root / name, error, error.code)
            broken += 1
        if not catalog.count() and not catalog.unreadable():
            raise NothingFoundError(
                f"{catalog.store.root}: no episodes", hint="tapwright episodes diff STORE STORE"
            )
    comparison = StoreComparison(*catalogs)
    where = {"first": f"only in {first}", "second": f"only in {second}", "differs": "differs"}
    rows: list[dict[str, output.Cell]] = []
    with output.show_progress("compare", comparison.common) as advance:
        for one in comparison.run(advance):
            places = "; ".join(one.places[:_SHOWN])
            more = len(one.places) - _SHOWN
            rows.append(
                {
                    "episode": one.id,
                    "what": where[one.what],
                    "in": f"{places}; and {more} more" if more > 0 else places,
                }
            )
    for id_, failure in comparison.failed.items():
        output.print_failure(id_, failure, failure.code)
    output.print_rows(rows, format_, key="episode")
    counts = [sum(row["what"] == what for row in rows) for what in where.values()]
    output.print_message(
        f"{counts[0]} only in {first}, {counts[1]} only in {second}, {counts[2]} of "
        f"{comparison.common} in both differ"
    )
    sys.exit(1 if rows or broken or comparison.failed else 0)
