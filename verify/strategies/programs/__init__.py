"""Random programs over the primitive table: NumPy code, its graph, and a point of it."""

from verify.strategies.programs.drawing import programs as programs
from verify.strategies.programs.program import Program as Program
