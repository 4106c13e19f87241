"""Times of the three things a device does: calculate, read memory, and what a batch needs of both.

Small formulas that `serving_time` and `training` compose. Efficiencies come from the assumptions.
"""

from hwplanner.units import Quantity


def compute_seconds(*, flop: Quantity, peak_flop_per_s: Quantity, efficiency: Quantity) -> Quantity:
    """Time of arithmetic at a share of the dense peak.

    Parameters
    ----------
    flop
        Floating-point operations. [FLOP]
    peak_flop_per_s
        Dense peak of the format that computes. [FLOP/s]
    efficiency
        Share of the peak that is reached. [1]

    Returns
    -------
    float or ndarray
        Time. [s]

    Examples
    --------
    >>> compute_seconds(flop=1e15, peak_flop_per_s=1e15, efficiency=0.5)
    2.0
    """
    return flop / (peak_flop_per_s * efficiency)


def traffic_seconds(
    *, traffic_bytes: Quantity, bandwidth_bytes_per_s: Quantity, efficiency: Quantity
) -> Quantity:
    """Time of moving bytes at a share of the published bandwidth.

    Parameters
    ----------
    traffic_bytes
        Bytes read and written. [bytes]
    bandwidth_bytes_per_s
        Published bandwidth of the memory or link. [bytes/s]
    efficiency
        Share of it that is reached. [1]

    Returns
    -------
    float or ndarray
        Time. [s]

    Examples
    --------
    >>> traffic_seconds(traffic_bytes=140e9, bandwidth_bytes_per_s=3.5e12, efficiency=0.8)
    0.05
    """
    return traffic_bytes / (bandwidth_bytes_per_s * efficiency)


def attention_flop(
    *, width: Quantity, layers: Quantity, new_tokens: Quantity, cached_tokens: Quantity
) -> Quantity:
    """Arithmetic of causal attention over a prompt of which a part is cached.

    Parameters
    ----------
    width
        Heads times head size: the width of queries and of values. [values/token]
    layers
        Layers that attend to the whole context. [layers]
    new_tokens
        Tokens that pass the model now. [tokens]
    cached_tokens
        Tokens before them, already in the cache. [tokens]

    Returns
    -------
    float or ndarray
        Operations of scores and of weighted values. [FLOP]

    Notes
    -----
    Each new token meets the cached ones and, under the causal mask, half of the new ones;
    2 FLOP per value for the scores and 2 for the sum: the 4 [1]_.

    References
    ----------
    .. [1] "How to Scale Your Model", ch. Transformer math, github.com/jax-ml/scaling-book.

    Examples
    --------
    >>> attention_flop(width=8192, layers=80, new_tokens=1000, cached_tokens=0) / 1e12
    1.31072
    """
    return 4 * width * layers * new_tokens * (cached_tokens + new_tokens / 2)


def touched_expert_share(
    *, tokens: Quantity, experts: Quantity, experts_per_token: Quantity, routing_skew: Quantity
) -> Quantity:
    """Share of the experts that a step over several tokens has to read.

    Parameters
    ----------
    tokens
        Tokens in the step. [tokens]
    experts, experts_per_token
        Experts in a layer, and how many of them one token uses. [experts]
    routing_skew
        1 if tokens choose independently, 0 if all choose alike. [1]

    Returns
    -------
    float or ndarray
        Share from k/E for one token towards 1. [1]

    Notes
    -----
    The chance that an expert is left out by one token is 1 - k/E; further tokens count as
    `routing_skew` of a token.

    Examples
    --------
    >>> touched_expert_share(tokens=1, experts=8, experts_per_token=2, routing_skew=0.5)
    0.25
    """
    independent_tokens = 1 + routing_skew * (tokens - 1)
    return 1 - (1 - experts_per_token / experts) ** independent_tokens
