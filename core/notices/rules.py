"""All rules, in the order in which notices are read: those that explain others come first."""

from core.notices import (
    dead_heads,
    diverging,
    memorising,
    no_rate,
    plateau,
    same_output,
    source_ignored,
    teacher_forced_only,
)
from core.notices.notice import Rule

RULES: tuple[Rule, ...] = (
    diverging.RULE,
    no_rate.RULE,
    same_output.RULE,
    source_ignored.RULE,
    teacher_forced_only.RULE,
    memorising.RULE,
    plateau.RULE,
    dead_heads.RULE,
)
