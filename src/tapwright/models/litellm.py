"""Hosted models of many providers through litellm: Azure, Bedrock, Vertex, Mistral and the rest.

Follows litellm 1.106 (https://docs.litellm.ai/docs/completion/input): `litellm/PROVIDER/NAME` is
its model "PROVIDER/NAME". It is imported with the first request, with its downloads of prices and
of headers, its telemetry and its own retries switched off. Keys, regions and deployments are those
of the variables that litellm reads for each provider, such as AZURE_API_KEY; they go to the
provider, or to the address that is given. Computer tools are declared by the clients of their own
providers: what litellm makes of them differs by provider and version.
"""

import json
import os
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from tapwright.errors import UsageError, install_command
from tapwright.models.addresses import parse_base_urls
from tapwright.models.endpoints import Endpoint
from tapwright.models.errors import LOCAL_MODEL
from tapwright.models.openai import OpenAIModel
from tapwright.models.server import Wire
from tapwright.models.transport import Response, Transport, WireRequest

__all__ = ["LiteLlmModel"]

_PROVIDERS = "litellm"
"""Stands for the address that litellm knows for a provider."""
_CHAT = frozenset({"model", "messages", "temperature", "max_tokens", "max_completion_tokens"})
_ALLOWED = frozenset({"api_version", "drop_params"})
_OFFLINE = ("LITELLM_LOCAL_MODEL_COST_MAP", "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS")


class LiteLlmTransport(Transport):
    """Sends requests through litellm, which has the shape of OpenAI's API for every provider."""

    async def _fetch(self, endpoint: Endpoint, request: WireRequest[Any]) -> Response:
        litellm = _load()
        import openai

        body = json.loads(request.body())
        _check_fields(body)
        address = {} if endpoint.url == _PROVIDERS else {"api_base": endpoint.url}
        key = {"api_key": self._headers["api_key"]} if "api_key" in self._headers else {}
        try:
            answer = await litellm.acompletion(
                **body, **address, **key, timeout=self._timeout_s, num_retries=0, max_retries=0
            )
        except openai.OpenAIError as error:
            status = getattr(error, "status_code", 500)
            return Response(status, {}, json.dumps({"message": str(error)}).encode())
        return Response(200, {}, answer.model_dump_json().encode())


class LiteLlmModel(OpenAIModel):
    """One model of a provider that litellm knows."""

    wire = Wire("litellm", _PROVIDERS, "the variable of the provider, such as AZURE_API_KEY")
    transport = LiteLlmTransport

    @classmethod
    def addresses(cls, base_url: str) -> tuple[str, ...]:
        """The addresses in a text; the provider's own where none is given.

        Raises:
            UsageError: one is no http(s) address, or carries a key.
        """
        return (base_url,) if base_url == _PROVIDERS else parse_base_urls(base_url)

    def _key_headers(self, key: str) -> Mapping[str, str]:
        return {"api_key": key}


def _load() -> ModuleType:
    """The module, without what it would fetch from the network or print.

    Raises:
        ModelError: it is not installed.
    """
    for name in _OFFLINE:
        os.environ.setdefault(name, "True")  # its only switch, and it is read at the import
    os.environ.setdefault("LITELLM_MODE", "PRODUCTION")  # or it takes a .env that it finds
    try:
        import litellm
    except ImportError as error:
        raise LOCAL_MODEL(
            f"litellm cannot be imported: {error}", hint=install_command("litellm")
        ) from error
    litellm.telemetry = False
    litellm.suppress_debug_info = True
    module: ModuleType = litellm
    return module


def _check_fields(body: Mapping[str, Any]) -> None:
    """Check that no setting is one by which litellm finds an address or a secret.

    Raises:
        UsageError: one is; a run log may be somebody else's.
    """
    from litellm.types.utils import all_litellm_params

    own = {*all_litellm_params, "extra_headers", "headers", "organization"}
    for name in body.keys() - _CHAT:
        is_own = name in own or name.startswith(("aws_", "azure_", "vertex_", "watsonx_"))
        if is_own and name not in _ALLOWED:
            raise UsageError(
                f"the setting {name!r} is litellm's own and no field of a request",
                hint="litellm reads addresses, regions and keys from the environment",
            )
