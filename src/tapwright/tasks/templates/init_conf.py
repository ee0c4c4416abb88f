"""A conf file to fill in for one template: a line for each of its identifiers.

It follows
https://github.com/X-LANCE/Mobile-Env/blob/976145e/tools/templates.toolkits/init_conf.py, which
does not see the slots that mark a modifier with `'`, and takes the words of comments and the groups
of regular expressions for identifiers.
"""

import re
from pathlib import Path

from tapwright.tasks.errors import BadTemplateError, UpstreamFailureError
from tapwright.tasks.templates.confs import PLACEHOLDER
from tapwright.tasks.templates.slots import Warn
from tapwright.tasks.templates.template import SUFFIX, read_template
from tapwright.tasks.text_file import read_text

__all__ = [
    "draft_conf",
    "draft_conf_like_upstream",
]

_UPSTREAM_SLOT = re.compile(r"<(?:\w+(?:,\w+)*:)?(\w+)>")


def draft_conf(template: Path, name: str, warn: Warn) -> tuple[str, str]:
    """The file name and the text of a new conf file for a template, in the order of its slots.

    Raises:
        BadTemplateError: it cannot be read, or a slot has no meaning.
        BadDefinitionError: what surrounds the slots is no task definition.
    """
    step = _step(template)
    if "-" in step or template.name != f"{step}{SUFFIX}":
        warn(
            f"{template}: no task file can name this template; expected a file name like "
            f"{step.replace('-', '_')}{SUFFIX}, with no hyphen and no further dot"
        )
    return _draft(step, name, read_template(template, warn).identifiers)


def draft_conf_like_upstream(template: Path, name: str) -> tuple[str, str]:
    """The same with the identifiers that Mobile-Env's own tool sees.

    Raises:
        UpstreamFailureError: there is no such template.
    """
    try:
        text = read_text(template, "template", BadTemplateError)
    except BadTemplateError as error:
        what = f"[Errno 2] No such file or directory: {str(template)!r}"
        raise UpstreamFailureError("FileNotFoundError", what, str(template)) from error
    return _draft(_step(template), name, tuple(dict.fromkeys(_UPSTREAM_SLOT.findall(text))))


def _step(template: Path) -> str:
    return template.name.partition(".")[0]


def _draft(step: str, name: str, identifiers: tuple[str, ...]) -> tuple[str, str]:
    lines = (f"{identifier}: {PLACEHOLDER}\n" for identifier in identifiers)
    return f"{step}-{name}.conf", "".join(lines)
