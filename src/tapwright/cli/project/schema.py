"""The JSON Schema of `tapwright.toml`, of which the commands' tables follow their options."""

from typing import Any

import click

from tapwright.cli.plan_option import every_option
from tapwright.cli.project.file import ProjectFile

_IDENTIFIER = "https://json-schema.org/draft/2020-12/schema"


def project_schema(root: click.Group) -> dict[str, Any]:
    """The schema, as JSON; editors complete and check the file by it."""
    schema = ProjectFile.model_json_schema()
    schema["$schema"] = _IDENTIFIER
    schema["title"] = "tapwright.toml"
    schema["description"] = "Defaults of tapwright's commands in a directory and below it."
    context = click.Context(root)
    for name in root.list_commands(context):
        command = root.get_command(context, name)
        assert command is not None
        if table := _table(command):
            schema["properties"][name] = table
    return schema


def _table(command: click.Command) -> dict[str, Any]:
    """The options of a command, or the commands of a group; empty if there are none."""
    if isinstance(command, click.Group):
        context = click.Context(command)
        found = {
            name: command.get_command(context, name) for name in command.list_commands(context)
        }
        properties = {name: table for name, one in found.items() if one and (table := _table(one))}
    else:
        properties = {
            opt.removeprefix("--").replace("-", "_"): _option(one)
            for one in every_option(command)
            if one.name != "help"
            for opt in one.opts
            if opt.startswith("--")
        }
    if not properties:
        return {}
    about = command.get_short_help_str(200)
    return {
        "type": "object",
        "description": about,
        "properties": properties,
        "additionalProperties": False,
    }


def _option(option: click.Option) -> dict[str, Any]:
    one: dict[str, Any]
    if option.is_flag:
        one = {"type": "boolean"}
    elif isinstance(option.type, click.Choice):
        one = {"enum": [str(choice) for choice in option.type.choices]}
    elif isinstance(option.type, click.types.IntParamType):
        one = {"type": "integer"}
    elif isinstance(option.type, click.types.FloatParamType):
        one = {"type": "number"}
    else:
        one = {"type": "string"}
    if option.multiple:
        one = {"anyOf": [one, {"type": "array", "items": one}]}
    return {**one, "description": option.help or ""}
