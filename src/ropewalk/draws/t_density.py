"""Student t distributions, normal for infinite degrees of freedom, over arrays: densities, quantiles, probabilities."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from ropewalk.typing import FloatArray


def legendre(n: int) -> tuple[FloatArray, FloatArray]:
    """Return Gauss-Legendre nodes and weights between 0 and 1."""
    nodes, weights = np.polynomial.legendre.leggauss(n)
    return (nodes + 1) / 2, weights / 2


def log_constant(df: FloatArray) -> FloatArray:
    """Return the log of a t density at 0, of a normal one for infinite degrees of freedom."""
    finite = np.where(np.isinf(df), 1.0, df)
    logs = special.gammaln((finite + 1) / 2) - special.gammaln(finite / 2) - np.log(finite * math.pi) / 2
    return np.where(np.isinf(df), -math.log(2 * math.pi) / 2, logs)


def log_kernel(z: FloatArray, df: FloatArray | float) -> FloatArray:
    """Return the log of a t density over that at 0."""
    if np.all(np.isinf(df)):
        return np.asarray(-(z**2) / 2)
    return np.asarray(-(np.asarray(df) + 1) / 2 * np.log1p(z**2 / df))


def t_density(z: FloatArray, df: FloatArray | float, log_constant: FloatArray | float) -> FloatArray:
    """Return a t density, given the log of that at 0."""
    return np.asarray(np.exp(log_kernel(z, df) + log_constant))


def t_quantiles(df: FloatArray, shares: FloatArray) -> FloatArray:
    """Return the values below which shares of the probability lie."""
    if np.all(np.isinf(df)):
        return np.asarray(np.broadcast_to(special.ndtri(shares), np.broadcast_shapes(np.shape(df), shares.shape)))
    return np.asarray(special.stdtrit(df, shares))


def t_below(z: FloatArray, df: FloatArray) -> FloatArray:
    """Return the probability of less than a value."""
    return np.asarray(special.ndtr(z) if np.all(np.isinf(df)) else special.stdtr(df, z))
