"""A third party: findings confirmed by difference quotients in mpmath, without any rule."""

from verify.oracles.recheck.opinion import Opinion as Opinion
from verify.oracles.recheck.opinion import OpinionStatus as OpinionStatus
from verify.oracles.recheck.opinion import opinion_on_entry as opinion_on_entry
from verify.oracles.recheck.opinion import opinion_on_slope as opinion_on_slope
