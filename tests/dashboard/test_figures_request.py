"""What a request is paid for, and one's own devices against an API."""

import pytest

from dashboard.figures import request_cost, traffic
from dashboard.figures.palette import DARK, LIGHT
from hwplanner.report.tables import REQUEST_PARTS
from hwplanner.wording import SPACE
from tests.dashboard.examples import FRAME, REQUEST, TRAFFIC, shown, trace


def test_bars_stack_the_parts_to_the_cost() -> None:
    bars = trace(request_cost.figure(REQUEST[:1], FRAME), type="bar")
    assert list(bars.x) == list(REQUEST[0].parts_usd.values())
    assert list(bars.base) == pytest.approx([0, 0.003, 0.005, 0.006, 0.0065])
    assert f"NVIDIA H200 SXM 141GB{SPACE}×2" in shown(request_cost.figure(REQUEST, FRAME))
    assert "KV cache $0.002, 20%" in shown(request_cost.figure(REQUEST, FRAME))


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_every_part_of_a_request_has_a_colour_of_its_own(palette: object) -> None:
    colours = [palette.cost_part(part) for part in REQUEST_PARTS]
    assert len(set(colours)) == len(REQUEST_PARTS)
    assert colours[:2] == [palette.weights, palette.kv_cache]


def test_a_cost_off_the_axis_is_marked_and_said() -> None:
    fig = request_cost.figure(REQUEST, FRAME)
    # Three times the chosen device's cent, and a little room.
    assert fig.layout.xaxis.range[1] == pytest.approx(0.0312)
    assert "$0.08 →, too slow, 74 ms a token" in shown(fig)
    assert "<b>$0.01</b>" in shown(fig)
    assert "<i>no price known</i>" in shown(fig)
    # Five parts, four of a device whose decoding takes no time, five of one that is too slow.
    assert list(trace(fig, type="bar").marker.opacity) == [1.0] * 9 + [0.35] * 5


def test_parts_in_words_and_as_data() -> None:
    words = request_cost.alt_text(REQUEST)
    assert "NVIDIA H200 SXM 141GB ×2 $0.01, most of it idle" in words
    assert "Apple M3 Ultra ×1 no price known" in words
    first, *_, last = request_cost.data_table(REQUEST).rows
    assert first["request_usd"] == pytest.approx(0.01)
    assert (first["kv_cache_usd"], first["held_usd"]) == (0.002, 0.0015)
    assert last["request_usd"] is last["weights_usd"] is last["held_usd"] is None


def test_lines_against_traffic_are_the_rows() -> None:
    fig = traffic.figure(TRAFFIC, FRAME, break_even=1e5, planned=3e5)
    own, api = trace(fig, name="NVIDIA H200 SXM 141GB, owned"), trace(fig, name="API")
    assert tuple(own.y) == TRAFFIC[0].usd
    assert (own.line.width, api.line.dash) == (3, "dash")
    assert not [line for line in fig.data if line.name == TRAFFIC[1].label]  # it has no price
    ring = trace(fig, mode="markers")
    assert (ring.x[0], ring.y[0]) == pytest.approx((1e5, 12))
    assert "<b>100k a month</b>" in shown(fig)
    [rule] = fig.layout.shapes
    assert rule.x0 == rule.x1 == 3e5
    assert "planned" in shown(fig)


def test_without_a_break_even_there_is_no_ring() -> None:
    fig = traffic.figure(TRAFFIC, FRAME)
    assert not [line for line in fig.data if line.mode == "markers"]
    assert not fig.layout.shapes


def test_costs_far_above_the_api_run_off_the_axis() -> None:
    fig = traffic.figure(TRAFFIC, FRAME)
    assert 10 ** fig.layout.yaxis.range[1] == pytest.approx(20 * 12)


def test_traffic_in_words_and_as_data() -> None:
    words = traffic.alt_text(TRAFFIC, break_even=1e5, planned=3e5)
    assert "NVIDIA H200 SXM 141GB, owned $900 at 1k requests a month and $2.00 at 1M" in words
    assert "NVIDIA H200 SXM 141GB, rented has no price" in words
    assert words.endswith("stays cheaper than the API from 100k; 300k are planned.")
    rows = traffic.data_table(TRAFFIC).rows
    assert len(rows) == 12
    assert rows[2] == pytest.approx(
        {
            "way": TRAFFIC[0].label,
            "requests_per_month": 1e5,
            "low_usd": 7.2,
            "usd": 9,
            "high_usd": 10.8,
        }
    )
