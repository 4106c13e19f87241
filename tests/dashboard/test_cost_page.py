"""The Cost page: what a request is paid for, and an API beside one's own devices."""

import html as entities
import re

from streamlit.testing.v1 import AppTest

from hwplanner.finance.ways import ways_to_pay
from tests.dashboard.test_frame import html, opened
from tests.plans import plan_of


def cost_page(**query: str) -> AppTest:
    asked = {key: [text] for key, text in query.items()}
    return opened(asked).switch_page("dashboard/pages/cost.py").run()


def text(app: AppTest) -> str:
    """Words of the page, without tags and with ordinary spaces."""
    words = re.sub(r"<[^>]+>", " ", html(app))
    return re.sub(r"\s+", " ", entities.unescape(words))


def charts(app: AppTest) -> set[str]:
    """Keys of the charts on the page, without their theme."""
    return {chart.proto.id.rsplit("-", 2)[-2] for chart in app.get("plotly_chart")}


def test_a_request_is_parted_and_an_api_price_asked_for() -> None:
    app = cost_page()
    assert not app.exception
    said = text(app)
    assert re.search(r"Of \$[\d.]+ a request on .+?, \d+% pays for", said)
    assert re.search(r"KV cache Read for each token .+? \$[\d.]+ \d+%", said)
    assert "No API price yet" in said
    assert "under Money" in said
    assert any("request_cost" in key for key in charts(app))
    assert not any("traffic" in key for key in charts(app))


def test_both_prices_of_an_api_are_compared() -> None:
    app = cost_page(v="2", apiin="0.2", apiout="0.8")
    assert not app.exception
    said = text(app)
    assert "No API price yet" not in said
    assert re.search(r"Own is cheaper from [\d.]+\w? requests a month on", said)
    assert "charge the whole prompt in full" in said
    assert any("traffic" in key for key in charts(app))


def test_one_price_alone_is_not_compared() -> None:
    said = text(cost_page(v="2", apiin="0.2"))
    assert "One API price is missing" in said
    assert "API price, output" in said


def test_where_nothing_fits_the_page_stays_calm() -> None:
    app = cost_page(
        v="2", model="llama-3.1-405b", weights="bf16", devices="nvidia-l4", apiin="1", apiout="1"
    )
    assert not app.exception
    assert "No device that serves has a known price" in text(app)
    assert "There is no cost to compare with" in text(app)


def test_every_way_of_paying_is_drawn_and_opens_to_its_figures() -> None:
    app = cost_page()
    assert "Rent on the spot market” is the cheapest at" in text(app)
    app.session_state["ways_serving_panel"] = True
    app.run()
    assert not app.exception
    (table,) = app.dataframe
    assert len(table.value) == len(ways_to_pay(plan_of(), "serving", plan_of().serving_choice))


def test_without_runs_there_is_no_way_to_pay_for_training() -> None:
    app = cost_page(v="2", runs="0")
    assert not app.exception
    assert "for serving:" in text(app)
    assert "for training:" not in text(app)
