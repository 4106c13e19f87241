"""What moves the answer of a plan, worked out together: every case is paid for at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hwplanner.finance.break_even import (
    RENT_LEVELS,
    Curve,
    Use,
    by_use,
    rent_cases,
    user_cases,
    user_levels,
)
from hwplanner.finance.cases import Basis
from hwplanner.finance.sensitivity import Effect, effects, probes
from hwplanner.plan import Plan


@dataclass(frozen=True, slots=True, eq=False)
class WhatIf:
    """What moves the answer of a plan.

    Attributes
    ----------
    plan
        The plan.
    effects
        What each input does to its cost, the largest first.
    use
        Owning against renting by use; none without both prices.
    rents, users
        Cost of the options at other rents, and with other users.
    """

    plan: Plan
    effects: tuple[Effect, ...]
    use: Use | None
    rents: Curve
    users: Curve


def what_if(plan: Plan) -> WhatIf | None:
    """Work out what moves the answer; none where no option exists."""
    if not plan.best.exists:
        return None
    basis = Basis.of(plan)
    probed = list(probes(basis))
    of_users = (case for probe in probed if probe.name == "users" for case in probe.cases)
    at_rents, at_users = rent_cases(basis), user_cases(basis, of_users)
    ends = [case for probe in probed for case in probe.cases]
    costs = basis.costs([basis.unchanged, *ends, *at_rents, *at_users])
    first_rent = 1 + len(ends)
    first_user = first_rent + len(at_rents)
    levels = user_levels(plan.scenario.users)
    return WhatIf(
        plan=plan,
        effects=effects(basis, probed, costs.part(slice(0, 1)), costs.part(slice(1, first_rent))),
        use=by_use(plan),
        rents=Curve(
            levels=RENT_LEVELS,
            planned=int(np.flatnonzero(RENT_LEVELS == 1)[0]),
            costs=costs.part(slice(first_rent, first_user)),
            is_smooth=True,
        ),
        users=Curve(
            levels=np.array(levels, dtype=np.float64),
            planned=levels.index(plan.scenario.users),
            costs=costs.part(slice(first_user, None)),
            is_smooth=False,
        ),
    )
