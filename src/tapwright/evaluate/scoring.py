"""Scores answers from a run log alone: without the model and without the data."""

from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from pydantic import JsonValue, ValidationError

from tapwright.benchmarks import pointing, understanding
from tapwright.benchmarks.answers import Parser, parse_option, parse_point
from tapwright.benchmarks.benchmark import (
    Benchmark,
    ConventionBenchmark,
    Sample,
    Score,
    StaticSample,
)
from tapwright.benchmarks.checks import check_score
from tapwright.benchmarks.errors import BadBenchmarkError
from tapwright.benchmarks.score_rules import CLOSED, PointRule, rule_of_log
from tapwright.conventions import conventions
from tapwright.conventions.convention import Space, decides_size
from tapwright.core.geometry import Box, Point, Size
from tapwright.core.registry import tell_fault
from tapwright.errors import UsageError, first_problem
from tapwright.evaluate import run_log
from tapwright.evaluate.errors import HookError, RunLogError
from tapwright.evaluate.hooks import (
    FAULTS,
    NO_HOOKS,
    PipelineHook,
    ReadingHooks,
    call_postprocess,
    dataset_name,
    table_line,
)
from tapwright.evaluate.plan import RunPlan
from tapwright.evaluate.rule_choice import under_plan

__all__ = ["AnswerReader", "judge_answer", "plan_of", "rescore", "sample_info"]

_NOWHERE = Path()
_JUDGED = (understanding.ChoiceQuestion, pointing.TargetBox, pointing.AbsentTarget)
_BY_KIND = (pointing.PointingBenchmark.score, understanding.UnderstandingBenchmark.score)


def has_own_score(benchmark: object) -> bool:
    """Whether a benchmark scores its answers itself, and not as all of their kind are."""
    return getattr(type(benchmark), "score", None) not in _BY_KIND


def sample_info(sample: Sample, epoch: int, benchmark: object) -> run_log.SampleInfo:
    """What a row keeps of a sample of the benchmark; the size only where the row can be scored."""
    options: dict[str, str] = {}
    size = None
    if isinstance(sample, understanding.ChoiceQuestion):
        options = dict(sample.options)
    if isinstance(sample, _JUDGED) and not has_own_score(benchmark):
        size = (sample.size.width, sample.size.height)
    return run_log.SampleInfo(
        labels=dict(sample.labels),
        cluster=sample.cluster,
        truth=sample.truth,
        instruction=sample.instruction,
        epoch=epoch,
        options=options,
        size=size,
    )


def judge_answer(
    sample: Sample, text: str, *, space: str, parser: Parser, rule: PointRule = CLOSED
) -> Score | None:
    """How an answer to a question, or one that points, did; None for samples of other kinds.

    By the parser "robust" it is the score of the benchmark itself under the rule.
    """
    match sample:
        case understanding.ChoiceQuestion(options=options, answer=answer):
            score = understanding.score_question(sample, text)
            if parser == "robust":
                return score
            letter = parse_option(text, dict(options), parser=parser)
            hit = float(letter.letter == answer)
            return replace(score, value=hit, status=letter.status, parsed=letter.letter)
        case pointing.TargetBox(size=size):
            score = pointing.score_aim(sample, text, space=space, rule=rule)
            if parser == "robust":
                return score
            place = pointing.located(parse_point(text, size, space=space, parser=parser), rule)
            if place.point is None:
                return replace(score, value=0.0, status=place.status, parsed=None)
            parsed: list[JsonValue] = [place.point.x, place.point.y]
            hit = float(pointing.is_on(sample, place.point, rule))
            return replace(score, value=hit, status=place.status, parsed=parsed)
        case pointing.AbsentTarget():
            return pointing.score_aim(sample, text, space=space, rule=rule)
        case _:
            return None


def call_parse(hook: PipelineHook, sample: Sample, text: str) -> str:
    """What a parse function of one's own finds in an answer, in plain text; "" for nothing.

    Raises:
        HookError: it failed, or found neither a letter nor two numbers.
    """
    found = hook.call(text, meta=table_line(sample, text))
    match found:
        case None:
            return ""
        case str():
            return found
        case (int() | float() as x, int() | float() as y):
            return f"({_decimal(x)}, {_decimal(y)})"
        case _:
            raise hook.wrong(found, "a letter, two numbers, or None")


def _decimal(number: float) -> str:
    """A number without an exponent, which the parsers of answers do not read."""
    text = str(number)
    return f"{number:.20f}" if "e" in text else text


class AnswerReader:
    """Reads and scores answers under a plan, with the user's functions where it names some."""

    def __init__(
        self,
        plan: RunPlan,
        benchmark: Benchmark[Any] | None = None,
        *,
        hooks: ReadingHooks = NO_HOOKS,
        name: str = "",
    ) -> None:
        """Take the functions, loaded; without `benchmark`, only letters and places can be scored.

        The score of a benchmark that has one of its own is that score, whatever its samples are.

        `name` is the benchmark's where it is not given; the plan's rule is one of that suite.

        Raises:
            HookError: `hooks` are not the functions that the plan names.
            UnknownNameError: the plan's space is neither a unit nor a convention, or there is no
                such convention as it names.
            UsageError: the suite has no rule of the plan's name.
        """
        self._plan = plan
        self._convention = conventions.get(plan.convention) if plan.convention else None
        if self._convention is not None and isinstance(benchmark, ConventionBenchmark):
            benchmark = benchmark.in_convention(self._convention)
        self._benchmark = benchmark
        self.is_own = any(
            type(one).__module__.partition(".")[0] != "tapwright"
            for one in (benchmark, self._convention)
            if one is not None
        )
        """Whether the benchmark or the convention is somebody's own."""
        self._has_own_score = benchmark is not None and has_own_score(benchmark)
        self._dataset = dataset_name(name if benchmark is None else benchmark.name)
        if plan.space not in get_args(Space):
            conventions.get(plan.space)
        hooks.check(plan.postprocess, plan.parse)
        rule = rule_of_log(benchmark.name if benchmark else name, plan.rules)
        self._rule = rule if isinstance(rule, PointRule) else CLOSED
        # A convention that scales pictures reads an answer on the picture as it was before.
        self._scales = self._convention is not None and decides_size(self._convention)
        self._postprocess = hooks.postprocess
        self._parse = hooks.parse

    def check(self, sample: Sample) -> None:
        """See that the plan's parser reads answers to samples of this kind.

        Raises:
            UsageError: it does not.
        """
        if self._plan.parser == "robust":
            return
        if not isinstance(sample, _JUDGED):
            raise UsageError(
                f"{sample.id}: the parser {self._plan.parser!r} reads letters and places only"
            )
        if self._has_own_score:
            raise UsageError(
                f"{sample.id}: its benchmark reads answers itself, not by the parser "
                f"{self._plan.parser!r}"
            )

    def score(
        self,
        sample: Sample,
        text: str,
        sent: tuple[int, int] | None,
        *,
        postprocessed: bool = False,
    ) -> Score:
        """How an answer did; `sent` is the size of a picture that was scaled.

        One that is `postprocessed` is what the user's function has made already.

        Raises:
            HookError: a function of the user's own failed.
            UsageError: the plan's parser does not read answers to samples of this kind.
        """
        if sent is not None and not self._scales and isinstance(sample, StaticSample):
            sample = replace(sample, size=Size(*sent))
        if self._postprocess is not None and not postprocessed:
            named = {**self._plan.hook_kwargs, "dataset_name": self._dataset}
            text = call_postprocess(self._postprocess, text, None, None, named=named)
        if self._parse is not None:
            text = call_parse(self._parse, sample, text)
        plan = self._plan
        score: Score | None = None
        if self._has_own_score:
            pass
        elif self._convention is not None and isinstance(
            sample, pointing.TargetBox | pointing.AbsentTarget
        ):
            score = pointing.score_aim(
                sample, text, space=plan.space, rule=self._rule, convention=self._convention
            )
        else:
            score = judge_answer(
                sample, text, space=plan.space, parser=plan.parser, rule=self._rule
            )
        if score is not None:
            return score
        self.check(sample)
        if self._benchmark is None:
            raise UsageError(f"sample {sample.id}: only its benchmark can score it")
        scored: Score = self._benchmark.score(sample, text, space=plan.convention or plan.space)
        return scored


def plan_of(run: run_log.RunLog) -> RunPlan:
    """The plan that a run was made under; that of played tasks is the plain one.

    Raises:
        RunLogError: its header's plan is none.
    """
    try:
        return RunPlan.model_validate(run.header.config.get("plan") or {})
    except ValidationError as error:
        raise RunLogError(f"{run.path}: plan: {first_problem(error)}") from error


def rescore(
    run: run_log.RunLog,
    plan: RunPlan,
    benchmark: Benchmark[Any] | None = None,
    *,
    hooks: ReadingHooks = NO_HOOKS,
) -> run_log.RunLog:
    """The run as if its answers had been read under `plan`; the model is not queried.

    A plan that names no rule keeps the run's; steps that its rule leaves out are left out. Letters
    and places need their log alone. Samples of other kinds are taken from `benchmark`. A plan that
    names functions of the user's is refused unless `hooks` holds just these: the plan of a log is
    somebody's text, and nothing in it is imported.

    Raises:
        HookError: `hooks` are not the functions that the plan names.
        UsageError: a sample is of another kind, and the benchmark is not given or lacks it.
    """
    if not plan.rules:
        plan = plan.model_copy(update={"rules": run_log.rules_of_header(run.header)})
    left_out: set[str] = set()
    if benchmark is not None:
        before = {one.id for one in under_plan(benchmark, plan_of(run)).samples()}
        benchmark = under_plan(benchmark, plan)
        left_out = before - {one.id for one in benchmark.samples()}
    reader = AnswerReader(plan, benchmark, hooks=hooks, name=run.header.benchmark)
    known = {one.id: one for one in benchmark.samples()} if benchmark is not None else {}
    rows = tuple(
        _rescore_row(row, known.get(row.id), reader) for row in run.rows if row.id not in left_out
    )
    header = run.header.model_copy(
        update={
            "samples": run.header.samples - (len(run.rows) - len(rows)),
            "config": {**run.header.config, "plan": plan.model_dump(mode="json")},
        }
    )
    return run_log.RunLog(run.path, header, run.created, run_log.count_failures(header, rows))


def _rescore_row(
    row: run_log.SampleRow, known: Sample | None, reader: AnswerReader
) -> run_log.SampleRow:
    if row.answer is None:
        return row
    sample = sample_of_row(row) or known
    if sample is None:
        raise UsageError(
            f"{row.id}: its log does not hold all that its score needs",
            hint="give the benchmark's data: --data DIR",
        )
    return score_row(row, sample, reader)


def score_row(row: run_log.SampleRow, sample: Sample, reader: AnswerReader) -> run_log.SampleRow:
    """The row with its answer read and scored, whatever stood there before."""
    if row.answer is None:
        return row
    try:
        found = reader.score(sample, row.answer, row.sent, postprocessed=row.postprocessed)
        score = check_score(found, f"sample {row.id}")
    except (HookError, BadBenchmarkError) as error:
        return _unscored(row, error.code, str(error))
    except FAULTS as error:
        if not reader.is_own:
            raise
        return _unscored(row, BadBenchmarkError.code, f"sample {row.id}: {tell_fault(error)[0]}")
    return replace(
        row,
        score=score.value,
        status=score.status,
        parsed=score.parsed,
        detail=dict(score.detail),
        error=None,
    )


def _unscored(row: run_log.SampleRow, code: str, why: str) -> run_log.SampleRow:
    """The row with its answer, which code of the user's own failed to score."""
    failure = run_log.RowError(code=code, message=why)
    return replace(row, score=None, status="failed", parsed=None, detail={}, error=failure)


def sample_of_row(
    row: run_log.SampleRow,
) -> understanding.ChoiceQuestion | pointing.TargetBox | pointing.AbsentTarget | None:
    """The sample of a row without its picture, as far as the row holds it."""
    info = row.about
    if info.size is None:
        return None
    common = (row.id, info.instruction, info.labels, _NOWHERE, Size(*info.size))
    match info.truth:
        case None:
            return pointing.AbsentTarget(*common)
        case str() as answer:
            return understanding.ChoiceQuestion(
                *common, options=tuple(info.options.items()), answer=answer
            )
        case [[_, _], *_] as flat:
            corners = tuple(Point(*map(_number, one)) for one in flat if isinstance(one, list))
            return pointing.TargetOutline(
                *common, box=pointing.bounding_box(corners), corners=corners
            )
        case [_, _, _, _] as edges:
            return pointing.TargetBox(*common, box=Box(*map(_number, edges)))
        case _:
            return None


def _number(found: JsonValue) -> float:
    return float(found) if isinstance(found, int | float) else 0.0
