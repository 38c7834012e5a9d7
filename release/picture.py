"""The picture of a report in README and docs, in light and dark: ``python -m release picture``."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Final

DOCS: Final = Path(__file__).parents[1] / "docs"
THEMES: Final = {"report.png": "1", "report-dark.png": "0"}
"""File names, and what Chromium calls the colour scheme that a page prefers."""


def take_pictures(page: Path) -> None:
    """Photograph the top of a report's page, as a browser shows it in each theme."""
    for name, scheme in THEMES.items():
        command = (
            *("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"),
            *("--window-size=1200,1150", f"--blink-settings=preferredColorScheme={scheme}"),
            f"--screenshot={DOCS / name}",
        )
        subprocess.run([*command, page.as_uri()], check=True, capture_output=True, timeout=120)
