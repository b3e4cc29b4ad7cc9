"""One transformation a file: staging, jvp, linearise, transpose, batch, dead code, evaluation."""
