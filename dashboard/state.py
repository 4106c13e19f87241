"""What one run of the page knows: the scenario on the screen, its plan, and where it came from.

Nothing is kept between runs but the data files. A session holds what its address holds, so any
server can take it over.
"""

from __future__ import annotations

import gc
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import streamlit as st

from dashboard import parts, theme
from dashboard.figures.base import Frame
from hwplanner.errors import PlannerError
from hwplanner.evidence.nearby import neighbours
from hwplanner.links.link import link_parameters, read_link, write_link
from hwplanner.links.names import shipped_names
from hwplanner.plan import Plan, make_plan
from hwplanner.scenario import Scenario

NOTICES, SCENARIO = "notices_of_link", "scenario_of_this_run"


@cache
def warm_up() -> None:
    """Read the data files, then spare the garbage collector from what will stay.

    The option `runner.postScriptGC` has the same purpose; this also holds where it is not set.
    """
    shipped_names()
    neighbours("serving")
    neighbours("training")
    gc.collect()
    gc.freeze()


def follow_link() -> None:
    """Read the address once in a session, note what cannot be used, and write it as we would.

    The controls then find in the address nothing but values that they can hold.
    """
    if NOTICES in st.session_state:
        return
    asked = {key: st.query_params.get_all(key) for key in st.query_params}
    read = read_link(asked)
    st.session_state[NOTICES] = read.notes
    written = link_parameters(read.scenario)
    if asked != written:
        st.query_params.from_dict(written)
        st.rerun()


def show_notices() -> None:
    """Show what of the link could not be used, until the reader dismisses it."""
    notices = st.session_state[NOTICES]
    if notices:
        with st.container(key="link_notices", horizontal=True, vertical_alignment="center"):
            parts.notices(notices)
            st.button("Dismiss", on_click=_dismiss, type="tertiary", width="content")


def _dismiss() -> None:
    st.session_state[NOTICES] = ()


def use(scenario: Scenario) -> None:
    """Let this run's page work with a scenario."""
    st.session_state[SCENARIO] = scenario


def scenario() -> Scenario:
    """Scenario that the controls show."""
    current: Scenario = st.session_state[SCENARIO]
    return current


def plan() -> Plan:
    """Plan of the scenario that the controls show."""
    return make_plan(scenario())


def catalogue_date() -> str:
    """Day of the catalogue, as links and file names write it."""
    return shipped_names().catalogue_date


def frame() -> Frame:
    """What surrounds the figures of this run."""
    return Frame(scenario().name, catalogue_date(), theme.colours())


def origin() -> tuple[tuple[str, str], ...]:
    """Where the numbers of a download come from."""
    page = (st.context.url or "").partition("?")[0]
    return (
        ("Scenario", scenario().name),
        ("Catalogue", catalogue_date()),
        ("Basis", "estimated from published figures"),
        ("Link", f"{page}?{write_link(scenario())}"),
    )


@contextmanager
def calm() -> Iterator[None]:
    """Tell errors in words: what can be put right as it stands, anything else as our fault."""
    try:
        yield
    except PlannerError as error:
        parts.error(str(error))
    except Exception:
        logging.getLogger(__name__).exception("The page could not be drawn")
        parts.error(
            "The fault is ours, not yours. Change an input or reload the page; the address keeps "
            "your scenario.",
            title="Something went wrong here",
        )
