"""Inputs that links of earlier versions name and that are asked for in another way today."""

from __future__ import annotations

from collections.abc import Mapping

from hwplanner.links.names import LinkNames
from hwplanner.links.tables import KIND_WORDS, read_quotes
from hwplanner.links.texts import LISTED_AT_MOST
from hwplanner.quote import Quote, QuoteKind

_RENTS: Mapping[str, QuoteKind] = {"reserved_1y": "reserved_1y", "spot": "spot"}
FORMER_KEYS = ("quote", "qrent", "qbuy")


def former_quotes(
    texts_by_key: dict[str, list[str]], market: str, names: LinkNames
) -> tuple[tuple[Quote, ...], list[str]]:
    """Take the one quote of version 1 out of a link: a device with its rent and its price.

    The rent stood for the market that was chosen.
    """
    device, rent, buy = (["", *texts_by_key.pop(key, [])][-1] for key in FORMER_KEYS)
    if not device.strip():
        return (), []
    rented = KIND_WORDS[_RENTS.get(market, "on_demand")]
    amounts = ((rent, rented), (buy, KIND_WORDS["purchase"]))
    # A price of 0 meant that there was none.
    lines = [f"{device};{kind};{amount}" for amount, kind in amounts if amount.strip(" 0.")]
    quotes, faults = read_quotes("|".join(lines), names)
    return quotes, faults[:LISTED_AT_MOST]
