import numpy as np
import pytest

from hwplanner.physics.time_parts import TimeParts


def parts(*rows: float) -> TimeParts:
    return TimeParts(*(np.array([[row, 2 * row], [3 * row, 4 * row]]) for row in rows))


def test_the_total_is_the_sum_of_the_parts() -> None:
    assert parts(1, 10, 100, 1000).total.tolist() == [[1111, 2222], [3333, 4444]]


def test_parts_stay_apart_in_sums_and_multiples() -> None:
    both = parts(1, 2, 3, 4) + parts(10, 20, 30, 40) * 2
    assert (both.compute[0, 0], both.overhead[0, 0]) == (21, 84)
    assert both.total[1, 1] == pytest.approx(4 * (10 + 2 * 100))


def test_one_layout_is_kept_for_each_device() -> None:
    kept = parts(1, 0, 0, 0).take(np.array([1, 0]))
    assert kept.total.tolist() == [[2], [3]]
    assert kept.flat().total.tolist() == [2, 3]


def test_a_part_that_is_the_same_everywhere_may_be_a_single_number() -> None:
    mixed = TimeParts(np.ones((2, 2)), np.zeros(1), np.array([[5.0], [7.0]]), np.zeros(1))
    assert mixed.take(np.array([0, 1])).communication.tolist() == [[5], [7]]
