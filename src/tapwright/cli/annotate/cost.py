"""`tapwright annotate cost`: what a model's answers have cost."""

from pathlib import Path

import click

from tapwright.cli.annotate.options import annotator_option
from tapwright.cli.directories import store_argument
from tapwright.cli.options import price_option, read_price_option
from tapwright.cli.output import Format, format_option, print_record
from tapwright.errors import NothingFoundError
from tapwright.store.ids import directory_name
from tapwright.store.store import EpisodeStore


@click.command(
    epilog="\b\nExample:\n  tapwright annotate cost episodes -m openai/name --price 2.5,10"
)
@store_argument
@annotator_option
@price_option
@format_option
def cost(store: Path, annotator: str, price: str | None, format_: Format) -> None:
    """Show what a model's answers about the episodes of STORE have cost, with the rejected ones."""
    from tapwright.annotate.answer_book import AnswerBook

    episodes = [(one.id, len(one.steps)) for one in EpisodeStore(store)]
    books = [AnswerBook.of(store / directory_name(id_), annotator).all() for id_, _ in episodes]
    answers = [one for book in books for one in book]
    steps = sum(count for (_, count), book in zip(episodes, books, strict=True) if book)
    if not answers:
        raise NothingFoundError(f"{store}: no answers of {annotator}")
    record: dict[str, object] = {
        "annotator": annotator,
        "episodes": sum(bool(book) for book in books),
        "steps": steps,
        "requests": len(answers),
        "images": sum(one.images for one in answers),
        "tokens_in": sum(one.input_tokens for one in answers),
        "tokens_out": sum(one.output_tokens for one in answers),
        "tokens_per_step": round(
            sum(one.input_tokens + one.output_tokens for one in answers) / max(1, steps), 1
        ),
        "seconds": round(sum(one.seconds for one in answers), 1),
    }
    if price is not None:
        paid = read_price_option(price, annotator).total(answers)
        record |= {"cost": round(paid, 6), "cost_per_step": round(paid / max(1, steps), 6)}
    print_record(record, format_, key="requests")
