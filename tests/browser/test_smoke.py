"""Every page opens cleanly on every kind of screen."""

from dataclasses import dataclass
from typing import Literal

import pytest
from playwright.sync_api import Page, expect

from tests.browser.app_page import open_page

PATHS = ("/", "/memory", "/speed", "/cost", "/utilization", "/catalogue", "/method")


@dataclass(frozen=True)
class Screen:
    """A kind of screen; its words name the test."""

    name: str
    width: int
    height: int
    scheme: Literal["light", "dark"]


SCREENS = (
    Screen("desktop-light", 1440, 900, "light"),
    Screen("desktop-dark", 1440, 900, "dark"),
    Screen("phone-light", 390, 844, "light"),
    Screen("phone-dark", 390, 844, "dark"),
)


@pytest.mark.parametrize("screen", SCREENS, ids=lambda screen: screen.name)
@pytest.mark.parametrize("path", PATHS)
def test_page_opens_cleanly(
    page: Page, console_complaints: list[str], path: str, screen: Screen
) -> None:
    page.set_viewport_size({"width": screen.width, "height": screen.height})
    page.emulate_media(color_scheme=screen.scheme)
    open_page(page, path)
    expect(page.get_by_test_id("stException")).to_have_count(0)
    assert not console_complaints, console_complaints
    assert page.evaluate("document.documentElement.scrollWidth") <= screen.width
