"""What a run may cost, and when it has cost that."""

from pathlib import Path

from tapwright.evaluate.errors import CostLimitError, PlanError
from tapwright.evaluate.plan import Price
from tapwright.models.model import Usage

__all__ = ["Budget"]


class Budget:
    """Adds up what is spent from now on; what an earlier start spent is not counted again.

    Answers that are on their way when the limit is reached still come, and are paid for.
    """

    def __init__(self, price: Price | None, limit: float | None) -> None:
        """Take the limit, in the currency of the price.

        Raises:
            PlanError: there is a limit and no price.
        """
        if limit is not None and price is None:
            raise PlanError(
                "a limit on the cost needs the price of tokens",
                hint="--price INPUT,OUTPUT is what a million tokens cost, read and written",
            )
        self._price = price or Price(input=0, output=0)
        self._limit = limit
        self.spent = 0.0

    def add(self, usage: Usage) -> None:
        """Count one answer."""
        self.spent += usage.input_tokens * self._price.input / 1e6
        self.spent += usage.output_tokens * self._price.output / 1e6

    def check(self, out: Path) -> None:
        """Go on only below the limit.

        Raises:
            CostLimitError: it is reached.
        """
        if self._limit is not None and self.spent >= self._limit:
            raise CostLimitError(
                f"{out}: {self.spent:.4g} spent of {self._limit:g}; what was asked is kept",
                hint=f"tapwright eval resume {out} --max-cost {2 * self._limit:g}",
            )
