"""A price of one's own: what it is in dollars, and what is refused."""

import pytest
from pydantic import ValidationError

from hwplanner.quote import DECIMALS, Quote

GOOD = {"device": "nvidia-l4", "kind": "on_demand", "amount": 2.0}


@pytest.mark.parametrize(
    ("changes", "usd"),
    [
        ({}, 2.0),
        ({"discount_percent": 25}, 1.5),
        ({"currency": "EUR", "usd_per_unit": 1.25}, 2.5),
        ({"currency": "JPY", "usd_per_unit": 0.0067, "amount": 1000, "discount_percent": 50}, 3.35),
    ],
)
def test_a_price_in_dollars_by_hand(changes: dict[str, object], usd: float) -> None:
    assert Quote(**GOOD | changes).usd == pytest.approx(usd)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"amount": 0}, "greater than 0"),
        ({"amount": float("inf")}, "finite"),
        ({"amount": 2e9}, "less than or equal"),
        ({"kind": "gift"}, "Input should be"),
        ({"device": ""}, "at least 1"),
        ({"currency": "eur", "usd_per_unit": 1.1}, "match pattern"),
        ({"currency": "EUR", "usd_per_unit": 0}, "greater than 0"),
        ({"usd_per_unit": 1.1}, "a US dollar is one US dollar"),
        ({"discount_percent": 100}, "less than 100"),
        ({"discount_percent": -1}, "greater than or equal"),
        ({"date": "20.11.2026"}, "isoformat"),
        ({"rate_date": "2026-02-30"}, "out of range"),
        ({"note": "x" * 41}, "at most 40"),
        ({"provider": "Acme"}, "Extra inputs"),
    ],
)
def test_a_price_that_means_nothing_is_refused(changes: dict[str, object], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        Quote(**GOOD | changes)


def test_numbers_are_kept_as_a_link_can_hold_them() -> None:
    third = Quote(**GOOD | {"amount": 10 / 3})
    assert third.amount == 3.3333333333
    assert DECIMALS == 10
