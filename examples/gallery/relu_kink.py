"""
A kink
======

The ReLU has no derivative at 0: its slope is 0 on the left and 1 on the right. symtape accepts any
value in between, and rejects all others.
"""

import matplotlib.pyplot as plt
import numpy as np

import verify


def relu(x):
    """The positive part of x."""
    return np.maximum(x, 0)


for name, claim in {
    "0 (the usual choice)": lambda x: np.where(x > 0, 1.0, 0.0),
    "1/2 (the mean)": lambda x: np.heaviside(x, 0.5),
    "2 (a mistake)": lambda x: np.where(x == 0, 2.0, np.heaviside(x, 0.5)),
}.items():
    r = verify.gradient(relu, claim, at=[-1.0, 0.0, 1.0])
    print(f"{name}: {r.verdict.value}, passes: {bool(r)}")
    print("   ", r.witness.message if r.witness else r.points[1].message)

x = np.linspace(-1, 1, 101)
plt.plot(x, relu(x), label="ReLU")
for slope in (0, 0.25, 0.5, 0.75, 1):
    plt.plot(x, slope * x, color="gray", linewidth=0.7)
plt.plot(0, 0, "o")
plt.legend()
plt.title("Every gray slope is admissible at 0")
