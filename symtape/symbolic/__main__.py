"""Let SymPy make the table of common templates: ``python -m symtape.symbolic`` writes it."""

from symtape.symbolic.known import FILE, format_table
from symtape.symbolic.tabulated import make_partials, make_readings

if __name__ == "__main__":
    readings = make_readings()
    partials = make_partials(readings.values())
    FILE.write_text(format_table(readings, partials), encoding="utf-8")
    print(f"{len(readings)} readings, {len(partials)} formulas with derivatives; wrote {FILE}")
