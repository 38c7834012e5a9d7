"""The child: a process in which tasks run, one after the other, apart from who asks for them."""

from __future__ import annotations

import contextvars
import faulthandler
import importlib
import json
import os
import pickle
import queue
import signal
import sys
import tempfile
import threading
import time
import warnings
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final

from verify.campaign.executors.isolation import Baseline
from verify.campaign.held_folder import remove
from verify.campaign.limits import Setup, format_bytes

IDLE_STATUS: Final = 75
"""The exit status of a child that nobody asked for long."""

CLOSED_STATUS: Final = 74
"""The exit status of a child whose task closed the files that it answers with."""

_BACKSTOP: Final = 30.0
"""Seconds past its limit after which a task ends itself: whoever should have ended it is gone."""

_MOST_WORDS: Final = 1000


def serve(file: int) -> None:
    """Answer tasks that arrive at a socket, by its descriptor, until it is closed."""
    line = Connection(file)
    setup: Setup = line.recv()
    warnings.simplefilter("ignore")
    folder = Path(setup.folder, "task")
    tempfile.tempdir = os.environ["TMPDIR"] = str(folder)
    for name in setup.imports:
        importlib.import_module(name)
    setup.limits.impose()
    _be_apart()  # from here on; what fails before is told by whoever started this process
    tasks: queue.SimpleQueue[tuple[bytes, float]] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(line, tasks), daemon=True).start()
    baseline = Baseline()
    line.send_bytes(b"ready")
    while True:
        try:
            payload, seconds = tasks.get(timeout=setup.idle)
        except queue.Empty:
            os._exit(IDLE_STATUS)
        reply = _answer_task(payload, seconds, setup, baseline, folder)
        try:
            line.send_bytes(reply)
        except OSError:
            os._exit(CLOSED_STATUS)


def _be_apart() -> None:
    """What tasks print goes nowhere, and what they ask of the terminal has no answer."""
    null = os.open(os.devnull, os.O_RDWR)
    for file in (0, 1, 2):
        os.dup2(null, file)
    os.close(null)
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _listen(line: Connection, tasks: queue.SimpleQueue[tuple[bytes, float]]) -> None:
    """Pass on what arrives; when nobody is there any more, end, with all that tasks started."""
    while True:
        try:
            tasks.put(line.recv())
        except (EOFError, OSError):
            os.killpg(0, signal.SIGKILL)


def _answer_task(
    payload: bytes, seconds: float, setup: Setup, baseline: Baseline, folder: Path
) -> bytes:
    """The answer to a task as JSON: text, words, seconds, whether this process is fit for more."""
    limits = setup.limits
    process, start = os.getpid(), time.perf_counter()
    faulthandler.dump_traceback_later(
        seconds + limits.grace + _BACKSTOP, exit=True, file=sys.__stderr__ or 2
    )
    text, ended = "", ""
    folder.mkdir()
    os.chdir(folder)
    baseline.prepare()
    try:
        with warnings.catch_warnings():
            text = contextvars.copy_context().run(_run, payload, seconds)
    except BaseException as error:  # noqa: BLE001  # whatever a task raises, it is told in words
        ended = _words(error, setup)
    if os.getpid() != process:
        os._exit(0)  # a task forked, and both returned
    taken = time.perf_counter() - start
    fit = baseline.restore(None if limits.memory is None else limits.memory // 2)
    fit = _is_removed(folder) and fit
    faulthandler.cancel_dump_traceback_later()
    reply = json.dumps([text, ended, taken, fit]).encode()
    if len(reply) > limits.output:
        words = f"the answer of the task is larger than {format_bytes(limits.output)}"
        reply = json.dumps(["", words, taken, fit]).encode()
    return reply


def _run(payload: bytes, seconds: float) -> str:
    work: Any = pickle.loads(payload)
    text = work.run(seconds)
    if not isinstance(text, str):
        raise TypeError(f"the answer is a {type(text).__name__}; expected JSON as text")
    return text


def _is_removed(folder: Path) -> bool:
    """Whether the working folder of a task is gone, with what the task left there."""
    os.chdir(folder.parent)
    remove(folder)
    return not folder.exists()


def _words(error: BaseException, setup: Setup) -> str:
    """What ended a task, in words."""
    limits = setup.limits
    if isinstance(error, MemoryError):
        most = (
            "there is"
            if limits.memory is None
            else f"the {format_bytes(limits.memory)} it may have"
        )
        return f"the task asked for more memory than {most}"
    if isinstance(error, SystemExit):
        return f"the task called sys.exit({_format_exit_code(error.code)})"
    if isinstance(error, KeyboardInterrupt):
        return "the task raised KeyboardInterrupt"
    if isinstance(error, OSError) and error.errno == 27:
        return f"the task wrote a file of more than {format_bytes(limits.output)}"
    return f"the task raised {type(error).__name__}: {_text(error)}"


def _format_exit_code(code: Any) -> str:
    return "" if code is None else repr(code)[:_MOST_WORDS]


def _text(error: BaseException) -> str:
    try:
        text = str(error)
    except Exception:  # noqa: BLE001  # the task's own exception
        return "(its text cannot be had)"
    return text if len(text) <= _MOST_WORDS else f"{text[:_MOST_WORDS]}…"
