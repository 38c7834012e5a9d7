"""``python -m verify``: the command ``symtape``."""

from __future__ import annotations

from verify.cli import main

if __name__ == "__main__":
    main()
