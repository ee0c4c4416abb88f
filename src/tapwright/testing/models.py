"""A checker for model clients."""

from tapwright.core.messages import Message, Text
from tapwright.models.model import Completion, Model
from tapwright.testing.laws import must, must_have


async def check_model(model: Model) -> None:
    """Request a word from a model client, and close it.

    Raises:
        ConformanceError: what came back is not a completion, or it cannot be closed twice.
        ModelError: the request failed.
    """
    must_have(model, Model)
    who = f"model {model.name}"
    try:
        completion = await model.complete([Message("user", (Text("Say one word."),))])
        must(isinstance(completion, Completion), who, "it gives a `Completion`", completion)
        must(isinstance(completion.text, str), who, "the text is a string", completion.text)
        usage = completion.usage
        must(min(usage.input_tokens, usage.output_tokens) >= 0, who, "tokens are counted", usage)
        must(completion.latency_s >= 0, who, "the latency is a time", completion.latency_s)
        must(completion.attempts >= 1, who, "attempts count the one that succeeded", completion)
    finally:
        await model.close()
    await model.close()
