"""Pages that show power and software: figures with units, and a table that can be filtered."""

import html as entities
import re

from streamlit.testing.v1 import AppTest

from hwplanner.report.energy import energy_table
from hwplanner.report.reference_tables import software_names, software_table
from tests.dashboard.test_frame import html, opened
from tests.plans import plan_of


def page(name: str, query: dict[str, list[str]] | None = None) -> AppTest:
    return opened(query).switch_page(f"dashboard/pages/{name}.py").run()


def text(app: AppTest) -> str:
    """Words of the page, without tags and with ordinary spaces."""
    words = re.sub(r"<[^>]+>", " ", html(app))
    return re.sub(r"\s+", " ", entities.unescape(words))


def test_utilization_tells_power_and_energy_with_their_range() -> None:
    app = page("utilization")
    assert not app.exception
    said = text(app)
    assert "Power and energy" in said
    assert re.search(r"Output token [\d.]+ J \([\d.]+–[\d.]+ J\) on the devices", said)
    assert re.search(r"Request [\d.]+ Wh \([\d.]+–[\d.]+ Wh\) on the devices", said)
    assert "On the devices: the boards alone" in said


def test_a_power_cap_of_a_link_is_planned_with() -> None:
    app = page("utilization", {"v": ["1"], "cap": ["200"]})
    assert not app.exception
    assert "without the cap of 200 W" in text(app)


def test_cost_has_a_row_of_energy_for_every_device() -> None:
    app = page("cost")
    app.session_state["cost_Power and energy"] = True
    app.run()
    assert not app.exception
    (table,) = app.dataframe
    assert len(table.value) == len(energy_table(plan_of()).rows) > 10


def test_the_table_of_software_is_filtered_by_job_and_engine() -> None:
    app = page("catalogue")
    assert not app.exception
    whole = len(software_table().rows)
    assert len(software_names()) > 8
    app.selectbox(key="software_job").select("training").run()
    assert not app.exception
    assert len(software_table(job="training").rows) < whole
    app.selectbox(key="software_engine").select("sglang").run()
    assert not app.exception
    assert "No statement" in text(app)
    app.selectbox(key="software_job").select("").run()
    assert "No statement" not in text(app)
