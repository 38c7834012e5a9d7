"""Programs as they are written, recorded on Tensors, so that they become Graphs.

Plain code of NumPy and SciPy is run again in a recording mode where a value of it left the tape;
programs of other frameworks are read and replayed.
"""
