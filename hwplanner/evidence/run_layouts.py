"""How published runs spread a model over their devices, inferred where it is not said."""

from __future__ import annotations

from dataclasses import dataclass

ROOM_FOR_WEIGHTS = 0.62  # the smallest split whose weights leave room for a cache
CORES_COUNTED = ("aws", "tt")  # classes whose splits are published in cores, not devices


@dataclass(frozen=True, slots=True)
class RunLayout:
    """Layout of a run.

    Attributes
    ----------
    tensor, pipeline, copies
        Devices that share a layer, pipeline stages, copies of the model.
    attention_parallel, attention_tensor
        As in `ServingLayouts`.
    """

    tensor: float
    pipeline: float
    copies: float
    attention_parallel: float = 0.0
    attention_tensor: float = 1.0


def run_layout(
    *,
    devices: float,
    tensor: float | None,
    pipeline: float | None,
    data: float | None,
    expert: float | None,
    device_class: str,
    weights_bytes: float,
    usable_bytes: float,
    is_moe: bool,
    is_one_request: bool,
    spreads_attention: bool,
) -> RunLayout:
    """Read the columns of a run's layout.

    Parameters
    ----------
    devices
        All devices of the run. [devices]
    tensor, pipeline, data, expert
        As published; None where not.
    device_class
        Efficiency class of the device.
    weights_bytes, usable_bytes
        Weights of the model, and memory of one device. [bytes]
    is_moe
        Whether experts can be spread.
    is_one_request
        Whether only one copy has work.
    spreads_attention
        Whether the engine's usual recipe for throughput lets every device attend to sequences of
        its own where nothing is said.
    """
    stages = pipeline or 1.0
    copies = data or 1.0
    if is_moe and copies > 1 and (expert or 1) > 1:
        group = devices / stages
        if tensor is None or copies * tensor >= devices and expert and expert > (tensor or 1):
            return RunLayout(group, stages, 1.0, 1.0, max(group / copies, 1.0))
    if tensor is None or device_class in CORES_COUNTED:
        tensor = devices / (stages * copies) if tensor or data else None
    if tensor is None:
        tensor = 1.0
        while weights_bytes / (tensor * stages) > ROOM_FOR_WEIGHTS * usable_bytes and (
            2 * tensor * stages <= devices
        ):
            tensor *= 2
        if is_one_request:  # all devices work for it
            tensor = max(tensor, devices / stages)
    tensor = max(min(tensor, devices / stages), 1.0)
    copies = 1.0 if is_one_request else max(devices / (tensor * stages), 1.0)
    if is_moe and spreads_attention and tensor > 1:
        return RunLayout(tensor, stages, copies, 1.0, 1.0)
    return RunLayout(tensor, stages, copies)
