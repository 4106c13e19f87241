"""Plan hardware for training and serving: one scenario in, a plan with its reasons out.

>>> from hwplanner import Scenario, make_plan
>>> plan = make_plan(Scenario(users=64))
>>> plan.best.label
'Own serving, rent training'
"""

from hwplanner.catalog.catalog import Catalog, load_catalog
from hwplanner.errors import PlannerError
from hwplanner.links.link import read_link, write_link
from hwplanner.model.presets import load_models
from hwplanner.plan import Plan, make_plan
from hwplanner.scenario import Scenario

__all__ = [
    "Catalog",
    "Plan",
    "PlannerError",
    "Scenario",
    "load_catalog",
    "load_models",
    "make_plan",
    "read_link",
    "write_link",
]
