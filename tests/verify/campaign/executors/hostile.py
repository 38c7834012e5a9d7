"""Works for executors: well-behaved ones, and tasks that do what a task should not."""

import ctypes
import decimal
import gc
import json
import locale
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import threading
import time
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import symtape
from symtape.primitives.primitive import PRIMITIVES


@dataclass(frozen=True)
class Call:
    """A call of a function of this file."""

    name: str
    argument: object = None
    packages: tuple = ()

    @property
    def id(self):
        return f"{self.name} {self.argument}"

    @property
    def key(self):
        return self.id

    def run(self, seconds):
        return json.dumps(globals()[self.name](self.argument))

    def describe_end(self, words):
        return json.dumps({"ended": words})


def state(number):
    """All that a task may have changed, and an answer that depends on some of it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.warn("shown", UserWarning, stacklevel=1)
    with np.errstate():
        quotient = str(np.float64(1.0) / np.float64(3.0))
    return {
        "answer": float(symtape.grad(np.sin)(float(number))),
        "errors": np.geterr(),
        "printed": str(np.array([1 / 3])) + quotient,
        "random": [random.random(), np.random.random()],  # noqa: NPY002
        "environment": sorted(os.environ.items()),
        "folder": [os.listdir(), os.listdir(os.environ["TMPDIR"])],
        "warnings": len(caught),
        "handlers": [str(signal.getsignal(s)) for s in (signal.SIGINT, signal.SIGTERM)],
        "timer": signal.getitimer(signal.ITIMER_REAL),
        "mask": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, ())),
        "recursion": sys.getrecursionlimit(),
        "collector": gc.isenabled(),
        "decimals": decimal.getcontext().prec,
        "locale": locale.setlocale(locale.LC_ALL),
        "builtins": len([1, 2, 3]),
        "modules": sys.modules["math"].__name__,
        "trace": str(sys.gettrace()),
        "umask": _umask(),
        "affinity": len(os.sched_getaffinity(0)) if sys.platform == "linux" else 0,
        "threads": threading.active_count(),
        "memory": len(np.zeros(1000)),
    }


def _umask():
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def plain(number):
    return number


def sleep(seconds):
    time.sleep(seconds)
    return "slept"


def place(argument):
    return os.getpid()


# What changes the process, and answers.


def sets_errstate(_):
    np.seterr(all="raise")
    np.set_printoptions(precision=2)
    decimal.getcontext().prec = 3


def changes_folder(_):
    os.chdir("/")


def changes_environment(_):
    os.environ["PLANTED"] = "1"
    del os.environ["PATH"]


def filters_warnings(_):
    warnings.simplefilter("error")
    warnings.showwarning = None


def seeds(_):
    random.seed(5)
    np.random.seed(5)  # noqa: NPY002


def handles_signals(_):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *given: None)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
    signal.setitimer(signal.ITIMER_REAL, 0.2)


def changes_interpreter(_):
    sys.setrecursionlimit(60)
    sys.settrace(lambda *given: None)
    gc.disable()
    sys.path.insert(0, "/planted")
    sys.stdout = None


def changes_the_process(_):
    os.umask(0o777)
    os.nice(1)
    sys.setswitchinterval(1e-6)
    if sys.platform == "linux":
        os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])


def patches_modules(_):
    symtape.grad = lambda function: lambda x: 17.0
    PRIMITIVES["sin"] = PRIMITIVES["cos"]
    __builtins__["len"] = lambda x: 17
    sys.modules["math"] = np
    np.zeros = None


def patches_a_class(_):
    from symtape.recording.tensor import Tensor

    Tensor.__mul__ = lambda self, other: self


def leaves_files(_):
    Path("left").write_text("left")
    Path("deep/er").mkdir(parents=True)
    Path("deep/er/file").write_text("left")
    Path("deep").chmod(0)
    Path(os.environ["TMPDIR"], "too").write_text("left")


def leaves_open_files(_):
    leaves_open_files.kept = [open(os.devnull) for _ in range(200)]  # noqa: SIM115


def leaves_a_thread(_):
    threading.Thread(target=time.sleep, args=(600,), daemon=True).start()


def leaves_processes(_):
    return [subprocess.Popen(["sleep", "600"]).pid for _ in range(30)]


def forks_and_returns(_):
    return os.fork() >= 0


def prints_much(_):
    line = "x" * (1 << 20)
    for _ in range(64):
        print(line)
        os.write(2, line.encode())


def reads_the_keyboard(_):
    return sys.stdin.read()


# What ends it.


def raises(_):
    raise ValueError("planted")


class Unspeakable(Exception):
    def __str__(self):
        raise RuntimeError("no text")


def raises_what_has_no_text(_):
    raise Unspeakable


def exits(_):
    sys.exit(3)


def interrupts(_):
    raise KeyboardInterrupt


def signals_an_interrupt(_):
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(600)


def leaves_with_0(_):
    os._exit(0)


def leaves_with_7(_):
    os._exit(7)


def leaves_with_75(_):
    os._exit(75)


def segfaults(_):
    ctypes.string_at(0)


def aborts(_):
    os.abort()


def kills_itself(_):
    os.kill(os.getpid(), signal.SIGKILL)


def hangs(_):
    while True:
        pass


def hangs_in_c(_):
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    ctypes.PyDLL(None).usleep(600_000_000)


def asks_for_memory(_):
    np.ones(1 << 30)


def leaks_memory(_):
    kept = []
    while True:
        kept.append(bytearray(1 << 26))


def writes_much(_):
    with open("much", "wb") as file:
        for _ in range(64):
            file.write(b"x" * (1 << 20))


def answers_much(_):
    return "x" * (1 << 26)


def recurses(_):
    return recurses(_)


def closes_all_files(_):
    os.closerange(3, 1000)


def writes_into_all_files(_):
    for file in range(3, 50):
        try:
            os.write(file, b"\0\0\0\3abc" * 3)
        except OSError:
            continue
    time.sleep(600)


def leaves_a_fork_that_holds_the_line(_):
    if os.fork():
        os._exit(4)
    time.sleep(600)


@dataclass(frozen=True)
class NoText(Call):
    """Answers what is no text."""

    def run(self, seconds):
        return 5


class Unpicklable(Call):
    """Cannot be sent."""

    def __reduce__(self):
        raise TypeError("planted")


class Unreadable(Call):
    """Cannot be read where it arrives."""

    def __reduce__(self):
        return missing, (self.name,)


def missing(name):
    if multiprocessing.parent_process() is None and "pytest" not in sys.modules:
        raise ImportError("planted")
    return Call(name)
