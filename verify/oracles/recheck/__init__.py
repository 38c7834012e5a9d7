"""A third party: findings confirmed by difference quotients in mpmath, without any rule."""

from verify.oracles.recheck.opinion import (
    Opinion,
    OpinionStatus,
    opinion_on_entry,
    opinion_on_slope,
)

__all__ = ["Opinion", "OpinionStatus", "opinion_on_entry", "opinion_on_slope"]
