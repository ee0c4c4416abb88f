"""What asking costs: a table of prices, and a budget that no request goes beyond."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from tapwright.annotate.answer_book import Answered
from tapwright.annotate.errors import BudgetError, PricesError
from tapwright.errors import first_problem

__all__ = ["Budget", "Price", "read_price"]

_PER = 1_000_000

_Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Price(BaseModel):
    """What a model asks for a million tokens that go in or come out, and for a picture beside."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: _Amount
    output: _Amount
    image: _Amount = 0.0

    def of(self, input_tokens: int, output_tokens: int, images: int) -> float:
        """What that much costs."""
        tokens = input_tokens * self.input + output_tokens * self.output
        return tokens / _PER + images * self.image

    def paid(self, answers: Iterable[Answered]) -> float:
        """What answers have cost."""
        return sum(self.of(one.input_tokens, one.output_tokens, one.images) for one in answers)


_PRICES = TypeAdapter(dict[str, Price])


def read_price(path: Path, model: str) -> Price:
    """A model's price in a table: JSON {"openai/name": {"input": 2.5, "output": 10}}.

    Raises:
        PricesError: the file is not such a table, or does not have the model.
    """
    try:
        table = _PRICES.validate_json(path.read_bytes())
    except OSError as error:
        raise PricesError(f"{path}: cannot be read: {error.strerror}") from error
    except ValidationError as error:
        raise PricesError(
            f"{path}: not a table of prices: {first_problem(error)}",
            hint='such as {"openai/name": {"input": 2.5, "output": 10}}, per million tokens',
        ) from error
    if model not in table:
        raise PricesError(
            f"{path}: has no price for {model}", hint=f"it has {', '.join(sorted(table)) or 'none'}"
        )
    return table[model]


@dataclass
class Budget:
    """How much may be spent altogether, with what was spent before.

    A request sets aside what it is expected to cost before it is sent, so that many at a time do
    not go beyond the limit together.
    """

    limit: float
    price: Price
    spent: float = 0.0

    def __post_init__(self) -> None:
        self._aside = 0.0
        self._under_way = 0
        self._changed = asyncio.Condition()

    async def set_aside(self, expected: float) -> None:
        """Wait until what is under way leaves enough for a request, and set that aside.

        Raises:
            BudgetError: nothing is under way any more, and it still does not suffice.
        """
        async with self._changed:
            while self.spent + self._aside + expected > self.limit:
                if not self._under_way:
                    raise BudgetError(
                        f"the next request would cost about {expected:.4f}, and {self.spent:.4f} "
                        f"of {self.limit:.4f} are spent",
                        hint="what was answered is kept; give a larger --budget to go on",
                    )
                await self._changed.wait()
            self._aside += expected
            self._under_way += 1

    async def settle(self, expected: float, cost: float) -> None:
        """Put back what was set aside, and count what a request did cost."""
        async with self._changed:
            self._under_way -= 1
            self._aside = self._aside - expected if self._under_way else 0.0
            self.spent += cost
            self._changed.notify_all()
