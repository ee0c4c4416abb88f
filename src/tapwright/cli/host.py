"""The configuration of this machine: its environment, and the command's options for models."""

import os

import click

from tapwright.workflows.host import HostConfig, ModelOptions

__all__ = ["MODEL_OPTIONS", "NETWORK_OPTION", "PROFILE_OPTION", "read_host"]

MODEL_OPTIONS = "tapwright.model_options"
"""Where the context of a command keeps its `ModelOptions`."""

NETWORK_OPTION = "tapwright.network"
"""Where the context of a command keeps the value of `--network`."""

PROFILE_OPTION = "tapwright.profile"
"""Where it keeps that of `--profile`, which is of this machine."""


def read_host(network: str | None = None) -> HostConfig:
    """The configuration of the machine that this is called on: here, or a cluster's worker.

    `network` is what a command line elsewhere gave for `--network`; one here comes first.
    """
    context = click.get_current_context(silent=True)
    if context is None:
        return HostConfig(dict(os.environ), network=network)
    models = context.meta.get(MODEL_OPTIONS, ModelOptions())
    return HostConfig(
        dict(os.environ), models, context.meta.get(NETWORK_OPTION, network),
        context.meta.get(PROFILE_OPTION),
    )  # fmt: skip
