"""The vocabulary: every operation symtape knows, one row each."""
import importlib
for _n in ("arithmetic","elementwise","choice","comparison","reductions","norms","shape","joining","padding","diagonals","indexing","sorting","contraction","linear_algebra"):
    try:
        importlib.import_module(f"symtape.primitives.{_n}")
    except ModuleNotFoundError as e:
        if e.name != f"symtape.primitives.{_n}": raise
