"""The options that commands share, each with its one line of help."""

from __future__ import annotations

from typing import Annotated

import typer

File = Annotated[
    str | None,
    typer.Argument(metavar="FILE", help="CSV, TSV, JSON lines or Parquet, plain or gzipped; - is stdin."),
]
OneFile = Annotated[str, typer.Argument(metavar="FILE", help="CSV, TSV, JSON lines or Parquet; - is stdin.")]
NeededTruth = Annotated[str, typer.Option("--truth", help="Column of true labels.")]
Truth = Annotated[str | None, typer.Option("--truth", help="Column of true labels.")]
PosLabel = Annotated[str | None, typer.Option("--pos-label", help="Positive class; the others are the rest.")]
Rope = Annotated[str | None, typer.Option("--rope", help="Smallest difference that matters, or LOW,HIGH.")]
Prob = Annotated[float, typer.Option("--prob", help="Mass of the HDI.")]
Rule = Annotated[str, typer.Option("--rule", help="hdi or probability.")]
Draws = Annotated[str, typer.Option("--draws", help="Number of draws, or auto.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed; the same seed gives the same answer.")]
Threads = Annotated[int, typer.Option("--threads", min=1, help="Threads to draw with.")]
Id = Annotated[str | None, typer.Option("--id", help="Column of item ids.")]
Cluster = Annotated[str | None, typer.Option("--cluster", help="Column that says which items belong together.")]
Scores = Annotated[
    bool, typer.Option("--scores", help="The columns hold scores: roc_auc (default), log_loss, mean and others.")
]
Lower = Annotated[bool, typer.Option("--lower-is-better", help="With --scores --metric mean: less is better.")]
Missing = Annotated[str, typer.Option("--missing", help="Null labels: error, drop or wrong.")]
Labels = Annotated[str | None, typer.Option("--labels", help="All classes, separated by commas.")]
Prevalence = Annotated[
    str | None,
    typer.Option("--prevalence", help="Another class mix: P(positive), or one share a label, or label=share."),
]
Cost = Annotated[str | None, typer.Option("--cost-matrix", help="File of costs for --metric cost.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Markdown = Annotated[bool, typer.Option("--markdown", help="Print a Markdown table.")]
Latex = Annotated[bool, typer.Option("--latex", help="Print a LaTeX table.")]
Html = Annotated[str | None, typer.Option("--html", metavar="OUT", help="Also write an HTML page.")]
Metric = Annotated[str | None, typer.Option("--metric", help="Metric; f1 for two labels, macro_f1 for more.")]
Model = Annotated[
    str | None,
    typer.Option("--model", help="paired (default), unpaired, pooled, icdm2015, flat or bootstrap."),
]
Engine = Annotated[str, typer.Option("--engine", help="exact, pymc (Markov chains), or auto: exact.")]
Step = Annotated[str | None, typer.Option("--step", help="With --engine pymc: nuts (default) or metropolis.")]
Chains = Annotated[int | None, typer.Option("--chains", help="With --engine pymc: how many; 4, or 1 for metropolis.")]
Tune = Annotated[int | None, typer.Option("--tune", help="With --engine pymc: steps to tune and throw away.")]
Classes = Annotated[str | None, typer.Option("--classes", help="Classes that an average runs over; all unless said.")]
Item = Annotated[str | None, typer.Option("--item", help="Multi-label: column of items, with --label.")]
OneLabel = Annotated[
    str | None, typer.Option("--label", help="Multi-label: column of labels; the others hold 0 and 1.")
]
NItems = Annotated[int | None, typer.Option("--n-items", help="Multi-label: how many items there were in all.")]
