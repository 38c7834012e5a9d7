"""The numeric engine: reverse sweeps and batched cotangents."""
