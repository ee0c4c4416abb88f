"""The configuration of this machine: its environment, and the command's options for models."""

import os

import click

from tapwright.workflows.host import HostConfig, ModelOptions

__all__ = ["ALLOW_OPTION", "MODEL_OPTIONS", "NETWORK_OPTION", "PROFILE_OPTION", "read_host"]

MODEL_OPTIONS = "tapwright.model_options"
"""Where the context of a command keeps its `ModelOptions`."""

NETWORK_OPTION = "tapwright.network"
"""Where the context of a command keeps the value of `--network`."""

ALLOW_OPTION = "tapwright.allow"
"""Where it keeps that of `--allow`."""

PROFILE_OPTION = "tapwright.profile"
"""Where it keeps that of `--profile`, which is of this machine."""


def read_host(network: str | None = None, allow: str | None = None) -> HostConfig:
    """The configuration of the machine that this is called on: here, or a cluster's worker.

    `network` and `allow` are what a command line elsewhere gave for these options; those here come
    first.
    """
    context = click.get_current_context(silent=True)
    given = {} if context is None else context.meta
    return HostConfig(
        dict(os.environ), given.get(MODEL_OPTIONS, ModelOptions()),
        given.get(NETWORK_OPTION, network), given.get(PROFILE_OPTION),
        given.get(ALLOW_OPTION, allow),
    )  # fmt: skip
