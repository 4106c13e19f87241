"""Links: what they say, that they come back unchanged, and that no text can break them."""

import csv
import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwplanner.catalog.catalog import load_catalog
from hwplanner.catalog.device import device_name
from hwplanner.links.former import FORMER_KEYS
from hwplanner.links.link import LONGEST_LINK, ReadLink, link_parameters, read_link, write_link
from hwplanner.links.names import LinkNames, device_words, shipped_names, slug
from hwplanner.links.tables import clean_note, quotes_text, read_quotes, scaled_week
from hwplanner.links.texts import LONGEST_NAME, text_of
from hwplanner.quote import LARGEST_AMOUNT, LONGEST_NOTE, MOST_QUOTES, QUOTE_KINDS, Quote
from hwplanner.scenario import (
    FORMER_DEFAULTS,
    MOST_LOAD,
    SCHEMA_VERSION,
    WEEK_HOURS,
    Scenario,
    controls,
)

MODELS = {
    "llama-3.1-8b": ("Llama 3.1 8B", "llama-3.1-8b", "meta-llama/Llama-3.1-8B"),
    "qwen3-0.6b": ("Qwen3 0.6B", "qwen3-0.6b", "Qwen/Qwen3-0.6B"),
}
DEVICES = {
    "nvidia-h200-sxm": ("NVIDIA H200 SXM", "NVIDIA H200 SXM 141GB"),
    "amd-mi300x": ("AMD MI300X", "AMD Instinct MI300X"),
    "cpu-xeon-8592plus": ("CPU XEON 8592PLUS", "Intel Xeon Platinum 8592+ (64 cores)"),
}
NAMES = LinkNames(MODELS, DEVICES, catalogue_date="2026-11-30")


days = st.just("") | st.dates().map(datetime.date.isoformat)
currencies = st.just(("USD", 1.0)) | st.tuples(
    st.from_regex("[A-Z]{3}", fullmatch=True).filter(lambda letters: letters != "USD"),
    st.floats(1e-9, 1e6),
)
quotes = currencies.flatmap(
    lambda money: st.builds(
        Quote,
        device=st.sampled_from([*DEVICES]),
        kind=st.sampled_from(QUOTE_KINDS),
        amount=st.floats(1e-6, LARGEST_AMOUNT),
        currency=st.just(money[0]),
        usd_per_unit=st.just(money[1]),
        rate_date=days,
        discount_percent=st.floats(0, 99.99),
        date=days,
        note=st.text(max_size=2 * LONGEST_NOTE).map(clean_note),
    )
)
loads = st.integers(0, MOST_LOAD).map(float)
weeks = st.lists(loads, min_size=WEEK_HOURS, max_size=WEEK_HOURS).filter(any).map(scaled_week)


def values_of(name: str) -> st.SearchStrategy[object]:
    """Every value that the control of an input can hold."""
    control, field = controls()[name], Scenario.model_fields[name]
    if name == "name":
        printable = st.characters(exclude_categories=["C", "Z"]) | st.just(" ")
        return st.text(printable, min_size=1, max_size=LONGEST_NAME).filter(str.strip)
    if name == "model":
        return st.sampled_from(["", *MODELS])
    if name in ("serve_on", "train_on"):
        return st.sampled_from(["", *DEVICES])
    if name == "devices":
        return st.lists(st.sampled_from([*DEVICES]), unique=True).map(tuple)
    if name == "plan_date":
        return days
    if name == "own_week":
        return st.just(()) | weeks
    if name == "quotes":
        return st.lists(quotes, max_size=4).map(tuple)
    if control.options:
        return st.sampled_from(control.options)
    if control.bounds is None:
        return st.booleans()
    low, high = control.bounds
    return st.integers(int(low), int(high)) if field.annotation is int else st.floats(low, high)


scenarios = st.builds(Scenario, **{name: values_of(name) for name in controls()})


@given(scenarios)
def test_scenario_to_link_to_scenario_is_the_identity(scenario: Scenario) -> None:
    query = write_link(scenario, NAMES)
    read = read_link(query, NAMES)
    assert read.scenario == scenario
    assert read.notes == ()
    assert write_link(read.scenario, NAMES) == query
    assert len(query) <= LONGEST_LINK


@given(scenarios)
def test_parameters_by_name_read_like_the_text(scenario: Scenario) -> None:
    assert read_link(link_parameters(scenario, NAMES), NAMES).scenario == scenario


texts = st.text() | st.sampled_from(
    ("NaN", "-inf", "1e999", "-0", "16k", "8b", "0x10", "1_000", "٣", "<b>x</b>", "=1+1", "\x00")
)
keys = st.text() | st.sampled_from([control.key for control in controls().values()])


@given(st.text() | st.text("?&=%+#;0aF"))
def test_any_text_is_a_link(text: str) -> None:
    assert isinstance(read_link(text, NAMES).scenario, Scenario)


@given(st.dictionaries(keys, st.lists(texts)))
def test_any_parameters_give_values_that_the_controls_hold(found: dict[str, list[str]]) -> None:
    read = read_link(found, NAMES)
    again = write_link(read.scenario, NAMES)
    assert read_link(again, NAMES).notes == ()
    assert all(note.isprintable() for note in read.notes)


def test_a_link_reads_like_the_screen() -> None:
    scenario = Scenario(
        context_tokens=16384, weight_format="int4", users=48, devices=("nvidia-h200-sxm",)
    )
    assert write_link(scenario, NAMES) == (
        "context=16k&date=2026-11-30&devices=NVIDIA+H200+SXM&users=48&v=2"
        "&weights=4-bit+%28int4+AWQ%2FGPTQ%29"
    )


def test_the_worked_example_still_says_its_version_and_date() -> None:
    assert write_link(Scenario(), NAMES) == "date=2026-11-30&v=2"


@pytest.mark.parametrize(
    "query",
    [
        "context=16k&kv=fp8",
        "?context=16k&kv=fp8",
        "  ?context=16k&kv=fp8\n",
        "https://planner.example/memory?context=16k&kv=fp8#top",
        "/memory?context=16384&kv=8-bit+(fp8)",
        "context=16K&kv=8-BIT%20FP8",
        "embed=true&context=16384.0&kv=fp8&v=2",
    ],
)
def test_a_link_is_read_in_any_spelling(query: str) -> None:
    read = read_link(query)
    assert read.scenario == Scenario(context_tokens=16384, cache_format="fp8")
    assert read.notes == ()


@pytest.mark.parametrize(
    ("query", "note"),
    [
        ("context=16000", "Context (tokens): “16000” lies between two steps; 16k is used."),
        ("context=20k", "Context (tokens): “20k” lies between two steps; 16k is used."),
        ("out=400.6", "Answer length (tokens): “400.6” is not a whole number; 401 is used."),
        ("users=0", "Users at once: “0” lies outside 1 to 16k; 128 is used."),
        ("users=99999999", "Users at once: “99999999” lies outside 1 to 16k; 128 is used."),
        ("users=nan", "Users at once: “nan” is not a number; 128 is used."),
        ("users=", "Users at once: it is empty; 128 is used."),
        ("users=8&users=16", "Users at once: it is given 2 times; 128 is used."),
        ("kwh=0%2C2", "Electricity ($/kWh): “0,2” is not a number; 0.09 is used."),
        ("pue=-1", "PUE: “-1” lies outside 1 to 3; 1.5 is used."),
        ("kv=int3", "Cache precision: “int3” is not one of the choices; 16-bit is used."),
        ("all=maybe", "“maybe” is not one of the choices; false is used."),
        ("model=gpt-9", "Model: “gpt-9” is not known; none is used."),
        ("serveon=zx81", "Serve on: “zx81” is not known; none is used."),
        ("on=soon", "Day of the plan: “soon” is not a day, YYYY-MM-DD; none is used."),
        ("week=1%2C2", "it has 2 hours; a week has 168"),
        ("quotes=zx81;spot;2", "Your own prices: price 1 is left out: the device is not known."),
        ("quotes=AMD+MI300X;free;2", "left out: the kind must be one of buy, on demand, "),
        ("quotes=AMD+MI300X;spot;2%2C5", "price 1 is left out: the amount is not a number."),
        ("quotes=AMD+MI300X;spot;1e309", "left out: the amount is not a number."),
        ("quotes=AMD+MI300X;spot;0", "the amount must be above 0 and at most a billion."),
        ("quotes=AMD+MI300X;buy;2000m", "the amount must be above 0 and at most a billion."),
        ("quotes=AMD+MI300X;spot;1;;2", "price 1 is left out: a US dollar is one US dollar"),
        ("quotes=AMD+MI300X;spot;1;EURO;1", "the currency must be three letters, such as EUR."),
        ("quotes=AMD+MI300X;spot;1;EUR", "it has no exchange rate, US dollars for one unit of"),
        ("quotes=AMD+MI300X;spot;1;EUR;0", "the exchange rate must be above 0 and at most"),
        ("quotes=AMD+MI300X;spot;1;;;;100", "the discount must be from 0 to below 100."),
        ("quotes=AMD+MI300X;spot;1;EUR;1;1.2.2026", "a date is not written YYYY-MM-DD"),
        ("devices=zx81&devices=AMD+MI300X", "Devices to compare: not in the catalogue: “zx81”."),
        ("usres=8&a=1", "Not an input of the planner: “usres”, “a”."),
        ("v=3", "newer planner (version 3, here 2)"),
        ("v=x", "version “x” does not exist; it is ignored"),
        ("v=0", "version “0” does not exist; it is ignored"),
        (
            "quote=AMD+MI300X&qbuy=2g&v=1",
            "Your own prices: price 1 is left out: the amount is not a number.",
        ),
        (
            "quote=zx81&qrent=2&v=1",
            "Your own prices: price 1 is left out: the device is not known.",
        ),
        ("date=2025-01-02", "made with the catalogue of 2025-01-02"),
        ("date=yesterday", "“yesterday” is not a day"),
        (f"name={'x' * 61}", "Scenario name: cut at 60 characters."),
        (f"users={'9' * LONGEST_LINK}", "longer than 8,000 characters and was not read"),
    ],
)
def test_what_cannot_be_used_is_told(query: str, note: str) -> None:
    read = read_link(query, NAMES)
    assert len(read.notes) == 1
    assert note in read.notes[0]


def test_a_fault_costs_its_own_input_only() -> None:
    read = read_link("users=many&context=16k&devices=zx81&devices=AMD+MI300X", NAMES)
    assert read.scenario == Scenario(context_tokens=16384, devices=("amd-mi300x",))


def test_a_note_quotes_little_and_nothing_unprintable() -> None:
    (note,) = read_link({"kv": [f"<script>\x00{'x' * 500}"]}).notes
    assert (
        note
        == f"Cache precision: “<script>?{'x' * 31}…” is not one of the choices; 16-bit is used."
    )


def test_a_name_is_made_printable_and_never_empty() -> None:
    assert read_link({"name": "a\tb\u202e"}).scenario.name == "a b "
    assert read_link({"name": " "}).scenario.name == Scenario().name


def words_of(version: int) -> list[dict[str, str]]:
    """Words of a version and what they mean, written when it was current; never changed since."""
    path = Path(__file__).parent / f"link_words_v{version}.csv"
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("version", range(1, SCHEMA_VERSION + 1))
def test_words_and_defaults_of_each_version_keep_their_meaning(version: int) -> None:
    """Shared links hold these words; where a word changes, the old one must still be read."""
    fields = {control.key: name for name, control in controls().items()}
    for row in words_of(version):
        if row["key"] in FORMER_KEYS:
            continue
        query = {"v": [str(version)]} | ({row["key"]: [row["text"]]} if row["text"] else {})
        read = read_link(query)
        value = str(getattr(read.scenario, fields[row["key"]]))
        assert value.removesuffix(".0") == row["value"].removesuffix(".0"), row
        assert not read.notes


def test_the_words_of_this_version_are_all_written_down() -> None:
    rows = words_of(SCHEMA_VERSION)
    written = {(row["key"], row["text"]) for row in rows}
    assert written == {
        (control.key, text)
        for name, control in controls().items()
        for text in ("", *(text_of(name, option, shipped_names()) for option in control.options))
    }


def test_inputs_that_version_1_did_not_know_are_neutral_in_its_links() -> None:
    scenario = read_link("users=48&v=1").scenario
    assert (scenario.burst_factor, scenario.setup_hours, scenario.cold_start_minutes) == (1, 0, 0)
    around = (scenario.server_percent, scenario.network_percent, scenario.install_percent)
    assert around == (50, 0, 0)
    assert read_link("users=48").scenario == Scenario(users=48)
    assert read_link("v=1&network=12").scenario.network_percent == 12
    # A link that is copied again means the same.
    assert read_link(write_link(scenario)).scenario == scenario
    assert set(FORMER_DEFAULTS) == {1}


@pytest.mark.parametrize(
    ("query", "quotes"),
    [
        ("", ()),
        ("&qrent=2.5", (("on_demand", 2.5),)),
        ("&qrent=2.5&qbuy=0", (("on_demand", 2.5),)),
        ("&qbuy=30000", (("purchase", 30_000),)),
        ("&qrent=2.5&qbuy=30k", (("on_demand", 2.5), ("purchase", 30_000))),
        ("&qrent=2.5&market=Spot", (("spot", 2.5),)),
        ("&qrent=2.5&market=Reserved%2C+1+year", (("reserved_1y", 2.5),)),
        ("&qrent=2.5&market=Hyperscaler%2C+on+demand", (("on_demand", 2.5),)),
    ],
)
def test_the_quote_of_version_1_is_a_price_of_ones_own(
    query: str, quotes: tuple[tuple[str, float], ...]
) -> None:
    read = read_link(f"quote=NVIDIA+H200+SXM{query}&v=1", NAMES)
    assert read.scenario.quotes == tuple(
        Quote(device="nvidia-h200-sxm", kind=kind, amount=amount) for kind, amount in quotes
    )
    assert read.notes == ()


def test_a_price_of_version_1_without_its_device_says_nothing() -> None:
    assert read_link("qrent=2.5&qbuy=30000&v=1", NAMES).scenario.quotes == ()


def test_prices_of_ones_own_read_like_a_price_list() -> None:
    own = Quote(
        device="nvidia-h200-sxm",
        kind="reserved_1y",
        amount=2.99,
        currency="EUR",
        usd_per_unit=1.08,
        rate_date="2026-11-02",
        discount_percent=10,
        date="2026-11-20",
        note="Acme; Berlin|",
    )
    text = "NVIDIA H200 SXM;reserved 1 year;2.99;EUR;1.08;2026-11-02;10;2026-11-20;Acme Berlin"
    clean = own.model_copy(update={"note": clean_note(own.note)})
    assert quotes_text([clean], NAMES) == text
    assert read_quotes(text, NAMES) == ((clean,), [])
    assert read_quotes("amd-mi300x; SPOT; 1.5k", NAMES)[0] == (
        Quote(device="amd-mi300x", kind="spot", amount=1500),
    )


def test_a_faulty_price_costs_no_other() -> None:
    read = read_link(
        "quotes=AMD+MI300X%3Bspot%3B1|AMD+MI300X%3Bspot%3Bx|AMD+MI300X%3Bbuy%3B9", NAMES
    )
    assert [quote.amount for quote in read.scenario.quotes] == [1, 9]
    assert read.notes == ("Your own prices: price 2 is left out: the amount is not a number.",)


def test_many_faulty_prices_are_counted() -> None:
    (note,) = read_link({"quotes": "|".join(["zx81;spot;1"] * 12)}, NAMES).notes
    assert note.count("is left out") == 5
    assert note.endswith("; and 7 more faults.")


def test_days_of_a_price_are_kept_in_one_form() -> None:
    (own,) = read_link(
        "quotes=AMD+MI300X;spot;1;EUR;1.1;20261102;;2026-W47-5", NAMES
    ).scenario.quotes
    assert (own.rate_date, own.date) == ("2026-11-02", "2026-11-20")
    assert read_link("on=20261102", NAMES).scenario == Scenario(plan_date="20261102")


def test_more_prices_than_are_kept_are_told() -> None:
    text = "|".join(["AMD MI300X;spot;1"] * (MOST_QUOTES + 2))
    read = read_link({"quotes": text}, NAMES)
    assert len(read.scenario.quotes) == MOST_QUOTES
    assert read.notes == ("Your own prices: 2 more than the 40 that are kept.",)


@given(quotes)
def test_prices_of_ones_own_come_back_from_their_text(quote: Quote) -> None:
    assert read_quotes(quotes_text([quote], NAMES), NAMES) == ((quote,), [])


def test_each_option_has_a_text_of_its_own() -> None:
    for name, control in controls().items():
        spoken = [text_of(name, option, NAMES).lower() for option in control.options]
        assert len(set(spoken)) == len(spoken), control.label


@pytest.mark.parametrize(
    "text", ["llama-3.1-8b", "Llama 3.1 8B", "meta-llama/Llama-3.1-8B", "LLAMA-3.1-8b"]
)
def test_a_model_answers_to_each_of_its_names(text: str) -> None:
    assert read_link({"model": text}, NAMES).scenario.model == "llama-3.1-8b"


@pytest.mark.parametrize(
    "text", ["nvidia-h200-sxm", "NVIDIA H200 SXM", "nvidia h200 sxm 141gb", "NVIDIA_H200_SXM"]
)
def test_a_device_answers_to_its_id_and_to_its_name(text: str) -> None:
    assert read_link({"serveon": text}, NAMES).scenario.serve_on == "nvidia-h200-sxm"


def test_a_device_answers_to_what_tables_call_it() -> None:
    can_mean = {}
    for device in load_catalog().devices:
        for key, field in (("serveon", "serve_on"), ("devices", "devices")):
            read = read_link({key: device_name(device)})
            if read.notes:
                can_mean[device_name(device)] = read.notes[0].partition("can mean ")[2]
            else:
                found = getattr(read.scenario, field)
                assert found in (device.id, (device.id,))
    assert set(can_mean) == {"Intel Gaudi 3"}
    assert can_mean["Intel Gaudi 3"].startswith("intel-gaudi3-oam or intel-gaudi3-pcie")


def test_a_name_of_several_devices_says_which() -> None:
    names = LinkNames({}, {"a-1": ("A 1", "Acme"), "a-2": ("A 2", "Acme")}, catalogue_date="")
    read = read_link("devices=acme&devices=a-2&devices=b", names)
    assert read.scenario.devices == ("a-2",)
    assert read.notes == (
        "Devices to compare: “acme” can mean a-1 or a-2; not in the catalogue: “b”.",
    )
    (note,) = read_link("serveon=Acme", names).notes
    assert note == "Serve on: “Acme” can mean a-1 or a-2; none is used."
    (note,) = read_link("quotes=Acme%3Bspot%3B2", names).notes
    assert note == "Your own prices: price 1 is left out: the device is ambiguous."


@pytest.mark.parametrize(
    "query", ["devices=", "devices=&devices=+", "model=", "quote=", "quotes=", "week="]
)
def test_nothing_chosen_needs_no_note(query: str) -> None:
    assert read_link(query) == ReadLink(Scenario(), ())


@pytest.mark.parametrize(
    ("query", "field", "value"),
    [
        ("out=4k", "output_tokens", 4096),
        ("out=0.5K", "output_tokens", 512),
        ("context=1M", "context_tokens", 1048576),
        ("staff=2k", "staff_usd_per_device_year", 2000),
        ("every=1k", "request_interval_seconds", 1000),
        ("params=2k", "parameters_billion", 2000),
        ("tokens=15M", "training_tokens_million", 15_000_000),
    ],
)
def test_thousands_and_millions_have_a_letter(query: str, field: str, value: float) -> None:
    read = read_link(query)
    assert (getattr(read.scenario, field), read.notes) == (value, ())


def test_what_the_screen_calls_a_device_names_no_other() -> None:
    devices = shipped_names().devices
    assert all(slug(device_words(device)) == slug(device) for device in devices)
    assert len({slug(device) for device in devices}) == len(devices)


def test_each_shipped_model_and_device_comes_back_from_its_link() -> None:
    for model in shipped_names().models:
        assert read_link(write_link(Scenario(model=model))).scenario.model == model
    everything = Scenario(devices=tuple(shipped_names().devices))
    assert read_link(write_link(everything)).scenario == everything
    assert len(write_link(everything)) < LONGEST_LINK
