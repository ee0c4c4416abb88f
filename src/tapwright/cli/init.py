"""`tapwright init`: begins a project, whose `tapwright.toml` has the defaults of its commands."""

import json
from pathlib import Path
from typing import Any

import click

from tapwright.cli.errors import OUTPUT_EXISTS
from tapwright.cli.options import FOLDER
from tapwright.cli.output import hint, print_line
from tapwright.cli.plan_option import every_option
from tapwright.cli.project.place import NAME
from tapwright.errors import quote_path
from tapwright.files.atomic import write_atomically

_IDENTIFIER = "https://json-schema.org/draft/2020-12/schema"


def project_schema(root: click.Group) -> dict[str, Any]:
    """The schema, as JSON; editors complete and check the file by it."""
    from tapwright.cli.project.keys import ProjectFile

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


_TEXT = """\
# Defaults of tapwright's commands in this directory and below it; `tapwright COMMAND --help` shows
# those that it has. What is typed comes first. Paths begin here. Keys of models stay in the
# environment (OPENAI_API_KEY). `tapwright init --schema` lists every key. After an edit,
# `tapwright trust` says that it was yours.

store = "episodes"            # where episodes are recorded, and what STORE is where it is left out
runs = "runs"                 # where evaluations lie
suite = "phone"               # tasks: `tapwright tasks ls`
device = "phone"              # `tapwright devices ls`
# convention = "qwen2.5-vl"   # how models are asked and read: `tapwright conventions ls`
# annotator = "rules"         # who reconstructs reasoning: rules, or a model
# model = "mine"              # what `eval run` measures: a model, an agent, or a name of [models]
# prices = "prices.json"      # what models cost: "IN,OUT" of a million tokens, or a file
# max_cost = 5                # stop a command that costs more
# envs = 2                    # devices at once

# A model under a short name, for -m, --agent and --with.
# [models.mine]
# model = "openai/qwen2.5-vl-7b"
# base_url = "http://127.0.0.1:8000/v1"
# convention = "qwen2.5-vl"
# settings = { temperature = 0 }
# price = [0.2, 0.6]

# A command's own options, by their long names.
# [eval.run]
# sample = 200
"""


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright init my-project\n"
    "  tapwright init --schema > tapwright.schema.json"
)
@click.argument("directory", type=FOLDER, default=Path())
@click.option("--schema", is_flag=True, help="Print the JSON Schema of the file instead.")
@click.pass_context
def init(context: click.Context, /, directory: Path, *, schema: bool) -> None:
    """Begin a project in DIRECTORY, by default here: write tapwright.toml.

    Every command that is called there or below takes its defaults from that file, so that
    `tapwright episodes ls` needs no store and `tapwright eval run l1 -m mine` no address. Its
    --help says which defaults the file gives it.
    """
    from tapwright.cli.project.file import read_project
    from tapwright.cli.project.trusted_files import remember

    if schema:
        root = context.find_root().command
        assert isinstance(root, click.Group)
        print_line(json.dumps(project_schema(root), indent=2))
        return
    file = directory / NAME
    if file.exists():
        raise OUTPUT_EXISTS(f"{file} exists", hint="edit it, or give another DIRECTORY")
    directory.mkdir(parents=True, exist_ok=True)
    write_atomically(file, _TEXT.encode())
    remember(read_project(file, ()))
    print_line(file)
    cd = "" if directory.resolve() == Path.cwd() else f"cd {quote_path(directory)} && "
    hint(f"{cd}tapwright record --agent script --limit 3")
