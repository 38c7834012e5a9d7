"""Discovery: the functions of a package and what it says their derivatives are.

What a convention of one's own is written with is named here.
"""

from verify.auditing.packages.convention import Convention, NotPosed
from verify.auditing.packages.element import element
from verify.auditing.packages.held import fix_arguments
from verify.auditing.packages.hints import Hint
from verify.auditing.packages.members import classes_of, functions_of, has_methods, member
from verify.auditing.packages.numerical import differentiating_numerically
from verify.auditing.packages.pair import Pair, Unpaired
from verify.auditing.packages.posing import Claim, pose
from verify.auditing.packages.regions import region_for
from verify.auditing.packages.silence import silence
from verify.model.foreign import shorten_error
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
    "fix_arguments",
    "functions_of",
    "has_methods",
    "member",
    "pose",
    "region_for",
    "shorten_error",
    "silence",
]
