"""Judge the corpus: ``python -m benchmarks.corpus``."""

from benchmarks.corpus.run import main

if __name__ == "__main__":
    main()
