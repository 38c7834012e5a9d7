"""SciPy functions that NumPy's protocols cannot reach, under SciPy's own names.

SciPy's ufuncs (``scipy.special.expit``, ``erf``, ``gammaln`` ...) record as they are; what is
here are the functions that convert their arguments to arrays first. Each takes plain arrays too.
Code that is differentiated may call SciPy's own: its names mean these while it is recorded.
"""
