"""The table of one's own prices, typed into as people do."""

import re

from playwright.sync_api import Locator, Page, expect

from hwplanner.links.link import read_link, write_link
from hwplanner.quote import Quote
from hwplanner.scenario import Scenario
from tests.browser.app_page import open_page, wait_for_app

OWN = Quote(device="nvidia-h100-sxm", kind="purchase", amount=25_000)
ROW_PX, MARKER_PX, DEVICE_PX, WAY_PX = 35, 34, 150, 120  # of the table, as price_editor.py sets it


def type_amount(page: Page, text: str) -> None:
    """Replace the amount in the first row."""
    table = page.get_by_test_id("stDataFrame").first
    place = {"x": MARKER_PX + DEVICE_PX + WAY_PX + 40, "y": 1.5 * ROW_PX}
    table.dblclick(position=place)
    cell = page.locator("#portal input")
    cell.fill(text)
    cell.press("Enter")


def own_price(page: Page) -> Locator:
    """The one cell of the page that shows a price of one's own."""
    return page.get_by_role("cell").filter(has_text="yours")


def test_a_price_that_is_typed_reaches_the_link_and_a_bad_one_is_told(
    page: Page, console_complaints: list[str]
) -> None:
    open_page(page, f"/prices?{write_link(Scenario(quotes=(OWN,)))}")
    expect(page.get_by_test_id("stDataFrame").first).to_be_visible()
    type_amount(page, "20000")
    expect(page).to_have_url(re.compile("buy%3B20000"))
    wait_for_app(page)
    own = read_link(page.url).scenario.quotes
    assert own == (OWN.model_copy(update={"amount": 20_000.0}),)
    expect(own_price(page)).to_contain_text("$20k")

    type_amount(page, "-5")
    told = page.get_by_text("Row 1, Amount: -5 is not above 0; write the price of one device")
    expect(told).to_be_visible()
    wait_for_app(page)
    assert read_link(page.url).scenario.quotes == ()

    type_amount(page, "18000")
    expect(page).to_have_url(re.compile("buy%3B18000"))
    expect(told).to_have_count(0)
    page.reload()
    wait_for_app(page)
    expect(own_price(page)).to_contain_text("$18k")
    assert not console_complaints
