"""The Utilization page: its figures, and a week of one's own drawn or uploaded."""

import pytest
from streamlit.testing.v1 import AppTest

from dashboard import own_week, state
from dashboard.downloads import table_csv
from hwplanner.demand.uploads import read_demand
from hwplanner.links.link import link_parameters, read_link
from hwplanner.report.own_week import week_table
from hwplanner.scenario import Scenario
from tests.dashboard.test_frame import APP, html

HOURS = tuple(float(hour) for hour in range(168))
COUNTS = "hour_of_week,requests\n" + "".join(f"{hour},{3600 * hour}\n" for hour in range(168))
RAMP = tuple(float(round(hour / 167 * 1000)) for hour in range(168))


def opened(scenario: Scenario | None = None) -> AppTest:
    app = AppTest.from_file(APP, default_timeout=60)
    app.query_params.update(link_parameters(scenario or Scenario()))
    app.run()
    app.switch_page("dashboard/pages/utilization.py").run()
    assert not app.exception
    return app


def scenario(app: AppTest) -> Scenario:
    shown: Scenario = app.session_state[state.SCENARIO]
    return shown


def of_link(app: AppTest) -> Scenario:
    """What the address of a page means to somebody who opens it."""
    read = read_link(dict(app.query_params))
    assert read.notes == ()
    return read.scenario


def drawing(app: AppTest) -> AppTest:
    app.session_state["own_week_way"] = own_week.DRAW
    return app.run()


def uploaded(app: AppTest, content: str, name: str = "log.csv") -> AppTest:
    app.session_state["own_week_way"] = own_week.UPLOAD
    app.run()
    app.file_uploader(key="demand_file").set_value((name, content.encode(), "text/csv"))
    app.run()
    assert not app.exception
    return app


def keys(app: AppTest, kind: str) -> set[str]:
    return {element.key for element in app.get(kind)}


def test_the_page_says_how_busy_the_fleet_is_and_offers_the_data() -> None:
    app = opened(Scenario(shape="office"))
    shown = html(app)
    assert "quiet hours leave" in shown
    for label in ("Busiest hour", "Devices then", "At work", "Idle", "Requests"):
        assert f"<dt>{label}</dt>" in shown
    assert "Demand and the fleet" in shown
    assert "hp-error" not in shown
    tables = {"week_csv", "day_csv", "fleet_week_csv", "demand_csv", "busy_csv", "energy_csv"}
    assert tables <= keys(app, "download_button")


def test_a_shape_in_utc_is_shown_on_the_clock_of_the_users() -> None:
    assert "Hours: Asia/Tokyo, UTC+9." in html(opened(Scenario(time_zone="Asia/Tokyo")))


def test_nothing_is_shown_to_load_where_no_device_holds_the_model() -> None:
    app = opened(Scenario(model="llama-3.1-405b", devices=("nvidia-l4",)))
    assert "Nothing to load" in html(app)
    assert not app.data_editor


def test_an_own_week_that_is_missing_is_told_and_taken_as_flat() -> None:
    app = opened(Scenario(shape="own"))
    assert "No week of your own is drawn or uploaded yet" in html(app)
    assert "headroom leaves" in html(app)


def test_the_table_to_draw_in_begins_with_the_week_on_the_screen() -> None:
    app = drawing(opened(Scenario(shape="office")))
    [editor] = app.data_editor
    table = editor.value
    assert list(table.columns) == ["Hour", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    assert len(table) == 24
    assert table["Mon"].tolist()[6:9] == [5, 40, 100]
    assert table["Sun"].max() == 10


def test_what_is_drawn_is_used_and_survives_the_link() -> None:
    app = drawing(opened(Scenario(shape="flat")))
    app.session_state[app.data_editor[0].key] = {
        "edited_rows": {"3": {"Mon": 25.0, "Sun": 0.0}, "9": {"Wed": 200.0}},
        "added_rows": [],
        "deleted_rows": [],
    }
    app.run()
    app.button(key="use_drawn").click().run()
    assert not app.exception
    week = scenario(app).own_week
    assert scenario(app).shape == "own"
    assert (week[3], week[6 * 24 + 3], week[2 * 24 + 9], week[0]) == (125, 0, 1000, 500)
    assert of_link(app) == scenario(app)
    # whoever opens the link finds the same table
    again = drawing(opened(of_link(app)))
    assert again.data_editor[0].value["Mon"].tolist()[2:5] == [50, 12.5, 50]
    assert "The plan uses this week." in html(again)
    assert "use_drawn" not in keys(again, "button")


@pytest.mark.parametrize(
    ("cells", "fault"),
    [
        ({"3": {"Tue": None}}, "Tue 3:00 has no number of 0 or more"),
        ({"4": {"Sat": -1.0}}, "Sat 4:00 has no number of 0 or more"),
    ],
)
def test_a_cell_that_is_no_demand_is_named(cells: dict[str, object], fault: str) -> None:
    app = drawing(opened())
    app.session_state[app.data_editor[0].key] = {
        "edited_rows": cells, "added_rows": [], "deleted_rows": [],
    }  # fmt: skip
    app.run()
    assert fault in html(app)
    assert "use_drawn" not in keys(app, "button")


def test_a_file_is_shown_before_it_is_used() -> None:
    app = uploaded(opened(), COUNTS)
    shown = html(app)
    assert "Read 168 lines; 168 of 168 hours of the week are covered." in shown
    assert "The busiest hour is Sun 23:00 with 167" in shown
    assert scenario(app) == Scenario()
    assert "uploaded_week_csv" in keys(app, "download_button")
    app.button(key="use_uploaded").click().run()
    assert scenario(app) == Scenario(shape="own", own_week=RAMP)
    assert of_link(app) == scenario(app)
    assert "The plan uses this week." in html(app)
    assert "Your own week. Hours: local time." in html(app)


def test_users_and_bursts_follow_the_file_if_asked_to() -> None:
    minutes = [f"2026-11-30 {h:02}:{m:02}:00" for h in range(24) for m in range(60)]
    rows = [time for time in minutes for _ in range(120 if time < "2026-11-30 12" else 60)]
    rows += ["2026-11-30 05:30:00"] * 60
    app = uploaded(opened(), "\n".join([*rows, "2026-12-01 00:00:00"]))
    # 2 requests a second from users who ask every 20 s: at least 40 of them, a choice of the slider
    app.checkbox(key="use_users").check()
    app.checkbox(key="use_burst").check()
    app.run()
    app.button(key="use_uploaded").click().run()
    assert not app.exception
    assert (scenario(app).users, scenario(app).burst_factor) == (48, 1.5)
    assert of_link(app) == scenario(app)


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("", "The file is empty"),
        ("time,count\n2026-11-30 10:00,-3\n", "Line 2: &#x27;-3&#x27; is no count; write a number"),
        ("Dear all,\nplease\n", "The file has no column of times"),
    ],
)
def test_a_file_that_cannot_be_used_is_told_and_leaves_the_plan_alone(
    content: str, fault: str
) -> None:
    app = uploaded(opened(), content)
    assert "This file cannot be used" in html(app)
    assert fault in html(app)
    assert "use_uploaded" not in keys(app, "button")
    assert scenario(app) == Scenario()


def test_a_file_is_read_once_and_anew_in_another_time_zone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    zones: list[str] = []
    read = own_week.read_demand

    def noted(content: bytes, time_zone: str) -> object:
        zones.append(time_zone)
        return read(content, time_zone)

    monkeypatch.setattr(own_week, "read_demand", noted)
    app = uploaded(opened(Scenario(time_zone="Asia/Tokyo")), COUNTS)
    app.select_slider(key="context").set_value(16384).run()
    assert zones == ["Asia/Tokyo"]
    app.selectbox(key="zone").set_value("Europe/Paris").run()
    assert zones == ["Asia/Tokyo", "Europe/Paris"]


@pytest.mark.parametrize("heading", ["requests", "relative_load"])
def test_the_downloaded_week_can_be_uploaded_again(heading: str) -> None:
    origin = (("Scenario", "Support assistant"), ("Catalogue", "2026-11-30"))
    rows = "".join(f"{h},{1000 + h}\n" for h in range(168))
    found = read_demand(f"hour_of_week,{heading}\n{rows}".encode(), "UTC")
    again = read_demand(table_csv(week_table(found), origin), "Asia/Tokyo")
    assert again.week == pytest.approx(found.week)
    assert again.are_requests == found.are_requests
