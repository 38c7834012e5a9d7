"""The vocabulary: every operation symtape knows, one row each."""
import importlib
import pkgutil

for _m in pkgutil.iter_modules(__path__):
    if _m.name not in ("special","primitive","protocol") :
        importlib.import_module(f"symtape.primitives.{_m.name}")
