"""Makes a new conf file for a template: a line for each of its identifiers.

It follows
https://github.com/X-LANCE/Mobile-Env/blob/976145e/tools/templates.toolkits/init_conf.py, which
misses slots with the mark `'`, and takes words in comments and groups of regular expressions for
identifiers.
"""

import re
from pathlib import Path

from tapwright.tasks.errors import BadTemplateError, UpstreamFailureError
from tapwright.tasks.templates.confs import PLACEHOLDER
from tapwright.tasks.templates.slots import Warn
from tapwright.tasks.templates.template import SUFFIX, read_template
from tapwright.tasks.text_file import read_text_file

__all__ = ["make_conf", "make_conf_like_upstream"]

_UPSTREAM_SLOT = re.compile(r"<(?:\w+(?:,\w+)*:)?(\w+)>")


def make_conf(template: Path, name: str, warn: Warn) -> tuple[str, str]:
    """Returns the file name and text of a new conf file, in the order of the template's slots.

    Raises:
        BadTemplateError: it cannot be read, or a slot is invalid.
        BadDefinitionError: the text around the slots is not a task definition.
    """
    step = _step(template)
    if "-" in step or template.name != f"{step}{SUFFIX}":
        warn(
            f"{template}: no task file can name this template; expected a file name like "
            f"{step.replace('-', '_')}{SUFFIX}, with no hyphen and no further dot"
        )
    return _render_conf(step, name, read_template(template, warn).identifiers)


def make_conf_like_upstream(template: Path, name: str) -> tuple[str, str]:
    """Returns the same with the identifiers that Mobile-Env's own tool finds.

    Raises:
        UpstreamFailureError: the template does not exist.
    """
    try:
        text = read_text_file(template, "template", BadTemplateError)
    except BadTemplateError as error:
        what = f"[Errno 2] No such file or directory: {str(template)!r}"
        raise UpstreamFailureError("FileNotFoundError", what, str(template)) from error
    return _render_conf(_step(template), name, tuple(dict.fromkeys(_UPSTREAM_SLOT.findall(text))))


def _step(template: Path) -> str:
    return template.name.partition(".")[0]


def _render_conf(step: str, name: str, identifiers: tuple[str, ...]) -> tuple[str, str]:
    lines = (f"{identifier}: {PLACEHOLDER}\n" for identifier in identifiers)
    return f"{step}-{name}.conf", "".join(lines)
