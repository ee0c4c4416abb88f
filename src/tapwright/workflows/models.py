"""Models by name, as `-m CLIENT/MODEL` gives them."""

from collections.abc import Mapping
from math import inf
from typing import TYPE_CHECKING, Any

from pydantic import JsonValue

from tapwright.errors import UsageError
from tapwright.workflows.host import HostConfig

if TYPE_CHECKING:
    from tapwright.models.model import Model
    from tapwright.models.server import ServerModel

__all__ = ["open_model", "server_client"]

"""Stands for the key of a model that is opened and sent nothing."""


def open_model(
    spec: str,
    host: HostConfig,
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    settings: Mapping[str, JsonValue] | None = None,
) -> "Model":
    """The client of a "client/name", with the host's addresses and key unless they are given.

    The key is passed on and never printed.
    `settings` go into every request to a server; the host's lie over them.

    Raises:
        UnknownNameError: there is no such client.
        UsageError: the client does not take a setting, or only one address.
    """
    from tapwright.models import models

    client, _, name = spec.partition("/")
    base_url = base_url or host.base_url(client) or None
    if api_key is None:
        api_key = host.api_key(client)
    settings = {**(settings or {}), **host.models.settings}
    factory = server_client(spec)
    if factory is not None:
        return factory(
            name,
            base_url=base_url,
            api_key=api_key,
            extra=settings,
            timeout_s=host.models.timeout_s,
            proxies=host.proxies,
        )
    if host.models.timeout_s is not None:
        raise UsageError(
            f"{spec}: --timeout is for models behind a server", hint="leave out --timeout"
        )
    local: Any = models.get(client)
    taken = _local_settings(spec, getattr(local, "takes", {}), settings)
    model: Model = local(name, base_url=base_url, api_key=api_key, **taken)
    return model


def _local_settings(
    spec: str, takes: Mapping[str, type], settings: Mapping[str, JsonValue]
) -> Mapping[str, JsonValue]:
    """The settings, each of the kind that a client without a server takes."""
    taken: dict[str, JsonValue] = {}
    for name, value in settings.items():
        kind = takes.get(name)
        if kind is None:
            raise UsageError(
                f"{spec}: takes no setting {name!r}",
                hint=f"it takes {', '.join(takes)}"
                if takes
                else "settings are for models behind a server: openai/NAME",
            )
        if kind is float and type(value) is int:
            value = float(value)
        least = 0 if kind is float else 1
        if type(value) is not kind or (isinstance(value, int | float) and not least <= value < inf):
            raise UsageError(f"{spec}: {name}={value!r}; expected {_EXPECTED[kind]}")
        taken[name] = value
    return taken


_EXPECTED = {
    str: "text", int: "a whole number of at least 1", float: "a finite number of at least 0",
}  # fmt: skip


def server_client(spec: str) -> "type[ServerModel] | None":
    """The client of a "client/name" if it is one of a model server, which takes settings.

    An agent's name has none.

    Raises:
        UnknownNameError: there is no such client.
    """
    from tapwright.models import models
    from tapwright.models.server import ServerModel

    client, slash, _ = spec.partition("/")
    factory: object = models.get(client) if slash else None
    return factory if isinstance(factory, type) and issubclass(factory, ServerModel) else None
