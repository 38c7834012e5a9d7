"""Prove all built-in rows again: ``python -m verify.proofs`` writes ``proved.json``."""

from symtape.primitives.vocabulary import vocabulary
from verify.proofs.killable import prove_rows
from verify.proofs.known import FILE, as_text

if __name__ == "__main__":
    rows = vocabulary()
    proofs = prove_rows(rows, again=True)
    found = {row.name: (row, proof) for row, proof in zip(rows, proofs, strict=True)}
    FILE.write_text(as_text(found), encoding="utf-8")
    proved = sum(proof.proved for proof in proofs)
    seconds = sum(proof.seconds for proof in proofs)
    print(f"{proved} of {len(rows)} rows proved in {seconds:.1f} s; wrote {FILE}")
