"""The cost of model queries: prices per million tokens, and a budget that stops a job."""

import asyncio
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Protocol

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from tapwright.errors import TapwrightError, UsageError, first_problem
from tapwright.files.regular import read_regular
from tapwright.models.errors import BUDGET, PRICES, BudgetWarning
from tapwright.models.model import Usage

__all__ = ["Budget", "PaidQuery", "Price", "read_price"]

_PER = 1_000_000

_Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class PaidQuery(Protocol):
    """The usage of a query, as the server counted it."""

    @property
    def input_tokens(self) -> int:
        """Tokens of the prompt."""

    @property
    def output_tokens(self) -> int:
        """Tokens of the answer."""

    @property
    def images(self) -> int:
        """Pictures of the prompt."""


class Price(BaseModel):
    """The price of a million tokens of prompts and of answers, and of one picture."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: _Amount
    output: _Amount
    image: _Amount = 0.0

    def cost(self, input_tokens: int, output_tokens: int, images: int = 0) -> float:
        """The cost of so many tokens and pictures, in the currency of the price."""
        tokens = input_tokens * self.input + output_tokens * self.output
        return tokens / _PER + images * self.image

    def total(self, queries: Iterable[PaidQuery]) -> float:
        """The cost of all these queries."""
        return sum(self.cost(one.input_tokens, one.output_tokens, one.images) for one in queries)


_FREE = Price(input=0, output=0)
_BLIND = "--max-cost cannot be kept: the server tells no usage, so no query has a known cost"
_PRICES = TypeAdapter(dict[str, Price])


def read_price(path: Path, model: str) -> Price:
    """A model's price in a table: JSON {"openai/name": {"input": 2.5, "output": 10}}.

    Raises:
        UsageError: the file is not such a table, or does not have the model.
    """
    try:
        table = _PRICES.validate_json(read_regular(path))
    except OSError as error:
        raise PRICES(f"{path}: cannot be read: {error.strerror}") from error
    except ValidationError as error:
        raise PRICES(
            f"{path}: not a table of prices: {first_problem(error)}",
            hint='such as {"openai/name": {"input": 2.5, "output": 10}}, per million tokens',
        ) from error
    if model not in table:
        raise PRICES(
            f"{path}: has no price for {model}", hint=f"it has {', '.join(sorted(table)) or 'none'}"
        )
    return table[model]


class Budget:
    """Stops a job when its queries have cost `limit`; without a limit it only adds up.

    The limit is for this invocation alone, unless `spent_before` names what earlier invocations
    spent: then it is for all of them together. What was answered is kept, so a larger limit lets
    the job go on.

    A query whose cost can be estimated reserves it before it is sent, so that parallel ones do not
    exceed the limit together. A query that is only counted afterwards may: those under way when the
    limit is reached still come, and are paid for.
    """

    def __init__(
        self,
        price: Price | None,
        limit: float | None,
        *,
        spent_before: float = 0.0,
        hint: str = "give a larger limit to continue",
    ) -> None:
        """Take the limit, in the currency of the price, and the way out for `TapwrightError`.

        Raises:
            UsageError: there is a limit and no price.
        """
        if limit is not None and price is None:
            raise UsageError(
                "a limit on the cost needs the price of tokens",
                hint="give the price of a million tokens, of prompts and of answers",
            )
        self.price = price or _FREE
        self.limit = limit
        self.spent = spent_before
        self._hint = hint
        self._known = 0
        self._is_blind = False
        self._reserved = 0.0
        self._under_way = 0
        self._changed = asyncio.Condition()

    def add(self, usage: Usage) -> None:
        """Count a query that was answered; one whose server tells no usage costs as others did."""
        if usage != Usage():
            self._known += 1
            self.spent += self.price.cost(usage.input_tokens, usage.output_tokens)
        elif self._known:
            self.spent += self.spent / self._known
        elif self.limit is not None and self.price != _FREE and not self._is_blind:
            self._is_blind = True
            warnings.warn(_BLIND, BudgetWarning, stacklevel=2)

    def check(self) -> None:
        """Go on only below the limit.

        Raises:
            TapwrightError: it is reached, or nobody knows whether it is.
        """
        if self._is_blind and not self._known:
            raise BUDGET(
                f"{_BLIND}; what was answered is kept",
                hint="leave out --max-cost, and bound the run by --limit or --sample",
            )
        if self.limit is not None and self.spent >= self.limit:
            raise self._exceeded("")

    async def reserve(self, expected: float) -> None:
        """Wait until the queries under way leave enough for another one, and reserve its cost.

        Raises:
            TapwrightError: none is under way any more, and it still does not suffice.
        """
        async with self._changed:
            while self.limit is not None and self.spent + self._reserved + expected > self.limit:
                if not self._under_way:
                    raise self._exceeded(f"; the next query would cost about {expected:.4g}")
                await self._changed.wait()
            self._reserved += expected
            self._under_way += 1

    async def settle(self, expected: float, cost: float) -> None:
        """Release the reservation, and count the cost of the query."""
        async with self._changed:
            self._under_way -= 1
            self._reserved = self._reserved - expected if self._under_way else 0.0
            self.spent += cost
            self._changed.notify_all()

    def _exceeded(self, next_one: str) -> TapwrightError:
        return BUDGET(
            f"{self.spent:.4g} of {self.limit:g} are spent{next_one}; what was answered is kept",
            hint=self._hint,
        )
