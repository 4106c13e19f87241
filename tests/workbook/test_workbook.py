"""The workbook as an office program and as a hostile reader would find it."""

from __future__ import annotations

import html
import io
import re
import zipfile
from functools import cache
from xml.etree import ElementTree

import numpy as np
import pytest
from openpyxl.workbook import Workbook
from openpyxl.worksheet.worksheet import Worksheet

from hwplanner.plan import Plan
from hwplanner.quote import Quote
from hwplanner.workbook import workbook
from hwplanner.workbook.book import OPTION_SHEETS
from hwplanner.workbook.prices_page import PURCHASE, RENT
from tests.plans import SMALL, option, plan_of, small_plan
from tests.workbook.office import emptied, formulas, named, opened, row_of, saved, worked_out

LINK = "https://planner.example/?v=2"
ORIGIN = (("Scenario", "Support assistant"), ("Basis", "estimated"), ("Link", LINK))
MONTHS = slice(2, None)
"""Cells of the months in a row of an option, after its unit and total."""
EDITED = {
    "depreciation_years": 2,
    "residual_percent": 35,
    "cost_of_capital_percent": 4,
    "server_percent": 60,
    "network_percent": 7,
    "install_percent": 2,
    "electricity_usd_per_kwh": 0.31,
    "pue": 1.2,
    "colocation_usd_per_kw_month": 170,
    "colocation_has_power": False,
    "maintenance_percent": 8,
    "staff_usd_per_device_year": 2500,
    "licence_usd_per_device_year": 4500,
    "rent_change_percent_per_year": -15,
}
"""Every input that formulas use, changed."""
NAMES = {
    "residual_percent": "residual_value",
    "cost_of_capital_percent": "cost_of_capital",
    "server_percent": "servers",
    "network_percent": "network",
    "install_percent": "installation",
    "maintenance_percent": "maintenance_per_year",
    "rent_change_percent_per_year": "rent_change_per_year",
}
SHOWN = ("growing", "renewed", "complete", "rented_only", "nothing")
NAME = "=1+1 & <b>🦙</b> a/b"
HOSTILE = (
    "=1+1",
    "@SUM(1)",
    "+cmd|' /C calc'!A0",
    "x" * 40_000,
    "🦙 & <b>\"'</b> ]]>",
    "a/b\\c:d?*[e]",
    "\x00\x07 bell",
    "&P&N&[Page]",
    "",
)


@cache
def plans() -> dict[str, Plan]:
    """Plans that between them have every kind of row."""
    own = (
        Quote(device="round", kind="purchase", amount=9000, currency="EUR", usd_per_unit=1.2,
              discount_percent=10, date="2026-10-01", note="=HYPERLINK(1)"),
        Quote(device="round", kind="reserved_1y", amount=1.5),
    )  # fmt: skip
    return {
        "growing": plan_of(growth_percent_per_month=3, rent_change_percent_per_year=-10),
        # Renewed twice; rents are agreed anew each year; peaks are rented elsewhere.
        "renewed": small_plan(
            purchase=10_000, rent=1.5, quotes=own, depreciation_years=2, horizon_months=60,
            market="reserved_1y", rent_change_percent_per_year=20, cost_of_capital_percent=0,
            colocation_usd_per_kw_month=150, growth_percent_per_month=2, users=256,
            shape="azure_code",
        ),
        "complete": plan_of(
            **SMALL, devices=("nvidia-dgx-spark-gb10",), users=1, colocation_usd_per_kw_month=150,
            colocation_has_power=False, licence_usd_per_device_year=500,
        ),
        "rented_only": small_plan(rent=2.0, runs_per_month=0),
        "nothing": small_plan(),
        "before": small_plan(purchase=10_000, rent=3.0),
        "after": small_plan(purchase=10_000, rent=3.0, **EDITED),
        "repriced": small_plan(purchase=12_000, rent=3.3),
    }  # fmt: skip


def contents(data: bytes) -> dict[str, bytes]:
    """Parts of a file."""
    with zipfile.ZipFile(io.BytesIO(data)) as parts:
        return {name: parts.read(name) for name in parts.namelist()}


def head_of(summary: Worksheet) -> list[object]:
    """Names of the options, at the places of their numbers in a row."""
    (head,) = (row[1:] for row in summary.iter_rows(values_only=True) if row[1] == "Unit")
    return list(head)


@cache
def file(name: str) -> bytes:
    return workbook(plans()[name], ORIGIN)


def edited() -> bytes:
    """The workbook of one plan with the inputs of another typed in."""
    book = opened(file("before"))
    for name, value in EDITED.items():
        is_share = name in NAMES
        named(book, NAMES.get(name, name)).value = value / 100 if is_share else value
    return saved(book)


def repriced() -> bytes:
    """The same workbook with both prices of its device typed in."""
    book = opened(file("before"))
    (row,) = (row for row in book["Prices"].iter_rows() if row[PURCHASE].value == 10_000)
    row[PURCHASE].value, row[RENT].value = 12_000, 3.3
    return saved(book)


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Workbook]:
    """Files without any stored value, as LibreOffice works them out."""
    files = {name: emptied(file(name)) for name in SHOWN}
    hostile = workbook(small_plan(rent=2.0, name=NAME), ORIGIN)
    files |= {"edited": edited(), "repriced": repriced(), "hostile": hostile}
    return worked_out(tmp_path_factory.mktemp("office"), files)


@pytest.mark.parametrize("name", SHOWN)
def test_every_formula_gives_the_value_that_the_file_holds(
    office: dict[str, Workbook], name: str
) -> None:
    held, found = opened(file(name), values=True), office[name]
    cells = [(sheet.title, cell.coordinate) for sheet, cell in formulas(opened(file(name)))]
    assert len(cells) > 100
    stored = np.array([held[sheet][cell].value for sheet, cell in cells], dtype=float)
    values = [found[sheet][cell].value for sheet, cell in cells]
    faulty = [place for place, value in zip(cells, values, strict=True) if isinstance(value, str)]
    assert faulty == []
    assert np.array(values, dtype=float) == pytest.approx(stored, rel=1e-6, abs=1e-6)


def assert_is_plan(book: Workbook, plan: Plan) -> None:
    """Hold each option's cash, cost and totals against the plan's."""
    options = [(one, one.ledger) for one in plan.options if one.ledger]
    assert options
    for one, ledger in options:
        sheet, summary = book[OPTION_SHEETS[one.key]], book["Summary"]
        months = ledger.months
        for label, by_month in (
            ("Cash", ledger.cash_usd),
            ("Cost: rent, running, depreciation, interest", ledger.cost_usd),
            ("Cash so far", np.cumsum(ledger.cash_usd)),
        ):
            assert row_of(sheet, label)[MONTHS][:months] == pytest.approx(by_month, rel=1e-6)
        column = head_of(summary).index(one.label)
        total = one.usd_per_year.typical * months / 12
        for label, value in (
            ("Cost", total),
            ("Cash", ledger.total_cash_usd),
            ("Not yet paid off at the end", ledger.left_usd),
            ("Net present cost", ledger.net_present_cost_usd),
        ):
            found = row_of(summary, label)[column]
            assert found == pytest.approx(value, rel=1e-6, abs=1e-6), (one.key, label)


@pytest.mark.parametrize("name", SHOWN[:-1])
def test_totals_and_months_are_those_of_the_plan(office: dict[str, Workbook], name: str) -> None:
    assert_is_plan(office[name], plans()[name])


def test_inputs_typed_into_the_file_give_the_plan_of_these_inputs(
    office: dict[str, Workbook],
) -> None:
    before, after = plans()["before"], plans()["after"]
    for key in OPTION_SHEETS:
        # The devices stay, or the file could not follow.
        fleets = [option(plan, key).ledger for plan in (before, after)]
        if fleets[0] is not None:
            assert [f.devices.tolist() for f in fleets[0].fleets] == [
                f.devices.tolist() for f in fleets[1].fleets
            ]
    assert_is_plan(office["edited"], after)
    changes = row_of(office["edited"]["Summary"], "Change since, by edits in this file")[1:]
    assert all(abs(change) > 1 for change in changes if isinstance(change, (int, float)))


def test_prices_typed_into_the_file_give_the_plan_of_these_prices(
    office: dict[str, Workbook],
) -> None:
    assert_is_plan(office["repriced"], plans()["repriced"])


def test_parts_sum_to_the_cost_and_years_to_the_cash(office: dict[str, Workbook]) -> None:
    summary = office["growing"]["Summary"]
    parts = [
        row_of(summary, part)[1:]
        for part in ("Depreciation and interest", "Energy", "Colocation", "Maintenance", "Staff",
                     "Licences", "Rent")
    ]  # fmt: skip
    assert np.sum(parts, axis=0) == pytest.approx(row_of(summary, "Cost")[1:])
    years = [row_of(summary, f"Year {year}")[1:] for year in (1, 2, 3)]
    assert np.sum(years, axis=0) == pytest.approx(row_of(summary, "Cash")[1:])


def test_one_device_by_hand(office: dict[str, Workbook]) -> None:
    # 10,000 with half as much around it; a fifth returns after 4 years at 10 %, whose capital
    # recovery factor is 0.315471: (15,000 - 3,000 / 1.4641) x 0.315471.
    sheet = opened(file("before"), values=True)["Shared"]
    assert row_of(sheet, "Purchase, each")[1] == pytest.approx(15_000)
    assert row_of(sheet, "Depreciation and interest, each")[1] == pytest.approx(4085.66, rel=1e-5)
    # 1,000 W on the label, 1.82 of it with the server.
    assert row_of(sheet, "Rating with its share of the server")[1] == pytest.approx(1820)


def test_own_prices_are_converted_in_the_file(office: dict[str, Workbook]) -> None:
    inputs = office["renewed"]["Inputs"]
    in_usd = row_of(inputs, "round, purchase")[4]
    assert in_usd == pytest.approx(9000 * 1.2 * 0.9)
    assert row_of(office["renewed"]["Shared"], "Price of a device")[1] == in_usd


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_text_and_the_file_stays_whole(name: str) -> None:
    plan = small_plan(purchase=10_000, rent=3.0, name=name)
    parts = contents(workbook(plan, (("Scenario", name), ("Link", f"javascript:{name}"))))
    for part in parts.values():
        ElementTree.fromstring(part)
    plain = contents(file("before"))
    assert {part: text.count(b"<f>") for part, text in parts.items()} == {
        part: text.count(b"<f>") for part, text in plain.items()
    }
    headers = re.findall(rb"<oddHeader>(.*?)</oddHeader>", parts["xl/worksheets/sheet1.xml"])
    assert all(len(html.unescape(header.decode())) < 255 for header in headers)


def test_a_hostile_name_opens_in_the_office(office: dict[str, Workbook]) -> None:
    assert office["hostile"]["Summary"]["A1"].value == NAME
    assert row_of(office["hostile"]["Inputs"], "Scenario name")[0] == NAME


def test_texts_that_look_like_formulas_stay_texts_when_they_are_edited() -> None:
    book = opened(workbook(small_plan(rent=2.0, name="=1+1"), ORIGIN))
    assert book["Summary"]["A1"].value == "=1+1"
    assert book["Summary"]["A1"].data_type == "s"
    assert book["Summary"]["A1"].quotePrefix


def test_the_same_plan_gives_the_same_file() -> None:
    assert workbook(plans()["before"], ORIGIN) == file("before")


def test_every_sheet_is_ready_to_print_and_charts_say_what_they_show() -> None:
    book = opened(file("growing"))
    assert {sheet.page_setup.orientation for sheet in book} == {"landscape"}
    assert all(sheet.oddFooter.left.text.startswith("Prices to 2026") for sheet in book)
    charts = [chart for sheet in book for chart in sheet._charts]
    assert len(charts) == 3
    for chart in charts:
        assert chart.title is not None
        assert chart.y_axis.title is not None
    assert book.properties.title == "Hardware plan: Support assistant"


def test_inputs_say_which_are_changed_and_the_link_can_be_followed() -> None:
    book = opened(file("growing"))
    assert row_of(book["Inputs"], "Growth")[:3] == [0.03, "a month", "changed"]
    assert row_of(book["Inputs"], "PUE")[2] == "default"
    links = [cell.hyperlink.target for row in book["Summary"] for cell in row if cell.hyperlink]
    assert links == [LINK]
