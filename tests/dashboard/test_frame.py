"""The frame of every page: the link that opens it, the controls, notices and errors."""

from pathlib import Path

import pytest
from streamlit import config
from streamlit.testing.v1 import AppTest

from dashboard import state
from dashboard.controls import GROUPS, NOTHING
from hwplanner.links.link import link_parameters, read_link
from hwplanner.links.names import shipped_names
from hwplanner.quote import Quote
from hwplanner.scenario import FORMER_DEFAULTS, Scenario, controls

APP = Path(__file__).parents[2] / "app.py"
EVERYTHING = Scenario(
    name="Übersetzung & Suche",
    model="llama-3.1-8b",
    parameters_billion=13,
    weight_format="int4",
    context_tokens=16384,
    users=1024,
    tpot_ms=25,
    engine="trtllm",
    cache_format="fp8",
    output_tokens=750,
    prefix_reuse_percent=12.5,
    prefill_chunk_tokens=1024,
    method="lora",
    training_tokens_million=2_000_000,
    offload=True,
    market="spot",
    electricity_usd_per_kwh=0.123,
    plan_date="2027-01-31",
    own_week=tuple(float(165 + hour * 5) for hour in range(168)),
    quotes=(
        Quote(
            device="amd-mi300x",
            kind="purchase",
            amount=10_000,
            currency="EUR",
            usd_per_unit=1.08,
            rate_date="2026-11-02",
            discount_percent=7.5,
            date="2026-11-20",
            note="Händler & Söhne",
        ),
        Quote(device="nvidia-l4", kind="spot", amount=0.2),
    ),
    serve_on="nvidia-h200-sxm",
    all_devices=True,
    devices=("nvidia-h200-sxm", "intel-gaudi3-oam"),
)


def opened(query: dict[str, list[str]] | None = None, *, groups: bool = False) -> AppTest:
    """Open the app at a query, with the groups of the sidebar shut or open."""
    app = AppTest.from_file(APP, default_timeout=60)
    for group in GROUPS:
        app.session_state[f"group_{group}"] = groups
    for key, texts in (query or {}).items():
        app.query_params[key] = texts
    return app.run()


def html(app: AppTest) -> str:
    """What the page says, without its style sheet."""
    bodies = [element.proto.body for element in app.get("html")]
    return " ".join(body for body in bodies if not body.startswith("<style>"))


def scenario(app: AppTest) -> Scenario:
    return app.session_state[state.SCENARIO]


def test_opens_on_the_worked_example() -> None:
    app = opened()
    assert not app.exception
    assert scenario(app) == Scenario()
    assert "hp-error" not in html(app)
    assert read_link(dict(app.query_params)).notes == ()


def test_every_control_is_drawn_under_its_link_key_with_its_help() -> None:
    app = opened(groups=True)
    kinds = ("select_slider", "selectbox", "number_input", "toggle", "text_input", "multiselect")
    drawn = {widget.key: widget for kind in kinds for widget in app.get(kind)}
    for control in controls().values():
        assert drawn[control.key].label == control.label
        assert drawn[control.key].help == ("" if control.is_table else control.help)


def test_a_link_sets_every_control() -> None:
    app = opened(link_parameters(EVERYTHING))
    assert scenario(app) == EVERYTHING
    assert not app.session_state[state.NOTICES]


@pytest.mark.parametrize(
    ("query", "shown", "notice"),
    [
        ({"context": ["16000"]}, Scenario(context_tokens=16384), "16k is used"),
        ({"weights": ["int4"]}, Scenario(weight_format="int4"), ""),
        ({"model": ["meta-llama/Llama-3.1-8B"]}, Scenario(model="llama-3.1-8b"), ""),
        ({"users": ["<script>"]}, Scenario(), "&lt;script&gt;"),
        ({"users": ["8", "16"]}, Scenario(), "given 2 times"),
        ({"kwh": ["nan"]}, Scenario(), "is not a number"),
        ({"devices": ["amd-mi300x", "zx81"]}, Scenario(devices=("amd-mi300x",)), "zx81"),
        ({"nonsense": ["1"]}, Scenario(), "Not an input of the planner"),
        ({"v": ["7"]}, Scenario(), "newer planner"),
        ({"on": ["soon"]}, Scenario(), "“soon” is not a day"),
        ({"quotes": ["AMD MI300X;spot;much"]}, Scenario(), "price 1 is left out: the amount is"),
        ({"date": ["2020-01-01"]}, Scenario(), "catalogue of 2020-01-01"),
    ],
)
def test_what_a_link_cannot_have_is_told_and_the_address_put_right(
    query: dict[str, list[str]], shown: Scenario, notice: str
) -> None:
    app = opened(query)
    assert not app.exception
    assert scenario(app) == shown
    assert notice in html(app)
    again = read_link(dict(app.query_params))
    assert again.scenario == shown
    assert again.notes == ()


def test_a_link_of_version_1_keeps_its_meaning_and_is_written_as_one_of_today() -> None:
    app = opened({"v": ["1"], "quote": ["AMD MI300X"], "qbuy": ["12000"]})
    own = (Quote(device="amd-mi300x", kind="purchase", amount=12_000),)
    assert scenario(app) == Scenario(**FORMER_DEFAULTS[1], quotes=own)
    assert app.query_params["v"] == "2"
    assert app.query_params["server"] == "50"
    assert not app.session_state[state.NOTICES]


def test_a_day_that_is_none_counts_as_no_answer_and_is_said() -> None:
    app = opened(groups=True)
    app.text_input(key="on").set_value("31.1.2027").run()
    assert not app.exception
    assert scenario(app) == Scenario()
    assert "not a day, YYYY-MM-DD" in app.sidebar.caption[0].value
    app.text_input(key="on").set_value("2027-01-31").run()
    assert scenario(app) == Scenario(plan_date="2027-01-31")


def test_notices_stay_until_they_are_dismissed() -> None:
    app = opened({"users": ["many"]})
    assert "hp-notices" in html(app.run())
    app.button[0].click().run()
    assert "hp-notices" not in html(app)


def test_moving_a_control_changes_the_scenario() -> None:
    app = opened(groups=True)
    app.select_slider(key="context").set_value(32768)
    app.number_input(key="kwh").set_value(0.2)
    app.multiselect(key="devices").set_value(["amd-mi300x"])
    app.run()
    assert scenario(app) == Scenario(
        context_tokens=32768, electricity_usd_per_kwh=0.2, devices=("amd-mi300x",)
    )


def test_what_the_address_has_lost_is_written_back() -> None:
    app = opened({"context": ["16k"], "runs": ["0"], "devices": ["AMD MI300X"]})
    shown = scenario(app)
    for key in ("context", "runs", "devices"):
        del app.query_params[key]
    app.run()
    assert scenario(app) == shown != Scenario()
    assert read_link(dict(app.query_params)).scenario == shown


def test_a_shut_group_is_drawn_only_where_it_holds_more_than_defaults() -> None:
    app = opened({"kwh": ["0.2"]})
    drawn = {number.key for number in app.number_input}
    assert "kwh" in drawn
    assert "out" not in drawn
    assert scenario(app.run()) == Scenario(electricity_usd_per_kwh=0.2)


def test_an_emptied_name_becomes_the_default() -> None:
    app = opened()
    app.text_input(key="name").set_value(" ").run()
    assert scenario(app).name == Scenario().name


def test_a_published_model_shows_its_size_and_keeps_the_slider_for_later() -> None:
    app = opened({"params": ["13"]})
    app.selectbox(key="model").set_value("llama-3.1-8b").run()
    fixed = next(slider for slider in app.select_slider if slider.disabled)
    assert fixed.value == pytest.approx(8.03, abs=0.01)
    assert scenario(app).parameters_billion == 13
    app.selectbox(key="model").set_value("").run()
    assert not any(slider.disabled for slider in app.select_slider)
    assert app.select_slider(key="params").value == 13


def test_no_choice_has_a_word_on_the_screen() -> None:
    app = opened(groups=True)
    assert app.selectbox(key="model").options[0] == NOTHING["model"] == "By size"
    assert app.selectbox(key="serveon").options[0] == NOTHING["serve_on"]
    assert len(app.multiselect(key="devices").options) == len(shipped_names().devices)


def _page_with_a_fault() -> None:
    from dashboard import state
    from hwplanner.errors import CatalogError

    with state.calm():
        raise CatalogError("devices.csv line 3, <b>x</b>: memory_gib is 'a'; write a number")


def _page_with_a_bug() -> None:
    from dashboard import state

    with state.calm():
        raise ZeroDivisionError("secret detail")


def test_a_planner_error_is_shown_in_words() -> None:
    shown = html(AppTest.from_function(_page_with_a_fault).run())
    assert "&lt;b&gt;x&lt;/b&gt;: memory_gib" in shown
    assert "<b>x</b>" not in shown


def test_a_bug_is_logged_and_told_calmly(caplog: pytest.LogCaptureFixture) -> None:
    app = AppTest.from_function(_page_with_a_bug).run()
    assert not app.exception
    assert "Something went wrong here" in html(app)
    assert "secret detail" not in html(app)
    assert "secret detail" in caplog.text


def test_streamlit_still_knows_the_hidden_option_that_spares_the_collector() -> None:
    assert config.get_option("runner.postScriptGC") in (True, False)
    assert "postScriptGC = false" in (APP.parent / ".streamlit" / "config.toml").read_text()
