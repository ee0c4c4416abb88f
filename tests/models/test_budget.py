"""A limit on the cost is kept, or it is said that it cannot be."""

import warnings

import pytest

from tapwright.errors import TapwrightError
from tapwright.models.errors import BudgetWarning
from tapwright.models.model import Usage
from tapwright.models.pricing import Budget, Price

PRICE = Price(input=1_000_000, output=1_000_000)


def test_a_server_that_tells_no_usage_ends_a_limited_run_and_is_told_once() -> None:
    budget = Budget(PRICE, 5.0)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        budget.add(Usage())
        budget.add(Usage())
    assert [one.category for one in told] == [BudgetWarning]
    with pytest.raises(TapwrightError, match="tells no usage") as caught:
        budget.check()
    assert "--limit" in caught.value.hint


def test_an_answer_without_usage_among_others_costs_as_they_did() -> None:
    budget = Budget(PRICE, 5.0)
    budget.add(Usage(1, 1))
    budget.add(Usage())
    budget.check()
    assert budget.spent == 4.0


@pytest.mark.parametrize("budget", [Budget(PRICE, None), Budget(Price(input=0, output=0), 1.0)])
def test_without_a_limit_or_a_price_no_usage_is_no_matter(budget: Budget) -> None:
    budget.add(Usage())
    budget.check()
