"""Draw the picture of the README: three newsgroups, three verdicts."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np

import ropewalk as rw

COLOURS = ("#b34700", "#8a8a8a", "#0072b2")
PANELS = {8: "rec.motorcycles", 12: "sci.electronics", 9: "rec.sport.baseball"}


def main() -> None:
    """Write img/posterior.svg."""
    news = rw.examples.news20()
    mpl.rcParams["svg.hashsalt"] = "ropewalk"  # the same picture is the same file
    figure, axes = plt.subplots(1, 3, figsize=(9.6, 2.9), sharey=True, layout="constrained")
    bins = np.linspace(-0.1, 0.3, 161)
    for ax, (label, group) in zip(axes, PANELS.items(), strict=True):
        r = rw.compare(news.outcomes, a="nb_mult", b="svm_l2", pos_label=label, rope=0.05, rng=0)
        delta = r.draws.delta()
        shares = 100 * np.histogram(delta, bins)[0] / delta.size
        for colour, low, high in zip(COLOURS, (0, 20, 60), (20, 60, 160), strict=True):  # edges at ±0.05
            ax.stairs(shares[low:high], bins[low : high + 1], fill=True, color=colour)
        ax.axvspan(-0.05, 0.05, color="#8a8a8a", alpha=0.18, lw=0)
        ax.axvline(0, color="black", lw=0.8, ls=":")
        ax.plot([r.hdi.low, r.hdi.high], [-0.28, -0.28], color="black", lw=4, solid_capstyle="butt")
        ax.set_title(
            f"{group}\n{r.decision.symbol}  {'conclusive' if r.conclusive else 'more data needed'}", fontsize=10
        )
        ax.set_xlabel("F1 of naive Bayes − F1 of SVM")
        ax.set_yticks([])
        ax.spines[["left", "right", "top"]].set_visible(False)
    axes[2].annotate("ROPE\n±0.05", (0, 5.4), fontsize=8, color="#404040", va="top", ha="center")
    axes[0].annotate("95% HDI", (0.047, -0.28), fontsize=8, va="center")
    figure.savefig(Path(__file__).parent / "img" / "posterior.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
