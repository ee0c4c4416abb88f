"""`tapwright completion`: shell completion through click's own machinery."""

import click
from click.shell_completion import get_completion_class

from tapwright.errors import UsageError


@click.command(epilog="\b\nExample:\n  tapwright completion bash >> ~/.bashrc")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the script that makes SHELL complete tapwright's commands and options."""
    kind = get_completion_class(shell)
    if kind is None:
        raise UsageError(f"no completion for {shell}")
    root = ctx.find_root().command
    click.echo(kind(root, {}, "tapwright", "_TAPWRIGHT_COMPLETE").source())
