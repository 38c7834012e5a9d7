"""Judge the pairs: ``python -m benchmarks.packages``."""

from benchmarks.packages.run import main

if __name__ == "__main__":
    main()
