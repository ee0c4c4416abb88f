"""How an annotation command ends: failures, steps without annotation, and the exit code."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from tapwright.cli.output import hint, print_failure, print_first_failure, print_message
from tapwright.cli.selecting import print_unfit
from tapwright.core.language import counted
from tapwright.errors import quote_path
from tapwright.store.errors import AnnotationError
from tapwright.store.ids import directory_name

if TYPE_CHECKING:
    from tapwright.jobs.job import ItemFailed
    from tapwright.store.annotations import Annotation
    from tapwright.store.store import EpisodeStore


_REASONS = 3


def read_annotations_of(store: Path, id_: str, annotator: str) -> "Sequence[Annotation]":
    """An annotator's annotations of an episode; empty when there are none."""
    from tapwright.store.annotations import list_annotators, read_annotations

    directory = store / directory_name(id_)
    return read_annotations(directory, annotator) if annotator in list_annotators(directory) else ()


def report_annotation(
    store: "EpisodeStore", annotator: str, ids: Sequence[str], failures: "Sequence[ItemFailed]"
) -> int:
    """Print what failed, and steps without annotation; the exit code, 1 if there are any."""
    for failure in failures:
        print_failure(failure.key, failure.message, failure.code)
    rejected = steps = explained = lost = left_out = 0
    reasons: Counter[str] = Counter()
    failed = {failure.key for failure in failures}
    for id_ in ids:
        try:
            annotations = () if id_ in failed else read_annotations_of(store.root, id_, annotator)
        except AnnotationError as error:
            print_failure(id_, error, error.code)
            lost += 1
            continue
        for one in annotations:
            if one.codes and not one.is_rejected:
                left_out += 1
                continue
            steps += 1
            explained += bool(one.reasoning)
            if one.codes:
                rejected += 1
                reasons.update(one.codes)
                print_message(f"{id_}, step {one.step}: {', '.join(one.codes)}")
    why = "".join(
        f"; {counted(count, 'time')} {code}" for code, count in reasons.most_common(_REASONS)
    )
    others = f"; {counted(left_out, 'other')} left out, as no targets" if left_out else ""
    print_message(f"{explained} of {steps} steps explained{why}{others}")
    print_unfit(store, ids)
    if failures:
        first = failures[0]
        print_first_failure(len(failures), first.key, first.message, first.code)
        hint(
            f"answers are kept: tapwright annotate run {quote_path(store.root)} "
            f"--with {quote(annotator)}"
        )
    elif rejected:
        hint(f"tapwright annotate retry {quote_path(store.root)} --with {quote(annotator)}")
    else:
        hint(f"tapwright annotate status {quote_path(store.root)}")
    return 1 if failures or lost or explained < steps or not steps else 0
