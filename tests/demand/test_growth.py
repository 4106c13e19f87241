"""Growth from month to month."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwplanner.demand.growth import growth_factors


def test_ten_percent_a_month_more_than_triple_a_year() -> None:
    assert growth_factors(10, 13)[12] == pytest.approx(3.138428376721)  # 1.1 to the 12th


def test_without_growth_every_month_is_the_first() -> None:
    assert growth_factors(0, 120).tolist() == [1.0] * 120


@given(percent=st.floats(-20, 50), months=st.integers(1, 120))
def test_every_month_grows_by_the_same(percent: float, months: int) -> None:
    factors = growth_factors(percent, months)
    assert factors[0] == 1
    assert len(factors) == months
    assert factors[1:] == pytest.approx(factors[:-1] * (1 + percent / 100))
    assert np.isfinite(factors).all()
