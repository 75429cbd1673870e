"""Documents in, texts out: every surface sees blocks only, and never asks which kind of result they describe."""
