"""Wires to models. To add one: a file here, and a line in the table."""

from typing import TYPE_CHECKING

from tapwright.core.registry import Registry

if TYPE_CHECKING:
    from tapwright.models.model import ModelFactory

models: "Registry[ModelFactory]" = Registry(
    "models",
    "model client",
    {
        "anthropic": "tapwright.models.anthropic:AnthropicModel",
        "gemini": "tapwright.models.gemini:GeminiModel",
        "litellm": "tapwright.models.litellm:LiteLlmModel",
        "openai": "tapwright.models.openai:OpenAIModel",
        "openai-responses": "tapwright.models.openai_responses:OpenAIResponsesModel",
        "scripted": "tapwright.models.scripted:ScriptedModel.named",
        "transformers": "tapwright.models.transformers:TransformersModel",
        "vllm": "tapwright.models.vllm:VllmModel",
        "words": "tapwright.models.words:WordsModel",
    },
    "tapwright.models.model:ModelFactory",
)
get = models.get
