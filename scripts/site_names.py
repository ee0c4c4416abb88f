"""Pages of the site about Python: every public name with its signature and its docstring.

A public name is one of a module's `__all__`. A page holds a package, a section a module. Units,
shapes and errors are what the docstrings say; `tests/test_public_names.py` looks that they do.
"""

import ast
import inspect
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import is_dataclass
from functools import cache
from importlib import import_module
from pkgutil import walk_packages
from types import ModuleType

import tapwright

_SECTION = re.compile(r"^(Args|Returns|Raises|Yields|Attributes|Example|Examples):$")
_ENTRY = re.compile(r"^ {4}(\*{0,2}\w[\w. ,]*(?:\([^)]*\))?):\s+(.*)$")
_LAST_NAME = re.compile(
    r"\b(?:tapwright|collections|numpy|pathlib|PIL|types|typing)(?:\.\w+)*\.(\w+)"
)
_LONGEST_VALUE = 600


def public_modules() -> Iterator[ModuleType]:
    """The modules with an `__all__`, in order of their paths; the command line has none."""
    found = [info.name for info in walk_packages(tapwright.__path__, "tapwright.")]
    for path in sorted([*found, "tapwright_adb_simulator"]):
        if not path.startswith(("tapwright.cli", "tapwright.__main__")):
            module = import_module(path)
            if getattr(module, "__all__", ()):
                yield module


@cache
def name_pages() -> dict[str, str]:
    """Path -> page of a package; the modules at the top share the first."""
    packages: defaultdict[str, list[ModuleType]] = defaultdict(list)
    for module in public_modules():
        first, *rest = module.__name__.split(".")
        is_package = hasattr(module, "__path__") or len(rest) > 1
        packages[(rest[0] if rest else first) if is_package else ""].append(module)
    top = packages.pop("")
    return {
        "python/index.md": _page("Python", top),
        **{f"python/{name}.md": _page(name, packages[name]) for name in sorted(packages)},
    }


def _page(title: str, modules: Sequence[ModuleType]) -> str:
    lines = [f"# {title}", ""]
    for module in modules:
        lines += [f"## {module.__name__} {{ #{module.__name__} }}", ""]
        lines += [*_docstring(module.__doc__ or ""), ""]
        values = _values(module)
        for name in module.__all__:
            lines += _name(module, name, values)
    return "\n".join(lines)


def _name(module: ModuleType, name: str, values: dict[str, tuple[str, str]]) -> Iterator[str]:
    thing = getattr(module, name)
    yield f"### {name} {{ #{module.__name__}.{name} }}"
    yield ""
    if inspect.isclass(thing):
        yield from _code(_class_head(name, thing))
        yield from _docstring(inspect.getdoc(thing) or "")
        yield from _fields(thing)
        yield from _methods(thing)
    elif inspect.isroutine(thing):
        yield from _code(_signature(name, thing))
        yield from _docstring(inspect.getdoc(thing) or "")
    else:
        source, about = values.get(name, (f"{name} = {thing!r}", ""))
        is_long = len(source) > _LONGEST_VALUE
        yield from _code(source[:_LONGEST_VALUE] + " …" if is_long else source)
        yield from _docstring(about)
    yield ""


def _code(text: str) -> Iterator[str]:
    yield "```python"
    yield text
    yield "```"
    yield ""


def _signature(name: str, thing: object) -> str:
    prefix = "async def" if inspect.iscoroutinefunction(thing) else "def"
    try:
        signature = inspect.signature(thing)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return f"{prefix} {name}(…)"
    parts = [str(one) for one in signature.parameters.values()]
    result = signature.return_annotation
    shown = inspect.formatannotation(result) if result is not signature.empty else ""
    arrow = f" -> {shown}" if shown else ""
    line = _plain(f"{prefix} {name}{_parameters(signature)}{arrow}")
    if len(line) <= 100 or not parts:
        return line
    inside = _parameters(signature)[1:-1]
    pieces = _split(inside)
    return _plain(f"{prefix} {name}(\n    " + ",\n    ".join(pieces) + f",\n){arrow}")


def _parameters(signature: inspect.Signature) -> str:
    return str(signature.replace(return_annotation=inspect.Signature.empty))


def _split(text: str) -> list[str]:
    """The parts of a parameter list, at commas that stand in no bracket and no text."""
    parts, depth, quote, start = [], 0, "", 0
    for index, letter in enumerate(text):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
        elif letter == "," and depth == 0:
            parts.append(text[start:index].strip())
            start = index + 1
    return [*parts, text[start:].strip()]


def _plain(text: str) -> str:
    """Types by their last name, as code writes them; no address of an object in memory."""
    text = re.sub(r"<(?:function|class) '?([^>]*?)'?(?: at 0x\w+)?>", r"\1", text)
    text = re.sub(r"-> '([^']+)'", r"-> \1", text)
    return _LAST_NAME.sub(r"\1", text)


def _class_head(name: str, kind: type) -> str:
    bases = [one.__name__ for one in kind.__bases__ if one is not object]
    return f"class {name}" + (f"({', '.join(bases)})" if bases else "")


def _fields(kind: type) -> Iterator[str]:
    """The annotated fields that the class itself has, each with what is written below it."""
    try:
        (node,) = ast.parse(inspect.getsource(kind).lstrip()).body
    except (OSError, TypeError, SyntaxError, IndentationError):
        return
    assert isinstance(node, ast.ClassDef)
    shown = False
    for one, following in zip(node.body, [*node.body[1:], None], strict=True):
        if not isinstance(one, ast.AnnAssign) or not isinstance(one.target, ast.Name):
            continue
        if one.target.id.startswith("_"):
            continue
        if not shown:
            yield "**Fields**" if is_dataclass(kind) else "**Attributes**"
            yield ""
            shown = True
        default = f" = {ast.unparse(one.value)}" if one.value else ""
        about = _literal(following)
        yield f"- `{one.target.id}: {ast.unparse(one.annotation)}{default}`" + (
            f": {_safe(' '.join(about.split()))}" if about else ""
        )
    yield ""


def _methods(kind: type) -> Iterator[str]:
    for name, member in vars(kind).items():
        if name.startswith("_"):
            continue
        inner = member.__func__ if isinstance(member, staticmethod | classmethod) else member
        is_property = isinstance(inner, property) or type(inner).__name__ == "cached_property"
        about = inspect.getdoc(inner) or ""
        if is_property:
            yield f"**{name}**{{ .property }}"
        elif inspect.isroutine(inner):
            yield from _code(_signature(name, inner))
        else:
            continue
        yield ""
        yield from _docstring(about)
        yield ""


def _values(module: ModuleType) -> dict[str, tuple[str, str]]:
    """Name -> its definition, and the text that stands below it."""
    source = inspect.getsource(module)
    body = ast.parse(source).body
    found = {}
    for one, following in zip(body, [*body[1:], None], strict=True):
        match one:
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                found[name] = (ast.get_source_segment(source, one) or name, _literal(following))
    return found


def _literal(node: ast.stmt | None) -> str:
    match node:
        case ast.Expr(value=ast.Constant(value=str(text))):
            return inspect.cleandoc(text)
    return ""


def _docstring(text: str) -> Iterator[str]:
    """A docstring in Google's style as Markdown."""
    section = ""
    for line in inspect.cleandoc(text).splitlines():
        if head := _SECTION.match(line):
            section = head[1]
            yield ""
            yield f"**{section}**"
            yield ""
            continue
        if section and line and not line.startswith(" "):
            section = ""
        if section and (entry := _ENTRY.match(line)):
            yield f"- `{entry[1]}`: {_safe(entry[2])}"
        elif section:
            yield "  " + _safe(line.strip())
        else:
            yield line if line.startswith("    ") else _safe(line)
    yield ""


def _safe(line: str) -> str:
    """What is HTML or a link to Markdown, as text; code in backticks stays."""
    parts = re.split(r"(`[^`]*`)", line)
    return "".join(
        part if part.startswith("`") else re.sub(r"([<\[*_])", r"\\\1", part) for part in parts
    )
