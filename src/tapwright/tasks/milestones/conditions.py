"""Reads the conditions of milestones; `rule_file.py` has their form.

A condition in a program must be right. In a file it is read as MobiFlow reads its own
(https://github.com/IPADS-SAI/MobiAgent/blob/e2edd7a6/MobiFlow/avdag/conditions.py), which ignores
keys that it does not know and never holds where nothing is left to look for: each is a doubt.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TypeAlias, TypeVar

from pydantic import BaseModel, JsonValue

from tapwright.tasks.errors import BadMilestonesError
from tapwright.tasks.milestones import rule_file
from tapwright.tasks.milestones.checks import (
    ActionCheck,
    AgentTextCheck,
    AllChecks,
    AnyCheck,
    MilestoneCheck,
    PatternCheck,
    TopicCheck,
    UiFlagCheck,
    XmlTextCheck,
)
from tapwright.tasks.milestones.picture_checks import IconCheck, ModelCheck, OcrCheck
from tapwright.tasks.milestones.word_query import WordQuery
from tapwright.tasks.patterns import compile_pattern

__all__ = ["ConditionReader", "Doubt", "missing_pictures"]

_PICTURES = (".png", ".jpg", ".jpeg", ".webp")
_SHORT = {
    "text": "text_match", "regex": "regex_match", "ui": "ui_flag", "action": "action_match",
    "xml": "xml_text_match", "dynamic_match": "dynamic_match", "icons": "icons_match",
    "ocr": "ocr_match", "llm": "llm",
}  # fmt: skip
"""The names of the other kinds in `escalate` and `juxtaposition`."""
_PARTS = f"put its parts below params; known: {', '.join(_SHORT)}"

Doubt: TypeAlias = Callable[[str, str], object]
"""Called with what is probably a mistake, and the way out."""
P = TypeVar("P", bound=BaseModel)


class ConditionReader:
    """Reads conditions; pictures of icons are in `icons` below `folder`.

    Without `doubt` a condition that could never hold is refused.
    """

    def __init__(self, folder: Path, doubt: Doubt | None) -> None:
        self._folder = folder
        self._doubt = doubt

    def read(self, kind: str, params: Mapping[str, JsonValue]) -> MilestoneCheck:
        """The check of a condition.

        Raises:
            BadMilestonesError: there is no such kind, or it looks for nothing.
            BadPatternError: its pattern is none.
            ValidationError: its parameters are not those of its kind.
        """
        match kind:
            case "escalate":
                parts = tuple(self._parts(params))
                return AnyCheck(parts) if parts else self._never("has no parts", _PARTS)
            case "juxtaposition":
                parts = tuple(self._parts(params))
                return AllChecks(parts) if parts else self._never("has no parts", _PARTS)
            case "text_match" | "xml_text_match":
                words = self._words(self._parse(rule_file.WordParams, params))
                if words is None:
                    return self._never("looks for no words", "give it any, or all")
                return AgentTextCheck(words) if kind == "text_match" else XmlTextCheck(words)
            case "regex_match":
                regex = self._parse(rule_file.RegexParams, params)
                compile_pattern(regex.pattern)
                return PatternCheck(regex.pattern, regex.ignore_case)
            case "ui_flag":
                flag = self._parse(rule_file.UiFlagParams, params)
                values = flag.in_ if flag.in_ is not None else [flag.equals]
                return UiFlagCheck(flag.key, tuple(one for one in values if one is not None))
            case "action_match":
                action = self._parse(rule_file.ActionParams, params)
                return ActionCheck(action.type, tuple(sorted(action.contains.items())))
            case "icons_match":
                return self._icons(self._parse(rule_file.IconParams, params))
            case "ocr_match":
                return self._ocr(self._parse(rule_file.OcrParams, params))
            case "llm":
                model = self._parse(rule_file.ModelParams, params)
                return ModelCheck(model.prompt, model.expected_true)
            case "dynamic_match":
                return _topic_check(self._parse(rule_file.DynamicParams, params))
        raise BadMilestonesError(
            f"unknown kind of condition {kind!r}",
            hint=f"known: escalate, juxtaposition, {', '.join(_SHORT.values())}",
        )

    def _parts(self, params: Mapping[str, JsonValue]) -> Iterator[MilestoneCheck]:
        for name, inner in params.items():
            if name not in _SHORT:
                self._object(f"unknown part {name!r}", f"known: {', '.join(_SHORT)}")
                continue
            if not isinstance(inner, dict):
                raise BadMilestonesError(f"its {name} is not a mapping")
            if name == "action" and inner.get("type") == "action_match":
                nested = inner.get("params")
                inner = nested if isinstance(nested, dict) else {}
            yield self.read(_SHORT[name], inner)

    def _parse(self, model: type[P], params: Mapping[str, JsonValue]) -> P:
        """The parameters as a model; unknown ones are a doubt, and without doubts refused by it."""
        if self._doubt is None:
            return model.model_validate(params)
        known = {field.alias or name for name, field in model.model_fields.items()}
        for name in sorted(params.keys() - known):
            self._doubt(f"unknown key {name!r} has no effect", f"known: {', '.join(sorted(known))}")
        return model.model_validate({name: params[name] for name in params.keys() & known})

    def _words(self, params: rule_file.WordParams) -> WordQuery | None:
        return WordQuery(params.any, params.all) if params.any or params.all else None

    def _ocr(self, ocr: rule_file.OcrParams) -> MilestoneCheck:
        if not (ocr.any or ocr.all or ocr.pattern) and self._doubt is not None:
            return self._never("looks for no words", "give ocr any, all or pattern")
        compile_pattern(ocr.pattern)
        return OcrCheck(ocr.any, ocr.all, ocr.pattern, ocr.ignore_case)

    def _icons(self, params: rule_file.IconParams) -> MilestoneCheck:
        names = params.any or params.all
        if not names:
            return self._never("looks for no icons", "give it any, or all")
        folder = self._folder / "icons"
        pictures = tuple(_find_picture(folder, name) for name in names)
        return IconCheck(pictures, every=not params.any)

    def _never(self, what: str, way_out: str) -> MilestoneCheck:
        self._object(f"it {what}", way_out, ", so it never holds")
        return AnyCheck(())

    def _object(self, what: str, way_out: str, effect: str = " has no effect") -> None:
        if self._doubt is None:
            raise BadMilestonesError(what, hint=way_out)
        self._doubt(f"{what}{effect}", way_out)


def missing_pictures(check: MilestoneCheck) -> Iterator[Path]:
    """Yields the pictures of icons that a check looks for and that are not there."""
    match check:
        case IconCheck(pictures=pictures):
            yield from (one for one in pictures if not one.is_file())
        case AnyCheck(checks=checks) | AllChecks(checks=checks):
            for one in checks:
                yield from missing_pictures(one)


def _find_picture(folder: Path, name: str) -> Path:
    """Finds the picture of an icon, which must lie in the folder itself."""
    if Path(name).name != name:
        raise BadMilestonesError(
            f"the icon {name!r} is not a file name", hint=f"pictures: {folder}"
        )
    known = (folder / (name + suffix) for suffix in ("", *_PICTURES))
    return next((path for path in known if path.is_file()), folder / name)


def _topic_check(params: rule_file.DynamicParams) -> MilestoneCheck:
    topics = tuple(
        (one.trigger_keywords, one.verify_keywords) for one in params.condition_patterns.values()
    )
    words = TopicCheck(topics)
    prompts = [one.llm_prompt for one in params.condition_patterns.values() if one.llm_prompt]
    if params.fallback_llm and len(prompts) == len(topics) == 1:
        return AnyCheck((words, ModelCheck(prompts[0])))
    return words
