"""Paraphrases the tasks of a store with a model."""

import json
from dataclasses import dataclass
from pathlib import Path

from tapwright.errors import UsageError
from tapwright.files.atomic import write_atomically
from tapwright.store.errors import no_episodes
from tapwright.store.store import EpisodeStore
from tapwright.workflows.host import HostConfig
from tapwright.workflows.models import open_model
from tapwright.workflows.progress import ShowProgress, no_progress

__all__ = ["ParaphraseResult", "paraphrase_tasks"]


@dataclass(frozen=True, slots=True)
class ParaphraseResult:
    """The tasks without an acceptable answer, and what the requests of this call took."""

    failed: tuple[str, ...]
    requests: int
    tokens_in: int
    tokens_out: int


async def paraphrase_tasks(
    store: EpisodeStore,
    model_name: str,
    out: Path,
    host: HostConfig,
    *,
    count: int = 6,
    show_progress: ShowProgress = no_progress,
) -> ParaphraseResult:
    """Write `count` wordings of each task into the JSON file `out`; its tasks are kept.

    The answers are kept beside it, in `<out>.answers.jsonl`, and no query is sent twice.

    Raises:
        UsageError: `model_name` is not "client/name".
        NothingFoundError: the store has no episodes.
    """
    from tapwright.annotate.answer_book import AnswerBook
    from tapwright.annotate.paraphrase import ask_paraphrases
    from tapwright.formats.exporters.weights import read_paraphrases

    if "/" not in model_name:
        raise UsageError(f"{model_name!r} is not a model", hint="such as openai/qwen2.5-vl-7b")
    book = AnswerBook(out.with_name(out.name + ".answers.jsonl"))
    before = len(book.all())
    known = read_paraphrases(out) if out.exists() else {}  # noqa: ASYNC240 - once, at the start
    tasks = {episode.task_id: episode for episode in store}
    if not tasks:
        raise no_episodes(store.root)
    missing = {task: episode for task, episode in tasks.items() if task not in known}
    failed = []
    model = open_model(model_name, host)
    try:
        with show_progress(f"paraphrase ({model_name})", len(missing)) as advance:
            for task, episode in missing.items():
                wordings = await ask_paraphrases(model, episode, count, book)
                if wordings is None:
                    failed.append(task)
                else:
                    known[task] = tuple(wordings)
                    text = json.dumps(known, ensure_ascii=False, indent=1, sort_keys=True)
                    write_atomically(out, text.encode("utf-8", "replace"))
                advance(1)
    finally:
        await model.close()
    answers = book.all()[before:]
    return ParaphraseResult(
        tuple(failed),
        len(answers),
        sum(one.input_tokens for one in answers),
        sum(one.output_tokens for one in answers),
    )
