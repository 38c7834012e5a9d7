"""Discovery: the functions of a package and what it says their derivatives are.

What a convention of one's own is written with is named here.
"""

from verify.discovery.convention import Convention, NotPosed
from verify.discovery.hints import Hint
from verify.discovery.pair import Pair, Unpaired
from verify.discovery.posing import Claim, pose
from verify.discovery.regions import region_for

__all__ = ["Claim", "Convention", "Hint", "NotPosed", "Pair", "Unpaired", "pose", "region_for"]
