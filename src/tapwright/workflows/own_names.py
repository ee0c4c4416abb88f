"""Members of families by "module:attribute": agents, models, devices, benchmarks, conventions.

Only for names that the user gave now, on the command line or in a config file, and on a worker for
those that its driver sent: a name from a run log or an episode never comes here (SECURITY.md).
"""

import sys

__all__ = [
    "admit_benchmark", "admit_convention", "admit_device", "admit_format", "admit_model",
    "admit_subject",
]  # fmt: skip


def admit_subject(spec: str) -> None:
    """An agent ("module:attribute"), or a model whose client is one's own.

    Raises:
        UsageError: it is neither.
    """
    if "/" in spec:
        admit_model(spec)
    elif ":" in spec:
        from tapwright.agents import agents

        _find_own_modules()
        agents.admit(spec)


def admit_model(spec: str) -> None:
    """The client of a model: "module:attribute/model".

    Raises:
        UsageError: it is none.
    """
    client, slash, _ = spec.partition("/")
    if slash and ":" in client:
        from tapwright.models import models

        _find_own_modules()
        models.admit(client)


def admit_convention(name: str) -> None:
    """A convention, an object and not its class.

    Raises:
        UsageError: it is none.
    """
    if ":" in name:
        from tapwright.conventions import conventions

        _find_own_modules()
        conventions.admit(name)


def admit_format(name: str) -> None:
    """A format that episodes are imported from, an object and not its class.

    Raises:
        UsageError: it is none.
    """
    if ":" in name:
        from tapwright.formats import formats

        _find_own_modules()
        formats.admit(name)


def admit_benchmark(name: str) -> None:
    """What loads a benchmark from the place of its data.

    Raises:
        UsageError: it is none.
    """
    if ":" in name:
        from tapwright.benchmarks import benchmarks

        _find_own_modules()
        benchmarks.admit(name)


def admit_device(spec: str) -> None:
    """What opens a device: "module:attribute", or "module:attribute:argument".

    Raises:
        UsageError: it is none.
    """
    kind, colon, rest = spec.partition(":")
    if not colon:
        return
    from tapwright.devices import devices

    if kind not in devices.names():
        _find_own_modules()
        devices.admit(f"{kind}:{rest.partition(':')[0]}")


def _find_own_modules() -> None:
    """Let modules be found where the command is started; none replaces an installed one."""
    if "" not in sys.path:
        sys.path.append("")
