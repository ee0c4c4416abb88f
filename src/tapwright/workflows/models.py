"""Models by name, as `-m CLIENT/MODEL` gives them."""

from collections.abc import Mapping

from pydantic import JsonValue

from tapwright.errors import UsageError
from tapwright.models.model import Model
from tapwright.workflows.host import HostConfig

__all__ = ["open_model"]


def open_model(
    spec: str,
    host: HostConfig,
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    settings: Mapping[str, JsonValue] | None = None,
) -> Model:
    """The client of a "client/name", with the host's address and key unless they are given.

    The key is passed on and never printed. `settings` go into every request to a server.

    Raises:
        UnknownNameError: there is no such client.
        UsageError: the client takes no settings.
    """
    from tapwright.models import models

    client, _, name = spec.partition("/")
    base_url = base_url or host.base_url or None
    if api_key is None:
        api_key = host.api_key
    if not settings:
        return models.get(client)(name, base_url=base_url, api_key=api_key)
    if client != "openai":
        raise UsageError(
            f"{spec}: takes no settings for its requests: {', '.join(settings)}",
            hint="settings are for models behind a server: openai/NAME",
        )
    from tapwright.models.openai import OpenAIModel

    return OpenAIModel(name, base_url=base_url, api_key=api_key, extra=settings)
