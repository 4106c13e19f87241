"""Training runs for tests: one layout of one model, and random ones for laws."""

from dataclasses import replace

from hypothesis import strategies as st

from hwplanner.assumptions import Assumptions, load_assumptions
from hwplanner.catalog.device import DeviceArrays
from hwplanner.model.numbers import ModelNumbers, model_numbers
from hwplanner.model.presets import load_models
from hwplanner.scenario import Scenario
from hwplanner.training.candidates import estimate_training
from hwplanner.training.estimates import TrainingEstimates
from hwplanner.training.layouts import TrainingLayout, as_arrays
from hwplanner.training.rates import TrainingRates, training_peaks, training_rates
from hwplanner.training.recipe import scenario_recipe
from hwplanner.training.run import TrainingRun, training_run
from tests.devices import arrays
from tests.shapes import tiny

ASSUMPTIONS = load_assumptions()
EIGHT_LAYERS = {"layers": 8, "full_layers": 8, "dense_layers": 8, "heads": 16, "kv_heads": 8}
EXPERTS = {"dense_layers": 0, "moe_layers": 8, "experts": 16, "experts_per_token": 2}


def published_model(name: str) -> ModelNumbers:
    """Numbers of a published model."""
    return model_numbers(load_models().get(name))


def small_model(**changes: object) -> ModelNumbers:
    """Numbers of eight layers of hidden size 1024, with changes."""
    widths = {"hidden": 1024, "head_dim": 64, "ffn": 4096, "vocab": 32000}
    return model_numbers(tiny(**(EIGHT_LAYERS | widths | changes)))


def scenario(**changes: object) -> Scenario:
    """Scenario of a run, checked; lengths and batch may be any number."""
    return Scenario(**changes)


def estimate(
    *devices: dict[str, object], model: str = "llama-3.1-70b", **changes: object
) -> TrainingEstimates:
    """Layouts that a run takes on devices, each told by what sets it apart."""
    return estimate_training(
        scenario(**changes), published_model(model), arrays(*devices), ASSUMPTIONS
    )


def assumed(**typical: float) -> Assumptions:
    """Shipped assumptions, with other typical values; `name__key` for one with a key."""
    known = dict(ASSUMPTIONS.by_name_and_key)
    for word, value in typical.items():
        name, _, key = word.partition("__")
        known[name, key] = replace(known[name, key], typical=value)
    return Assumptions(known)


def run_of(
    model: ModelNumbers,
    *layouts: TrainingLayout,
    assumptions: Assumptions = ASSUMPTIONS,
    **changes: object,
) -> TrainingRun:
    """Split a run in the layouts given, or on one device."""
    question = scenario(**changes)
    return training_run(
        recipe=scenario_recipe(question),
        model=model,
        layouts=as_arrays(layouts or [TrainingLayout()], batch_sequences=question.batch_sequences),
        assumptions=assumptions,
    )


def rates_of(
    devices: DeviceArrays, assumptions: Assumptions = ASSUMPTIONS, **changes: object
) -> TrainingRates:
    """What devices reach in a run."""
    return training_rates(
        training_peaks(scenario_recipe(scenario(**changes)), devices), assumptions
    )


def layouts_of_small_models() -> st.SearchStrategy[TrainingLayout]:
    """Any split of a model with 8 layers, 16 heads and, if any, 16 experts."""
    powers = st.sampled_from([1, 2, 4, 8])
    return st.builds(
        TrainingLayout,
        tensor=powers,
        pipeline=powers,
        context=st.sampled_from([1, 2, 4]),
        replicas=st.sampled_from([8, 16, 32]),
        expert=powers,
        micro_batch=st.sampled_from([1, 2, 4]),
    )


def jobs() -> st.SearchStrategy[dict[str, object]]:
    """Any kind of run."""
    return st.fixed_dictionaries(
        {
            "method": st.sampled_from(["pretrain", "full", "lora", "qlora"]),
            "optimizer": st.sampled_from(["adamw", "adam8bit", "adafactor", "muon", "sgd"]),
            "training_precision": st.sampled_from(["bf16", "fp16", "fp8", "fp32"]),
            "sharding": st.sampled_from(["auto", "zero0", "zero1", "zero2", "zero3"]),
            "offload": st.booleans(),
        }
    )


def small_models() -> st.SearchStrategy[ModelNumbers]:
    """A dense model, a mixture of experts, one with sliding layers."""
    return st.sampled_from(
        [
            small_model(),
            small_model(**EXPERTS, moe_ffn=1024),
            small_model(full_layers=2, sliding_layers=6, sliding_window=1024, gated_mlp=False),
        ]
    )
