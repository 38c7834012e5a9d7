"""A process of one's own for tasks: started when needed, ended when a task breaks it."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, replace
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Final, NamedTuple

from verify.campaign.executors.child import CLOSED_STATUS, IDLE_STATUS
from verify.campaign.held_folder import HeldFolder
from verify.campaign.limits import Setup
from verify.errors import UsageError
from verify.limits.processes import end_with

_STARTING: Final = 300.0
"""Seconds that a process may take to start, on a machine that has much else to do."""

_DYING: Final = 1.0
"""Seconds that a process has to end after it has closed its line."""

_LOOK: Final = 0.5
"""Seconds between looks at whether a process lives: a fork of it may keep its line open."""

_TRIED_AGAIN: Final = (-signal.SIGKILL, -signal.SIGTERM, -signal.SIGHUP, IDLE_STATUS)
"""Statuses of processes that somebody else ended, or that had just ended for want of work."""

_MEANING: Final = {
    signal.SIGSEGV: "a segmentation fault",
    signal.SIGABRT: "an abort",
    signal.SIGBUS: "a bus error",
    signal.SIGFPE: "an arithmetic error of the processor",
    signal.SIGILL: "an illegal instruction",
    signal.SIGKILL: "somebody ended it, or memory ran out",
    signal.SIGTERM: "somebody ended it",
    signal.SIGHUP: "somebody ended it",
}

_ONE_THREAD: Final = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""Sums that are split among threads have other last digits; and processes already use all cores."""


class Reply(NamedTuple):
    """What a process said of a task; as in :class:`verify.campaign.work.Outcome`."""

    text: str
    ended: str
    seconds: float


@dataclass(slots=True)
class _Running:
    """A process that runs."""

    popen: subprocess.Popen[bytes]
    line: Connection
    lifeline: int
    folder: HeldFolder

    def kill(self) -> None:
        """Kill it with all that it started."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.popen.pid, signal.SIGKILL)

    def end(self) -> int:
        """End it with all that it started and left; its exit status."""
        self.kill()
        status = self.popen.wait()
        self.line.close()
        os.close(self.lifeline)
        self.folder.close()
        return status


class Process:
    """A process for tasks, one at a time; another one takes its place when a task breaks it."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._running: _Running | None = None
        self._lock = threading.Lock()
        self._busy = False
        self._closed = False

    def answer(self, payload: bytes, seconds: float) -> Reply:
        """Run a pickled task; whatever it does, there is a reply.

        It is ended some seconds after its budget.

        Raises
        ------
        UsageError
            No process can be started.
        """
        with self._lock:
            self._busy = True
        try:
            return self._answer_or_retry(payload, seconds)
        finally:
            with self._lock:
                self._busy = False
            if self._closed:
                self._end()

    def _answer_or_retry(self, payload: bytes, seconds: float) -> Reply:
        begun, kills, status = time.monotonic(), 0, -signal.SIGKILL
        while kills < 2 and not self._closed:
            found = self._ask_process(payload, seconds)
            if isinstance(found, Reply):
                return found
            status = found
            if status not in _TRIED_AGAIN:
                break
            kills += 1
        return Reply("", _death(status, kills), time.monotonic() - begun)

    def _ask_process(self, payload: bytes, seconds: float) -> Reply | int:
        """The reply of the process, or the status with which it ended."""
        running = self._running or self._start_process()
        if not isinstance(running, _Running):
            return running
        with self._lock:
            self._running = running
            if self._closed:
                return -signal.SIGKILL
        begun, most = time.monotonic(), seconds + self._setup.limits.grace
        try:
            running.line.send((payload, seconds))
            if not _is_there(running, most):
                self._end()
                words = (
                    f"the task was still running after {most:g} s (its budget of {seconds:g} s, "
                    f"and {self._setup.limits.grace:g} s of grace), and was ended; give more with "
                    "--budget"
                )
                return Reply("", words, time.monotonic() - begun)
            text, ended, taken, fit = json.loads(running.line.recv_bytes())
        except (EOFError, OSError):
            running, self._running = self._running, None
            return _exit_status(running)
        except (ValueError, TypeError):
            self._end()
            words = "the task wrote into the connection of its process"
            return Reply("", words, time.monotonic() - begun)
        if not fit:
            self._end()
        return Reply(text, ended, taken)

    def _end(self) -> None:
        """End the process, with all that its tasks started; the next task starts another one."""
        running, self._running = self._running, None
        if running is not None:
            running.end()

    def close(self) -> None:
        """End the process, for good; a task that runs there now comes to no answer."""
        with self._lock:
            self._closed = True
            if self._running is not None:
                self._running.kill()
            busy = self._busy  # whoever is, in another thread, cleans up
        if not busy:
            self._end()

    def _start_process(self) -> _Running | int:
        """A process that is ready; the status of one that somebody else ended before it was."""
        if not hasattr(os, "killpg"):
            raise UsageError(
                "processes under limits need Linux or macOS; use jobs=0 to run in this process"
            )
        folder = HeldFolder()
        ours, theirs = Pipe()
        their_lifeline, lifeline = os.pipe()
        path = [entry or os.getcwd() for entry in sys.path]
        code = (
            f"import sys; sys.path[:] = {path!r}; "
            f"from verify.campaign.executors.child import serve; "
            f"serve({theirs.fileno()})"
        )
        popen = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            pass_fds=[theirs.fileno(), their_lifeline],
            start_new_session=True,
            env=os.environ | {"PYTHONHASHSEED": "0"} | _threads(),
        )
        with contextlib.suppress(ProcessLookupError):  # it is gone already
            end_with(their_lifeline, -popen.pid)
        theirs.close()
        os.close(their_lifeline)
        running = _Running(popen, ours, lifeline, folder)
        with contextlib.suppress(EOFError, OSError):
            ours.send(replace(self._setup, folder=folder.name))
            if _is_there(running, _STARTING) and ours.recv_bytes() == b"ready":
                if popen.stderr is not None:
                    popen.stderr.close()
                return running
        status, said = _exit_status(running), _last_words(popen)
        if status in _TRIED_AGAIN and not said:
            return status
        raise UsageError(f"the process for tasks did not start (status {status}):\n{said}")


def _threads() -> dict[str, str]:
    return {name: os.environ.get(name, "1") for name in _ONE_THREAD}


def _exit_status(running: _Running | None) -> int:
    """How a process ended that has closed its line."""
    assert running is not None
    with contextlib.suppress(subprocess.TimeoutExpired):
        running.popen.wait(_DYING)
    return running.end()


def _last_words(popen: subprocess.Popen[bytes]) -> str:
    """What a process that did not start said."""
    said = popen.communicate()[1].decode(errors="replace")
    return "\n".join(f"  {line}" for line in said.splitlines()[-6:])


def _is_there(running: _Running, seconds: float) -> bool:
    """Whether something arrives from a process within so many seconds.

    Raises
    ------
    EOFError
        The process has ended.
    """
    deadline = time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0:
        if running.line.poll(min(left, _LOOK)):
            return True
        if running.popen.poll() is not None and not running.line.poll():
            raise EOFError
    return False


def _death(status: int, kills: int) -> str:
    """How the process of a task ended, in words."""
    if status >= 0:
        why = ", as after closing all files" if status == CLOSED_STATUS else ""
        return f"the task ended its process before it answered (exit status {status}{why})"
    try:
        number = signal.Signals(-status)
        name, meaning = number.name, _MEANING.get(number)
    except ValueError:
        name, meaning = f"signal {-status}", None
    cause = f"{name}: {meaning}" if meaning else name
    twice = ", twice" if kills > 1 else ""
    return f"the process of the task was ended by a signal{twice} ({cause})"
