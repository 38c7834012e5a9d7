"""Worker processes of one call: none outlives the process that asked for it."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.verify.campaign.executors.test_local import is_gone, wait_until

PROGRAM = """
    import operator, os
    from tests.verify.campaign.executors import hostile
    from verify.limits.processes import call_in_processes

    if __name__ == "__main__":
        calls = [(os.getpid,), (getattr(hostile, "{task}"), None)]
        for _, future in call_in_processes(operator.call, calls, 1, 600.0):
            print(future.result(), flush=True)
"""


@pytest.mark.parametrize("task", ["hangs", "hangs_in_c"])
def test_a_worker_ends_with_the_process_that_asked(task, tmp_path):
    root = Path(__file__).parents[3]
    file = tmp_path / "program.py"
    path = f"import sys; sys.path.insert(0, {str(root)!r})\n"
    file.write_text(path + textwrap.dedent(PROGRAM).format(task=task))
    with subprocess.Popen(
        [sys.executable, file], stdout=subprocess.PIPE, text=True, cwd=root
    ) as program:
        worker = int(program.stdout.readline())
        program.kill()
    wait_until(lambda: is_gone(worker))
