"""What copies of a model do under the load of a benchmark: one request, many, or arrivals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hwplanner.assumptions import Assumptions
from hwplanner.serving.time import ServingTimes
from hwplanner.units import Array


@dataclass(frozen=True, slots=True)
class Load:
    """How requests come, one row a run.

    Attributes
    ----------
    mode
        single_stream, fixed_concurrency, offline_max or server_rate.
    concurrency
        Requests kept in flight on all copies; NaN where all are queued. [requests]
    request_rate
        Arrivals at all copies; infinite where all come at once, NaN where not said. [requests/s]
    copies
        Copies of the model that share the load. [copies]
    wait_share
        Of the other sequences' prompts, what a request waits for before its first token. [1]
    """

    mode: NDArray[np.str_]
    concurrency: Array
    request_rate: Array
    copies: Array
    wait_share: Array


def under_load(
    times: ServingTimes,
    load: Load,
    *,
    room: Array,
    input_tokens: Array,
    output_tokens: Array,
    decode_only: NDArray[np.bool_],
    prefill_only: NDArray[np.bool_],
    is_static: NDArray[np.bool_],
    assumptions: Assumptions,
) -> dict[str, Array]:
    """Estimate throughput and latencies of all copies together.

    Parameters
    ----------
    times
        Of one copy, one row a run.
    load
        How requests come.
    room
        Sequences that the cache of a copy holds, at least one. [sequences/copy]
    input_tokens, output_tokens
        Mean lengths of a request. [tokens]
    decode_only, prefill_only
        Whether throughput counts the time of decoding alone, or of prompts alone.
    is_static
        Whether a batch starts and ends together.
    assumptions
        Requests of a run that sends all at once.

    Returns
    -------
    dict
        Columns of published runs, in their units.

    Notes
    -----
    A batch of B sequences is kept full: it takes out x step(B) + B x prompt to answer B requests.
    What a request waits of the others' prompts before its first token does not delay its further
    tokens, so that both times add up to the cycle. Where more requests are asked for than fit,
    they queue. N requests at once wait (N - B)^2 / 2N answers on average.
    """
    get = assumptions.typical
    copies = load.copies
    each = np.where(np.isfinite(load.concurrency), load.concurrency / copies, np.inf)
    is_single = load.mode == "single_stream"
    is_server = load.mode == "server_rate"
    asked = np.where(is_single, 1.0, each)
    burst = np.where(np.isfinite(each), 0.0, get("burst_requests") / copies)
    batch = np.clip(asked, 1.0, room)
    is_burst = ~is_server & ~np.isfinite(asked) & ~np.isnan(load.request_rate)
    batch = np.where(is_burst, np.minimum(batch, burst), batch)
    answer = np.maximum(output_tokens, 1.0)
    prompt = np.where(input_tokens > 0, times.prefill.total, 0.0)
    # arrivals: the batch that answers them
    rate = load.request_rate / copies
    arriving = np.ones_like(batch)
    for _ in range(14):
        cycle = answer * times.step_seconds(arriving) + arriving * prompt
        arriving = 0.5 * arriving + 0.5 * np.clip(rate * cycle, 1.0, room)
    batch = np.where(is_server & np.isfinite(rate), arriving, batch)
    step = times.step_seconds(batch)
    decode = answer * step
    cycle = decode + batch * np.where(decode_only, 0.0, prompt)
    answered = batch / cycle
    answered = np.where(is_server & (rate < answered), rate, answered)
    waiting = (batch - 1) * prompt
    busy = np.clip(answered * prompt, 0, 0.95)
    random_wait = np.minimum(busy * prompt / (2 * (1 - busy)), waiting / 2)
    wait = np.where(is_server, random_wait, load.wait_share * waiting)
    wait = np.where(is_static, 0.0, wait)
    tpot = step + np.where(is_static, 0.0, np.maximum(waiting - wait, 0.0) / answer)
    queue = np.where(np.isfinite(asked), np.maximum(asked - batch, 0.0), 0.0) / answered
    queue = np.where(is_burst, np.maximum(burst - batch, 0.0) ** 2 / (2 * burst * answered), queue)
    ttft = times.first_token_seconds + step + wait + queue
    ttft = ttft + np.where(is_static, (batch - 1) * prompt, 0.0)
    prefill_rate = batch * input_tokens / (times.first_token_seconds + (batch - 1) * prompt)
    requests = np.where(prefill_only, prefill_rate / np.maximum(input_tokens, 1), answered) * copies
    return {
        "requests_per_s": requests,
        "output_tokens_per_s": requests * output_tokens,
        "total_tokens_per_s": requests * (input_tokens + output_tokens),
        "ttft_ms_mean": 1e3 * ttft,
        "tpot_ms_mean": 1e3 * tpot,
    }
