"""The Prices page: prices in use, the reader's own, and how an edit reaches plan and link.

The simulated app cannot type into a table. Edits are therefore given as the editor reports them,
and a button stands in for the moment at which it does; tests/browser types for real.
"""

from collections.abc import Callable
from typing import Any

import pytest
import streamlit as st
from hypothesis import given
from hypothesis import strategies as st_
from streamlit.testing.v1 import AppTest

from dashboard import price_editor
from hwplanner.links.link import link_parameters, read_link
from hwplanner.links.names import shipped_names
from hwplanner.quote import Quote
from hwplanner.report.own_prices import price_row, read_price_rows
from hwplanner.scenario import Scenario
from tests.dashboard.test_frame import opened, scenario
from tests.dashboard.test_power_and_software import text

PAGE = "dashboard/pages/prices.py"
OWN = Quote(device="amd-mi300x", kind="purchase", amount=12_000, date="2026-11-02", note="Acme")


def page(*quotes: Quote) -> AppTest:
    """The page, opened by a link with these prices."""
    return opened(link_parameters(Scenario(quotes=quotes))).switch_page(PAGE).run()


@pytest.fixture
def edit(monkeypatch: pytest.MonkeyPatch) -> Callable[[AppTest, dict[str, Any]], AppTest]:
    """Edit the table of an open page."""
    changes: dict[str, Any] = {}

    def editor(data: object, *, key: str, on_change: Any, args: Any, **_: object) -> None:
        st.session_state[key] = changes if changes else {}
        st.button("Edited", on_click=on_change, args=args, key="edited")

    monkeypatch.setattr(st, "data_editor", editor)

    def run(app: AppTest, made: dict[str, Any]) -> AppTest:
        changes.clear()
        changes.update(made)
        return app.run().button(key="edited").click().run()

    return run


def test_the_page_says_whose_prices_the_plan_rests_on() -> None:
    app = page(OWN)
    assert not app.exception
    said = text(app)
    assert "prices in use, 1 is yours and" in said
    assert "$12k ✓ yours" in said
    assert "older than 6 months" in said
    assert "Electricity ($/kWh)" in said
    assert "EIA, Electric Power Monthly" in said


def test_ways_to_pay_can_be_shown_and_hidden() -> None:
    app = page()
    assert "assumed discount · " not in text(app)
    app.button_group(key="price_ways_neocloud").set_value(["reserved_3y"]).run()
    assert not app.exception
    assert "assumed discount · " in text(app)
    app.button_group(key="price_ways_neocloud").set_value([]).run()
    assert not app.exception


def test_a_published_price_becomes_ones_own_by_one_click_and_changes_nothing() -> None:
    app = page()
    app.selectbox(key="price_of").set_value("amd-mi355x")
    app.selectbox(key="price_kind").set_value("on_demand").run()
    press(app, "Edit the published price")
    (quote,) = scenario(app).quotes
    assert (quote.device, quote.kind, quote.amount) == ("amd-mi355x", "on_demand", 3.45)
    assert read_link(dict(app.query_params)).scenario.quotes == (quote,)
    assert "1 is yours" in text(app)


def test_what_nobody_publishes_is_not_offered_for_editing() -> None:
    app = page()
    app.selectbox(key="price_of").set_value("google-tpu-v7").run()
    assert button(app, "Edit the published price").disabled


def test_an_edit_reaches_the_plan_and_the_link(edit: Callable[..., AppTest]) -> None:
    app = edit(page(OWN), {"edited_rows": {0: {"amount": 9000, "discount_percent": 10}}})
    assert not app.exception
    changed = OWN.model_copy(update={"amount": 9000.0, "discount_percent": 10.0})
    assert scenario(app).quotes == (changed,)
    assert read_link(dict(app.query_params)).scenario.quotes == (changed,)
    assert "$8,100 ✓ yours" in text(app)


def test_rows_are_added_and_deleted(edit: Callable[..., AppTest]) -> None:
    added = {
        "device": "NVIDIA L4",
        "kind": "Rent on demand",
        "amount": 0.4,
        "currency": "EUR",
        "usd_per_unit": 1.1,
        "rate_date": "2026-11-02",
    }
    app = edit(page(OWN), {"deleted_rows": [0], "added_rows": [added]})
    assert scenario(app).quotes == (
        Quote(
            device="nvidia-l4",
            kind="on_demand",
            amount=0.4,
            currency="EUR",
            usd_per_unit=1.1,
            rate_date="2026-11-02",
        ),
    )
    assert "$0.44 ✓ yours" in text(app)


def test_a_row_that_cannot_be_used_is_told_and_costs_no_other(edit: Callable[..., AppTest]) -> None:
    added = {"device": "NVIDIA L4", "kind": "Spot", "amount": -1, "currency": "USD"}
    app = edit(page(OWN), {"added_rows": [added]})
    assert not app.exception
    assert scenario(app).quotes == (OWN,)
    assert "Row 2, Amount: -1 is not above 0; write the price of one device" in text(app)


@given(st_.lists(st_.sampled_from(["a", "b", "c"]), max_size=4), st_.data())
def test_edits_are_applied_as_the_editor_reports_them(values: list[str], data: Any) -> None:
    rows = [{"value": value} for value in values]
    places = st_.sampled_from(range(len(rows))) if rows else st_.nothing()
    deleted = data.draw(st_.lists(places, unique=True))
    edited = data.draw(st_.dictionaries(places, st_.just({"value": "new"})))
    after = price_editor.rows_after(
        rows, {"edited_rows": edited, "deleted_rows": deleted, "added_rows": [{"value": "last"}]}
    )
    kept = [at for at in range(len(rows)) if at not in deleted]
    assert [row["value"] for row in after] == [
        *("new" if at in edited else values[at] for at in kept),
        "last",
    ]


def test_the_table_that_is_shown_means_what_the_link_says() -> None:
    row = price_row(OWN, shipped_names())
    assert read_price_rows([row], shipped_names()).quotes == (OWN,)


def button(app: AppTest, label: str) -> Any:
    (found,) = (found for found in app.button if found.label == label)
    return found


def press(app: AppTest, label: str) -> None:
    button(app, label).click().run()
