"""Open a page of the app and wait for it: what the browser tests say in every line."""

from playwright.sync_api import Page, expect

STARTED_MS = 30_000
DRAWN_MS = 10_000


def open_page(page: Page, path: str) -> None:
    """Go to a page and wait until it stands still."""
    page.goto(path)
    wait_for_app(page)


def wait_for_app(page: Page) -> None:
    """Wait until the script has run, its heading is there and its charts are drawn."""
    app = page.get_by_test_id("stApp")
    expect(app).to_have_attribute("data-test-connection-state", "CONNECTED", timeout=STARTED_MS)
    expect(app).to_have_attribute("data-test-script-state", "notRunning", timeout=STARTED_MS)
    main = page.get_by_test_id("stMain")
    expect(main.get_by_role("heading").first).to_be_visible(timeout=DRAWN_MS)
    for chart in main.get_by_test_id("stPlotlyChart").all():
        expect(chart.locator("svg.main-svg").first).to_be_visible(timeout=DRAWN_MS)
