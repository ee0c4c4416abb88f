"""MMBench-GUI's own config files, as far as they apply here; the rest is reported.

Follows `evaluate.py` and `models/base.py` of
https://github.com/open-compass/MMBench-GUI/tree/896ddf1. Answers are read by the seed's parsers, as
there. A key in an address is taken out of it and never printed. The `kwargs` of a model go to its
functions, as there; where it has none, keys that nothing there reads, such as `longest_edge`, are
named in a notice; what the shipped files get wrong (`system_propmpt`, an
address without its model) is refused, as is any other misspelt key that would matter.
"""

from collections.abc import Collection
from difflib import get_close_matches
from pathlib import Path
from urllib.parse import unquote, urlsplit, urlunsplit

from pydantic import JsonValue

from tapwright.core.secret_destinations import NamedBy
from tapwright.evaluate import combination
from tapwright.evaluate.errors import PlanError
from tapwright.evaluate.plan import BENCHMARK_DEFAULT

__all__ = ["read_mmbench"]

_DATASETS = {
    "GUIContentUnderstanding": ("l1", "difficulty"),
    "GUIElementGrounding": ("l2", "grounding_type"),
}
_HOOKS = ("preprocess", "postprocess")
_DEFAULT_HOOK = "models.base.default_"
_MATCH_MODES = ("", "exact_matching", "exact_match")
_MODEL_KEYS = frozenset(
    {
        "model_path", "imp_type", "generate_cfg", "generate_function", "preprocess_function",
        "postprocess_function", "custom_prompt", "kwargs",
    }
)  # fmt: skip
_LOCAL_SETTINGS = ("max_tokens", "temperature")
_KWARGS = frozenset({"system_prompt", "img_size"})
_DATA_KEYS = frozenset({"mode", "parse_function", "match_mode", "skip_noimg"})


def read_mmbench(
    path: Path, found: combination.Table, overrides: combination.Overrides
) -> combination.EvaluationConfig:
    """The combinations of a config file; where the data lies is not in it.

    Raises:
        PlanError: a model, data set or key is none that can be measured; names file and key.
    """
    notices: list[str] = []
    combinations: list[combination.RunCombination] = []
    datasets = combination.read_table(f"{path}: data", found["data"])
    for name, value in combination.read_table(f"{path}: model", found["model"]).items():
        where = f"{path}: model.{name}"
        entry = combination.read_table(where, value)
        address = combination.read_string(where, entry, "model_path")
        spec, base_url, secret = _subject(
            where, address, combination.read_string(where, entry, "imp_type")
        )
        if secret:
            notices.append(
                f"{where}: the key in model_path is used and printed nowhere; "
                "better keep it in OPENAI_API_KEY"
            )
        settings = combination.read_table(f"{where}.generate_cfg", entry.pop("generate_cfg", {}))
        if base_url is None:
            settings = _local_settings(where, settings, notices)
        keys = _model_keys(where, entry, notices)
        prompts = combination.read_table(
            f"{where}.custom_prompt", entry.pop("custom_prompt", None) or {}
        )
        _notice_rest(where, entry, _MODEL_KEYS, notices)
        for dataset, given in datasets.items():
            benchmark, chosen = _dataset(path, dataset, given, notices)
            own = prompts.get(dataset)
            if own:
                chosen["build"] = own
            combinations.append(
                combination.RunCombination(
                    benchmark=benchmark,
                    spec=spec,
                    plan=overrides.plan(
                        f"{where} on {dataset}", benchmark, spec, {**keys, **chosen}
                    ),
                    base_url=base_url,
                    named_by=NamedBy.FILE,
                    secret=secret,
                    settings=settings,
                )
            )
    return combination.EvaluationConfig(tuple(combinations), tuple(dict.fromkeys(notices)))


def _subject(where: str, address: str, kind: str) -> tuple[str, str | None, str]:
    """The model ("client/name"), its address, and its key."""
    if not address:
        raise PlanError(f"{where}: no model_path")
    if "http" not in address:
        clients = {"transformers": "transformers", "vllm": "vllm"}
        if kind not in clients:
            raise PlanError(
                f"{where}: imp_type {kind!r} is not supported here",
                hint='"transformers" or "vllm" for a directory; an address for a server',
            )
        return f"{clients[kind]}/{address}", None, ""
    if kind not in ("", "openai"):
        raise PlanError(f"{where}: imp_type {kind!r} at an address; only 'openai' is supported")
    parts = urlsplit(address)
    # A key may hold "+", which form decoding would make a blank.
    given = [pair.partition("=") for pair in parts.query.split("&") if pair]
    query = {unquote(name): unquote(value) for name, _, value in given}
    if not query.get("model"):
        raise PlanError(
            f"{where}: model_path does not name its model",
            hint="BASE_URL?model=NAME, with the key in OPENAI_API_KEY",
        )
    base_url = urlunsplit((parts.scheme, parts.netloc, parts.path, "", ""))
    return f"openai/{query['model']}", base_url, query.get("api_key", "")


def _local_settings(where: str, given: combination.Table, notices: list[str]) -> combination.Table:
    """What a local model's `generate` is given, as the client of a local model takes it."""
    if "max_new_tokens" in given:
        given["max_tokens"] = given.pop("max_new_tokens")
    if given.pop("do_sample", True) is False:
        given.pop("temperature", None)
    settings = {name: given.pop(name) for name in _LOCAL_SETTINGS if name in given}
    _notice_rest(f"{where}.generate_cfg", given, (*_LOCAL_SETTINGS, "max_new_tokens"), notices)
    return settings


def _model_keys(where: str, entry: combination.Table, notices: list[str]) -> combination.Table:
    """The part of a model's entry that belongs to the plan."""
    keys: combination.Table = {"parser": "seed"}
    for stage in _HOOKS:
        path = combination.read_string(where, entry, f"{stage}_function")
        if path and not path.startswith(_DEFAULT_HOOK):
            keys[stage] = path
    if entry.pop("generate_function", None) is not None:
        notices.append(f"{where}: generate_function is a local model's method; it is not needed")
    kwargs = combination.read_table(f"{where}.kwargs", entry.pop("kwargs", {}))
    hooked = any(stage in keys for stage in _HOOKS)
    if hooked:
        keys["hook_kwargs"] = dict(kwargs)
    system = combination.read_string(f"{where}.kwargs", kwargs, "system_prompt")
    keys["system"] = system or BENCHMARK_DEFAULT
    side = kwargs.pop("img_size", -1)
    if isinstance(side, int) and side > 0:
        keys["max_side"] = side
    _notice_rest(f"{where}.kwargs", kwargs, _KWARGS, [] if hooked else notices)
    return keys


def _dataset(
    path: Path, name: str, given: JsonValue, notices: list[str]
) -> tuple[str, combination.Table]:
    """The benchmark of a data set, and the part of its entry that belongs to the plan."""
    where = f"{path}: data.{name}"
    if name not in _DATASETS:
        raise PlanError(f"{where}: not published", hint=f"known: {', '.join(_DATASETS)}")
    benchmark, label = _DATASETS[name]
    entry = combination.read_table(where, given)
    keys: combination.Table = {}
    mode = combination.read_string(where, entry, "mode")
    if mode not in ("", "all"):
        keys["only"] = {label: mode}
    parse = combination.read_string(where, entry, "parse_function")
    if parse:
        keys["parse"] = parse
    match = combination.read_string(where, entry, "match_mode")
    if match not in _MATCH_MODES:
        raise PlanError(
            f"{where}: match_mode {match!r}: a judging model is not supported",
            hint="exact_matching",
        )
    if match == "exact_match":
        notices.append(f"{where}: match_mode 'exact_match' is read as 'exact_matching'")
    entry.pop("skip_noimg", None)  # every sample has its picture
    _notice_rest(where, entry, _DATA_KEYS, notices)
    return benchmark, keys


def _notice_rest(
    where: str, rest: combination.Table, known: Collection[str], notices: list[str]
) -> None:
    """Name the keys that nothing reads.

    Raises:
        PlanError: one is likely misspelt: it nearly is a key that matters.
    """
    for name in sorted(rest):
        meant = get_close_matches(name, known, n=1, cutoff=0.8)
        if meant:
            raise PlanError(f"{where}: {name!r} is no key", hint=f"did you mean {meant[0]!r}?")
        notices.append(f"{where}: {name} has no effect here")
