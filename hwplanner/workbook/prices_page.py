"""The sheet of prices in use: each may be changed, and the sheets of the options follow."""

from __future__ import annotations

from dataclasses import dataclass

from hwplanner.money.device_prices import DevicePrices, Prices
from hwplanner.money.price import RENTS, quotes_in_use
from hwplanner.money.rent_terms import RESERVED_MONTHS
from hwplanner.plan import Plan
from hwplanner.quote import QuoteKind
from hwplanner.report.chart_rows import device_label
from hwplanner.workbook.inputs_page import InputCells
from hwplanner.workbook.page import Page

BLOCK = (13, 11, 11, 14, 50)
WIDTHS = (28, *BLOCK * 3)
FIRST_ROW = 5
PURCHASE, RENT, PEAK = (1 + block * len(BLOCK) for block in range(3))
"""First columns: prices of devices, rents, rents of the peaks above an owned base."""


@dataclass(frozen=True, slots=True)
class PriceCells:
    """Where the prices of a device stand, by its place in the comparison."""

    page: Page
    has_peaks: bool

    def purchase(self, place: int) -> str:
        """Address of the price of a device."""
        return self.page.ref(FIRST_ROW + place, PURCHASE)

    def rent(self, place: int, *, is_peak: bool) -> str:
        """Address of the rent of a device-hour."""
        column = PEAK if is_peak and self.has_peaks else RENT
        return self.page.ref(FIRST_ROW + place, column)


def prices_page(page: Page, plan: Plan, inputs: InputCells) -> PriceCells:
    """Write the prices of all compared devices: typical, spread, date and where they come from."""
    market = plan.market.rents.market
    # What is reserved cannot follow the demand, so peaks are rented by the hour elsewhere.
    has_peaks = market in RESERVED_MONTHS
    page.title("Prices in use")
    page.merged(
        1,
        "Median over the providers, with the lowest and the highest; marked where older than six "
        "months on the day of the plan. Change a blue price and the options follow, with the same "
        "devices.",
        "small",
        PEAK,
    )  # fmt: skip
    page.sheet.freeze_panes(FIRST_ROW, 1)
    page.head(FIRST_ROW - 1, ("Device",))
    for place in range(len(plan.devices)):
        page.text(FIRST_ROW + place, 0, device_label(plan, place))
    prices = plan.prices
    _block(page, plan, PURCHASE, "A device", "USD", prices.purchase, "purchase", inputs)
    _block(
        page, plan, RENT, f"A device-hour, {RENTS[market].words}", "USD/h", prices.rent,
        RENTS[market].quotes, inputs,
    )  # fmt: skip
    if has_peaks:
        peak: DevicePrices = plan.market.peak_prices
        _block(
            page, plan, PEAK, "A device-hour for peaks, on demand", "USD/h", peak.rent, "on_demand",
            inputs,
        )  # fmt: skip
    return PriceCells(page, has_peaks)


def _block(
    page: Page,
    plan: Plan,
    column: int,
    title: str,
    unit: str,
    prices: Prices,
    kind: QuoteKind,
    inputs: InputCells,
) -> None:
    """Write one way of paying, five columns wide."""
    own = quotes_in_use(plan.scenario.quotes)
    page.text(FIRST_ROW - 2, column, title, "strong")
    page.head(
        FIRST_ROW - 1, (unit, "Low", "High", "Date", "From"), column,
        numbers=(column, column + 1, column + 2),
    )  # fmt: skip
    for place, device in enumerate(plan.devices):
        row, typical = FIRST_ROW + place, float(prices.typical_usd[place])
        if prices.is_own[place]:
            page.formula(row, column, inputs.quotes[own[device.id, kind]], typical, "cents")
        else:
            page.number(row, column, typical, "cents", "input")
        page.number(row, column + 1, float(prices.low_usd[place]), "cents")
        page.number(row, column + 2, float(prices.high_usd[place]), "cents")
        stale = " ▲ old" if prices.is_stale[place] else ""
        page.text(row, column + 3, f"{prices.date[place]}{stale}", "part")
        page.text(row, column + 4, prices.basis[place] or "no price known", "small")
