"""Discovery: the functions of a package and what it says their derivatives are.

What a convention of one's own is written with is named here.
"""

from verify.discovery.convention import Convention, NotPosed
from verify.discovery.element import element
from verify.discovery.held import held
from verify.discovery.hints import Hint
from verify.discovery.members import classes_of, functions_of, has_methods, member
from verify.discovery.numerical import differentiating_numerically
from verify.discovery.pair import Pair, Unpaired
from verify.discovery.posing import Claim, pose
from verify.discovery.regions import region_for
from verify.discovery.silence import silence
from verify.model.foreign import shortened
from verify.regions import Region, as_region

__all__ = [
    "Claim",
    "Convention",
    "Hint",
    "NotPosed",
    "Pair",
    "Region",
    "Unpaired",
    "as_region",
    "classes_of",
    "differentiating_numerically",
    "element",
    "functions_of",
    "has_methods",
    "held",
    "member",
    "pose",
    "region_for",
    "shortened",
    "silence",
]
