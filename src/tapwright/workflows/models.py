"""Models by name, as `-m CLIENT/MODEL` gives them."""

import warnings
from collections.abc import Mapping
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Any

from tapwright.core.secret_destinations import OPENAI_KEY, Destination, NamedBy, Secret, of_variable
from tapwright.errors import UsageError
from tapwright.workflows.host import HostConfig

if TYPE_CHECKING:
    from pydantic import JsonValue

    from tapwright.models.model import Model
    from tapwright.models.server import ServerModel

__all__ = ["open_model", "server_client"]

_OF_OWN_CODE = Secret(
    OPENAI_KEY.variables, "model", frozenset(NamedBy) - {NamedBy.STRANGER}
)  # a client that is no server's is on this machine, or the user's own


def open_model(
    spec: str,
    host: HostConfig,
    *,
    server: Destination | None = None,
    key_variable: str = "",
    api_key: str | None = None,
    settings: "Mapping[str, JsonValue] | None" = None,
) -> "Model":
    """The client of a "client/name", with the host's addresses and key unless they are given.

    The key is that of the client's provider, or of `key_variable`; it is passed on and never
    printed. `settings` go into every request to a server; the host's lie over them.

    Raises:
        UnknownNameError: there is no such client.
        UsageError: the client does not take a setting, or only one address.
        UsageError: the key is for another kind of server, or must not go to this one.
    """
    from tapwright.models import models

    client, _, name = spec.partition("/")
    server = server or host.server(client)
    base_url = server.url or None
    factory = server_client(spec)
    if api_key is None:
        to = server if server.url or factory is None else replace(server, url=factory.wire.url)
        secret = of_variable(factory.wire.key) if factory is not None else _OF_OWN_CODE
        if key_variable:
            secret = of_variable(key_variable)
            if not secret.read(host.variables):
                warnings.warn(f"{spec}: {key_variable} is unset, so no key is sent", stacklevel=2)
        api_key = _key(spec, secret, to, host)
        if client == "litellm" and server.named_by is NamedBy.EVERY_MODEL:
            api_key = api_key or "none"  # or it would look for the provider's in the environment
    settings = {**(settings or {}), **host.models.settings}
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


def _key(spec: str, secret: Secret, to: Destination, host: HostConfig) -> str | None:
    """The key of a model for its servers.

    Raises:
        UsageError: it must not go there, and they would not do without one.
    """
    from tapwright.models.addresses import is_near

    variable = secret.variables[0]
    if secret.kind != "model":
        raise UsageError(
            f"{spec}: {variable} is no key of a model", hint=f"it is for a {secret.kind} alone"
        )
    if to.named_by is NamedBy.STRANGER:
        raise UsageError(
            f"{spec}: {to.url} is named by a file of somebody else's alone",
            hint="name it yourself: --base-url URL",
        )
    allowed = secret.may_go_to(to)
    if not allowed and secret.read(host.variables) and not all(map(is_near, to.url.split())):
        raise UsageError(
            f"{spec}: {variable} is not sent to {to.url}, which TAPWRIGHT_BASE_URL names for every "
            "model",
            hint="name it for this one: --base-url URL, or unset TAPWRIGHT_BASE_URL",
        )
    return host.secret(secret, to) or None


def _local_settings(
    spec: str, takes: Mapping[str, type], settings: "Mapping[str, JsonValue]"
) -> "Mapping[str, JsonValue]":
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
