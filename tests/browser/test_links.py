"""The address bar as people use it: move, reload, go back, share."""

import pytest
from playwright.sync_api import Page, expect

from benchmarks.harness import Server
from hwplanner.links.link import read_link, write_link
from hwplanner.quote import Quote
from hwplanner.scenario import Scenario
from tests.browser.app_page import open_page, wait_for_app

SHARED = Scenario(
    name="R&D: 50% off? #1 +~!'()*",
    context_tokens=16384,
    weight_format="int4",
    users=48,
    prefix_reuse_percent=62.5,
    method="lora",
    offload=True,
    quotes=(
        Quote(
            device="amd-mi300x",
            kind="on_demand",
            amount=1.85,
            currency="EUR",
            usd_per_unit=1.08,
            date="2026-11-20",
            note="Müller & Co, net",
        ),
        Quote(device="nvidia-h200-sxm", kind="purchase", amount=29_500),
    ),
    devices=("amd-mi300x", "nvidia-h200-sxm", "intel-gaudi3-oam"),
)


def query(page: Page) -> str:
    return page.url.partition("?")[2]


def finding(page: Page) -> str:
    return page.get_by_test_id("stMain").get_by_role("heading", level=1).inner_text()


def controls_have_appeared(page: Page) -> None:
    """Wait for the widgets of the sidebar, which the browser loads one kind after another."""
    expect(page.get_by_test_id("stSidebar").get_by_test_id("stSkeleton")).to_have_count(0)


def test_a_bare_address_is_completed(page: Page) -> None:
    open_page(page, "/")
    assert query(page) == write_link(Scenario())


def test_the_address_follows_a_slider_without_new_history(page: Page) -> None:
    open_page(page, "/")
    entries = page.evaluate("history.length")
    slider = page.get_by_role("slider", name="Context (tokens)")
    slider.focus()
    for _ in range(2):
        slider.press("ArrowRight")
    wait_for_app(page)
    expect(slider).to_have_attribute("aria-valuetext", "16k")
    assert query(page) == write_link(Scenario(context_tokens=16384))
    assert page.evaluate("history.length") == entries


@pytest.mark.parametrize("path", ["/", "/memory", "/cost"])
def test_a_shared_link_is_read_and_written_letter_for_letter(page: Page, path: str) -> None:
    link = write_link(SHARED)
    open_page(page, f"{path}?{link}")
    assert query(page) == link
    expect(page.get_by_label("Scenario name", exact=True)).to_have_value(SHARED.name)


def test_pages_reload_back_and_forward_keep_the_scenario(page: Page) -> None:
    link = write_link(SHARED)
    open_page(page, f"/?{link}")
    controls_have_appeared(page)
    at_first = finding(page)
    for title in ("Memory", "Cost"):
        page.get_by_role("link", name=title).click()
        expect(page).to_have_url(f"/{title.lower()}?{link}")
        wait_for_app(page)
    page.reload()
    wait_for_app(page)
    controls_have_appeared(page)
    assert query(page) == link
    for path in ("/memory", "/"):
        page.go_back()
        expect(page).to_have_url(f"{path}?{link}")
        wait_for_app(page)
    assert finding(page) == at_first
    page.go_forward()
    expect(page).to_have_url(f"/memory?{link}")


def test_a_page_change_while_loading_keeps_the_scenario(page: Page) -> None:
    page.goto(f"/?{write_link(SHARED)}")
    page.get_by_role("link", name="Memory").click()
    expect(page.get_by_role("heading", name="serving copy takes")).to_be_visible(timeout=30_000)
    controls_have_appeared(page)
    expect(page.get_by_role("slider", name="Users at once")).to_have_attribute(
        "aria-valuetext", "48"
    )
    assert read_link(query(page)).scenario == SHARED


def test_back_returns_to_the_link_before(page: Page) -> None:
    first, second = write_link(Scenario(users=8)), write_link(Scenario(users=512))
    open_page(page, f"/?{first}")
    open_page(page, f"/?{second}")
    page.go_back()
    wait_for_app(page)
    assert query(page) == first


@pytest.mark.parametrize(
    "hostile",
    [
        "context=16000&users=%3Cscript%3Ealert(1)%3C/script%3E",
        "users=8&users=9&tpot=nan&kwh=-1",
        "name=%3Cimg%20src=x%20onerror=alert(1)%3E&devices=%3Cb%3E",
        "v=99&date=%00&weights=%ff%fe&zz=1",
    ],
)
def test_a_bad_link_opens_with_notices_and_a_good_address(page: Page, hostile: str) -> None:
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    open_page(page, f"/?{hostile}")
    expect(page.get_by_role("status").locator("li").first).to_be_visible()
    assert read_link(query(page)).notes == ()
    assert read_link(query(page)).scenario == read_link(hostile).scenario
    page.get_by_role("button", name="Dismiss").click()
    expect(page.locator(".hp-notices")).to_have_count(0)
    assert dialogs == []


def test_switching_the_theme_redraws_the_figures(page: Page) -> None:
    open_page(page, "/")
    page.get_by_test_id("stMainMenuButton").click()
    page.get_by_role("menuitemradio", name="Dark").click()
    figure = page.locator(".js-plotly-plot .main-svg").first
    expect(figure).to_have_css("background-color", "rgb(15, 19, 24)")


@pytest.mark.parametrize("image_format", ["PNG", "SVG"])
def test_a_figure_downloads_as_the_image_chosen(page: Page, image_format: str) -> None:
    open_page(page, "/")
    controls_have_appeared(page)
    page.get_by_role("radio", name=image_format).click()
    page.wait_for_timeout(1000)  # the figures take it over with the next run of the page
    with page.expect_download() as download:
        page.locator(".modebar-btn").first.click()
    name = download.value.suggested_filename
    assert name.startswith("cost-serving-support-assistant-")
    assert name.endswith(f".{image_format.lower()}")


def test_a_table_downloads_with_its_link(page: Page, server: Server) -> None:
    open_page(page, f"/?{write_link(SHARED)}")
    with page.expect_download() as download:
        page.get_by_role("button", name="Data (CSV)").first.click()
    text = download.value.path().read_text("utf-8-sig")
    assert server.url in text
    assert f"?{write_link(SHARED)}\n" in text
