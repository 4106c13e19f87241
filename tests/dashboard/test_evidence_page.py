"""The Evidence page and its filters."""

from collections.abc import Iterator

import pytest
from streamlit.testing.v1 import AppTest

from hwplanner.report import evidence_tables
from tests.dashboard.test_frame import APP, html
from tests.report.published_sample import sample


@pytest.fixture(autouse=True)
def _sample(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(evidence_tables, "stored", sample)
    evidence_tables.checks.cache_clear()
    yield
    evidence_tables.checks.cache_clear()


def opened() -> AppTest:
    app = AppTest.from_file(APP, default_timeout=60).run()
    return app.switch_page("dashboard/pages/evidence.py").run()


def test_the_page_opens_with_its_finding_and_the_runs_like_the_scenario() -> None:
    app = opened()
    assert not app.exception
    shown = html(app)
    assert "half of 40 published figures lie within" in shown
    assert "Runs like yours: serving" in shown
    assert "measured nearby" in shown
    assert "hp-error" not in shown


def test_a_filter_leaves_the_runs_that_it_names() -> None:
    app = opened()
    app.selectbox(key="evidence_throughput_device").set_value("AMD Instinct MI300X").run()
    assert not app.exception
    assert "half of 20 published figures" in html(app)
    app.selectbox(key="evidence_throughput_mode").set_value("everything queued").run()
    assert "half of 10 published figures" in html(app)


@pytest.mark.parametrize("figure", evidence_tables.CHECKED)
def test_every_figure_can_be_shown(figure: str) -> None:
    app = opened()
    app.session_state["evidence_figure"] = figure
    app.run()
    assert not app.exception
    assert f"{evidence_tables.CHECKED[figure].label}: half of 40" in html(app)


@pytest.mark.parametrize("heading", evidence_tables.HEADINGS)
def test_scores_can_be_grouped(heading: str) -> None:
    app = opened()
    app.session_state["evidence_by"] = heading
    app.run()
    assert not app.exception
    assert "All" in html(app)
