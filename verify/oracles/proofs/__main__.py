"""Prove the rows that changed: ``python -m verify.oracles.proofs`` writes ``proved.json``.

With ``--all`` it proves every row again.
"""

import sys

from symtape.primitives.vocabulary import vocabulary
from verify.oracles.proofs.known import FILE, find_shipped_proof, format_proofs
from verify.oracles.proofs.row import prove_rows

if __name__ == "__main__":
    rows = vocabulary()
    kept = [None if "--all" in sys.argv[1:] else find_shipped_proof(row) for row in rows]
    changed = [row for row, proof in zip(rows, kept, strict=True) if proof is None]
    fresh = iter(prove_rows(changed, again=True))
    found = {row.name: (row, proof or next(fresh)) for row, proof in zip(rows, kept, strict=True)}
    FILE.write_text(format_proofs(found), encoding="utf-8")
    proved = sum(proof.proved for _, proof in found.values())
    print(f"{len(changed)} rows proved again; {proved} of {len(rows)} are proved; wrote {FILE}")
