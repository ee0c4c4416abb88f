"""Samples as the exact text that a model reads and writes, for trainers without messages.

    train.jsonl, val.jsonl   {"prompt", "completion", "images": [path], "spans": [[start, end]]}
    images/

`prompt + completion` is the output of the model's chat template, cut where the model's turn begins.
`spans` are the characters that the loss counts: the completion. For `android-tools` the
template is the convention's own, with roles that no trainer's messages have; every other
convention needs the model's template.
"""

from pathlib import Path

import jinja2
from pydantic import JsonValue

from tapwright.conventions.android_tools import answer_message, chat_messages
from tapwright.conventions.chat import Chat
from tapwright.conventions.errors import BadChatError, ChatPrefixError
from tapwright.conventions.function_calls import TOOLS
from tapwright.conventions.training_text import RenderedChat, render_pair
from tapwright.errors import UsageError
from tapwright.formats.errors import BadTrainingSetError
from tapwright.formats.exporters import training_set
from tapwright.formats.exporters.chat_template import ChatTemplate
from tapwright.formats.exporters.check import check_image_files, check_lines
from tapwright.formats.exporters.pictures import image_path
from tapwright.formats.exporters.turns import JsonObject, describe_origin, render_parts
from tapwright.formats.exporters.writers import Trainer, json_lines

OWN_TEMPLATE = "android-tools"


class SampleRenderer:
    """Renders samples by the template of the settings, or by the convention's own.

    Raises:
        UsageError: neither the convention nor the settings have a template, or it is invalid.
    """

    def __init__(self, settings: training_set.SftSettings) -> None:
        name = settings.convention.name
        self._template = ChatTemplate(settings.template) if settings.template else None
        if self._template is None and name != OWN_TEMPLATE:
            raise UsageError(
                f"{name} has no chat template of its own",
                hint="give the model's: --template chat_template.jinja",
            )

    def __call__(self, sample: training_set.TrainingSample) -> RenderedChat:
        """Renders a sample as prompt, completion and the spans of the loss.

        Raises:
            UnusableStepError: the template refuses it, or breaks the prefix law, or the sample has
                several questions.
        """
        if sample.follow_ups:
            raise training_set.UnusableStepError(
                "it has several questions, and one answer is rendered"
            )
        try:
            if self._template is None:
                return render_pair(_own_chat(sample), TOOLS)
            return render_pair(_chat(sample), render=self._template)
        except (BadChatError, ChatPrefixError) as error:
            raise training_set.UnusableStepError(
                f"its chat template: {error}", error.code
            ) from error
        except (jinja2.TemplateError, TypeError) as error:
            raise training_set.UnusableStepError(
                f"its chat template refuses it: {error}"
            ) from error


def _write(directory: Path, settings: training_set.SftSettings) -> training_set.SftWriter:
    render = SampleRenderer(settings)

    def row(sample: training_set.TrainingSample) -> JsonObject:
        pair = render(sample)
        images: list[JsonValue] = [image_path(picture) for picture in sample.pictures]
        return {
            "prompt": pair.prompt,
            "completion": pair.completion,
            "images": images,
            "spans": [list(pair.spans[-1])],
            **describe_origin(sample),
        }

    return json_lines(directory, row)


def _check(directory: Path) -> int:
    """A prompt, a completion, images that are files, and the loss on the completion."""

    def check(sample: JsonObject, where: str) -> None:
        prompt, completion = sample.get("prompt"), sample.get("completion")
        if not (isinstance(prompt, str) and isinstance(completion, str) and completion):
            raise BadTrainingSetError(f"{where}: has no prompt and completion")
        if sample.get("spans") != [[len(prompt), len(prompt) + len(completion)]]:
            raise BadTrainingSetError(f"{where}: the loss is not on the completion")
        check_image_files(sample.get("images"), directory, where)

    return check_lines(directory, check)


RENDERED = Trainer("rendered", _write, _check, writes_image_files=True)


def _own_chat(sample: training_set.TrainingSample) -> Chat:
    prompt = chat_messages(sample.request, sample.history, sample.step.observation)
    return [*prompt, answer_message(sample.step.decision, sample.step.observation.size)]


def _chat(sample: training_set.TrainingSample) -> Chat:
    chat: list[dict[str, JsonValue]] = []
    for message in sample.prompt:
        # A system's words as one text: that is what most templates take there.
        content: JsonValue = (
            message.text if message.role == "system" else list(render_parts(message))
        )
        chat.append({"role": message.role, "content": content})
    return [*chat, {"role": "assistant", "content": [{"type": "text", "text": sample.answer}]}]
