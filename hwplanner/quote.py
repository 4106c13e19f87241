"""A price of one's own: an offer, a negotiated discount, an invoice, in any currency."""

from __future__ import annotations

import datetime
from typing import Annotated, Literal, Self, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator

QuoteKind = Literal["purchase", "on_demand", "reserved_1y", "reserved_3y", "spot"]
QUOTE_KINDS: tuple[QuoteKind, ...] = get_args(QuoteKind)
MOST_QUOTES = 40
LONGEST_NOTE = 40
LARGEST_AMOUNT = 1e9
DECIMALS = 10


def _written_out(value: object) -> object:
    """Round a number to what a link can hold; anything else is left to the checks."""
    return round(value, DECIMALS) if isinstance(value, float) else value


Number = Annotated[float, BeforeValidator(_written_out), Field(allow_inf_nan=False)]


class Quote(BaseModel):
    """One price of one device, which takes the place of the published ones of its kind.

    Attributes
    ----------
    device
        Device, by its id in the catalogue.
    kind
        Whether it buys the device or rents it, and for what term.
    amount
        Price of a device, or of a device-hour, before the discount. [units of `currency`]
    currency
        Three letters, such as USD or EUR.
    usd_per_unit
        Exchange rate: US dollars for one unit of the currency. [USD]
    rate_date, date
        Days of the exchange rate and of the quote, YYYY-MM-DD; empty if not known.
    discount_percent
        Discount on the amount. [%]
    note
        Provider, or what the price is for.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    device: Annotated[str, Field(min_length=1, max_length=80)]
    kind: QuoteKind
    amount: Annotated[Number, Field(gt=0, le=LARGEST_AMOUNT)]
    currency: Annotated[str, Field(pattern="^[A-Z]{3}$")] = "USD"
    usd_per_unit: Annotated[Number, Field(gt=0, le=1e6)] = 1.0
    rate_date: str = ""
    discount_percent: Annotated[Number, Field(ge=0, lt=100)] = 0.0
    date: str = ""
    note: Annotated[str, Field(max_length=LONGEST_NOTE)] = ""

    @field_validator("rate_date", "date")
    @classmethod
    def _is_a_day(cls, value: str) -> str:
        return datetime.date.fromisoformat(value).isoformat() if value else value

    @model_validator(mode="after")
    def _has_a_dollar_at_one(self) -> Self:
        if self.currency == "USD" and self.usd_per_unit != 1:
            raise ValueError("a US dollar is one US dollar; name the currency")
        return self

    @property
    def usd(self) -> float:
        """Price after the discount. [USD/device or USD/device/h]

        Examples
        --------
        >>> quote = Quote(device="nvidia-h200-sxm", kind="on_demand", amount=3.0, currency="EUR",
        ...               usd_per_unit=1.1, discount_percent=10)
        >>> round(quote.usd, 2)
        2.97
        """
        return self.amount * self.usd_per_unit * (1 - self.discount_percent / 100)
