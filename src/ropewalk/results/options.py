"""What may be asked: every option once, for the signatures of Python, the commands' options and the JSON.

A verb takes ``**options: Unpack[CompareOptions]``, and `checked_keywords` puts the names into its signature; a command
takes those that have a flag; the JSON of a result repeats those that have an `echo`. So a new option is one line here,
and its use.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Annotated, Any, Final, TypedDict, get_type_hints

from ropewalk._progress import ProgressLike
from ropewalk.mcmc.sampler import Engine
from ropewalk.metrics.registry import METRICS
from ropewalk.metrics.resolve import MetricLike
from ropewalk.metrics.scores import SCORE_METRICS, ScoreMetricLike
from ropewalk.models import model_names
from ropewalk.models.protocol import Model
from ropewalk.results.forms import COUNTS, FILE, FORMS, JOINED, LOGS, LONG, OF_ITEMS, OF_LABELS, OF_ROWS
from ropewalk.results.parsing import parse_draws, parse_numbers, parse_rope, parse_share, parse_texts, parse_weights
from ropewalk.typing import DrawsLike, Label, Missing, RopeLike, Rule, SeedLike

PYTHON_ONLY: Final = ""
"""The `flag` of an option that a shell cannot give: an array, a function, a second name."""


def _metric_names() -> list[str]:
    return [*METRICS, "cost", *SCORE_METRICS]


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """What is to be known about an option, beside its name and type.

    Parameters
    ----------
    help, choices
        One line for the command's help, and the names that it ends with, looked up when the help is shown.
    group
        The heading that the line stands under.
    default
        What holds where the option is absent; `shell_default` is that of the command where it differs.
    flag
        The spelling of the command line; None for the name with dashes, `PYTHON_ONLY` for none. An argument that goes
        by its place has a name without dashes: FILE.
    parse
        How the command reads the text: `str`, `int` (of at least `minimum`), `float`, `bool` for an option without a
        value, or a function of the text and the flag.
    required, is_input, several
        Whether a command refuses to run without it; whether it names a file to read, which no page may overwrite;
        whether an argument takes any number of values.
    metavar
        What the help calls the value.
    echo
        Where a recipe holds what the JSON repeats, such as "model.name"; empty where it repeats nothing. The JSON calls
        an option as the command line does.
    forms
        The forms of data that the option goes with, of `ropewalk.results.forms`; commands refuse it with others.
    """

    help: str
    choices: Callable[[], Iterable[str]] | None = None
    group: str = ""
    default: Any = None
    shell_default: Any = None
    flag: str | None = None
    parse: Callable[..., Any] = str
    minimum: int | None = None
    required: bool = False
    is_input: bool = False
    several: bool = False
    metavar: str | None = None
    echo: str = ""
    forms: Sequence[str] = FORMS

    @property
    def line(self) -> str:
        """The line of help, with the names that there are now."""
        return self.help if self.choices is None else f"{self.help} {', '.join(self.choices())}."


GROUPS: Final = ("What to compare", "The question", "What matters", "The answer", "Advanced")
"""The headings of the help, in its order."""

_data, _question, _decision, _, _model = (partial(Option, group=heading) for heading in GROUPS)
_drawing = _model


class TableOptions(TypedDict, total=False):
    """What the columns of the data are."""

    truth: Annotated[str | None, _data(help="Column of true labels.", forms=(FILE, JOINED, LONG, COUNTS))]
    names: Annotated[Sequence[str] | None, _data(help="What to call the classifiers.", flag=PYTHON_ONLY)]
    labels: Annotated[
        Iterable[Label] | None,
        _data(help="All classes, separated by commas.", parse=parse_texts, forms=OF_LABELS),
    ]
    missing: Annotated[Missing, _data(help="Null labels: error, drop or wrong.", default="error", forms=OF_ITEMS)]


class DataOptions(TableOptions, total=False):
    """What the data are."""

    cluster: Annotated[Any, _data(help="Column that says which items belong together.", forms=OF_ITEMS)]
    id: Annotated[Any, _data(help="Column of item ids.", forms=(FILE, JOINED, COUNTS))]
    sample_weight: Annotated[
        Any, _data(help="Column of how much each item counts.", flag="--weight", forms=(FILE, COUNTS))
    ]
    count: Annotated[Any, _data(help="Column of how many items each row stands for.", forms=(FILE, COUNTS))]


class UnmatchedOption(TypedDict, total=False):
    """What to do with the items of one side only."""

    unmatched: Annotated[
        str, _data(help="ids of one side only: error or drop.", default="error", forms=(JOINED, LOGS, LONG))
    ]


class MetricOption(TypedDict, total=False):
    """The one metric of a question."""

    metric: Annotated[
        MetricLike | ScoreMetricLike | None,
        _question(
            help="By default f1 for two labels, macro_f1 for more. Of labels or of scores:",
            choices=_metric_names,
            echo="metric.name",
        ),
    ]


class MetricsOption(TypedDict, total=False):
    """One metric or several."""

    metric: Annotated[
        MetricLike | ScoreMetricLike | Sequence[MetricLike | ScoreMetricLike] | None,
        _question(
            help="By default f1 for two labels, macro_f1 for more. One, or several separated by commas:",
            choices=_metric_names,
            parse=parse_texts,
            echo="metric.name",
        ),
    ]


class BesideLabelsOptions(TypedDict, total=False):
    """Scores beside labels, for metrics of both in one answer."""

    scores: Annotated[Any, _data(help="The scores of A and of B, beside labels.", flag=PYTHON_ONLY)]
    a_scores: Annotated[str | None, _data(help="Column of A's scores, beside labels.", forms=(FILE,))]
    b_scores: Annotated[str | None, _data(help="Column of B's scores, beside labels.", forms=(FILE,))]


class ClassOptions(TypedDict, total=False):
    """Which classes a metric is about, and what mistakes between them cost."""

    pos_label: Annotated[
        Label | None, _question(help="Positive class; the others are the rest.", echo="pos_label_text")
    ]
    classes: Annotated[
        Iterable[Label] | None,
        _question(help="Classes that an average runs over; all by default.", parse=parse_texts, echo="picked_texts"),
    ]
    cost_matrix: Annotated[Any, _question(help="File of costs for --metric cost.", metavar="FILE", is_input=True)]


class QuestionOptions(ClassOptions, total=False):
    """What is measured, beside the metric's name."""

    prevalence: Annotated[
        Any,
        _question(help="Another class mix: P(positive), or one share per label, or label=share.", echo="prevalence"),
    ]
    threshold: Annotated[
        float | None,
        _question(help="Probabilities, or scores, from it on are positive.", parse=parse_share, forms=(FILE, JOINED)),
    ]
    higher_is_better: Annotated[bool | None, _question(help="Whether more of a mean is better.", flag=PYTHON_ONLY)]
    scale: Annotated[
        Any,
        _question(
            help="LOW,HIGH: the values that a mean, or a log loss, can be made of.", parse=parse_numbers, echo="scale"
        ),
    ]


class MarginOption(TypedDict, total=False):
    """The size that goes with a goal of one side."""

    margin: Annotated[float | None, _decision(help="With --goal: the size that counts, 0.02 or 2%.", parse=parse_share)]


class RopeOption(MarginOption, total=False):
    """The region of practical equivalence."""

    rope: Annotated[
        RopeLike | Mapping[str, RopeLike] | None,
        _decision(help="Smallest difference that matters, 1% or 0.01; or LOW,HIGH; or METRIC=R,…", parse=parse_rope),
    ]


class GoalOption(RopeOption, total=False):
    """What matters: a region of practical equivalence, or a goal of one side."""

    goal: Annotated[str | None, _decision(help="Instead of --rope: not-worse, better or equivalent, by --margin.")]


class RuleOptions(TypedDict, total=False):
    """By which rule a difference is judged."""

    prob: Annotated[float, _decision(help="Mass of the HDI.", default=0.95, parse=parse_share, echo="prob")]
    rule: Annotated[Rule, _decision(help="hdi or probability.", default="hdi", echo="rule")]


class DecisionOptions(GoalOption, RuleOptions, total=False):
    """How a difference is judged."""


class ModelOption(TypedDict, total=False):
    """The model of the data."""

    model: Annotated[
        str | Model | None, _model(help="By default paired; or one of", choices=model_names, echo="model.name")
    ]


class EngineOption(TypedDict, total=False):
    """What draws the posterior."""

    engine: Annotated[
        Engine, _model(help="exact, pymc (Markov chains), or auto: exact.", default="auto", echo="engine")
    ]


class SeedOption(TypedDict, total=False):
    """Where chance comes from."""

    rng: Annotated[
        SeedLike,
        _drawing(
            help="Seed; the same seed gives the same answer.",
            flag="--seed",
            shell_default=0,
            parse=int,
            minimum=0,
            echo="seed",
        ),
    ]


class SeedOptions(SeedOption, total=False):
    """Where chance comes from, and how progress is shown."""

    random_state: Annotated[SeedLike, _drawing(help="An alias of `rng`.", flag=PYTHON_ONLY)]
    progress: Annotated[ProgressLike, _drawing(help="How progress is shown.", flag=PYTHON_ONLY)]


class RunOptions(SeedOptions, total=False):
    """Where chance comes from, and how work runs."""

    threads: Annotated[int, _drawing(help="Threads to draw with.", default=1, parse=int, minimum=1)]


class DrawsOption(TypedDict, total=False):
    """How many draws."""

    draws: Annotated[DrawsLike, _drawing(help="Number of draws, or auto.", default="auto", parse=parse_draws)]


class ExactOption(TypedDict, total=False):
    """Whether the weights of many items are drawn one by one."""

    exact: Annotated[
        bool | None,
        _drawing(help="Draw the weights of all scored items, however many there are.", parse=bool, echo="exact"),
    ]


class HowOptions(ModelOption, EngineOption, DrawsOption, ExactOption, RunOptions, total=False):
    """How an answer is drawn."""


class AskOptions(QuestionOptions, DecisionOptions, HowOptions, total=False):
    """What is asked about data, and how it is drawn."""


class SharedOptions(DataOptions, AskOptions, total=False):
    """What `compare`, `evaluate` and `rank` take alike."""


class TestsOption(TypedDict, total=False):
    """Classical tests beside an answer."""

    tests: Annotated[bool | None, _decision(help="Put the papers' classical tests beside it.", parse=bool)]


class PoolOption(TypedDict, total=False):
    """Whether many scores are drawn towards their centre."""

    pool: Annotated[bool | None, _model(help="Whether scores are pooled.", flag=PYTHON_ONLY, echo="pool")]


class ByOption(TypedDict, total=False):
    """Slices of the items."""

    by: Annotated[
        Any,
        _question(
            help="Column of slices: on which it got worse, and better.",
            metavar="COLUMN",
            forms=OF_ROWS,
        ),
    ]


class TasksOptions(TypedDict, total=False):
    """Over which tasks an answer is, and what each of them weighs."""

    over: Annotated[
        str | None,
        _question(help="Of several tasks: average over these, or tasks like these: these or tasks.", forms=OF_ROWS),
    ]
    weights: Annotated[
        Any,
        _question(
            help="Of these tasks: items, so that all items count alike; or TASK=W,…", parse=parse_weights, forms=OF_ROWS
        ),
    ]


class TaskOption(TasksOptions, total=False):
    """Tasks that items belong to."""

    task: Annotated[Any, _data(help="Column of tasks, to be compared over all of them.", flag=PYTHON_ONLY)]


class SeveralRunsOptions(TypedDict, total=False):
    """Several runs of each system on the same items."""

    runs: Annotated[
        str | None,
        _data(help="Several runs of each: independent, shared (same seeds for all) or samples.", forms=(FILE,)),
    ]
    run: Annotated[str | None, _data(help="Column of runs: a row per item and run; with --runs.", forms=(FILE,))]
    run_sd: Annotated[Any, _model(help="Known standard deviation between runs.", parse=float, forms=(FILE,))]
    deterministic: Annotated[
        str | Sequence[str] | None,
        _model(help="Which has no spread between runs: a, b, or its name.", parse=parse_texts, forms=(FILE,)),
    ]
    fixed: Annotated[str | None, _model(help="What is not taken as picked: items or runs.", forms=(FILE,))]


class JudgeOptions(TypedDict, total=False):
    """What humans say, where a judge scored all answers."""

    human_a: Annotated[
        Any, _data(help="Column of humans' verdicts on A's answers, where --a has a judge's.", forms=(FILE,))
    ]
    human_b: Annotated[Any, _data(help="Column of humans' verdicts on B's answers.", forms=(FILE,))]
    human: Annotated[
        Any,
        _data(
            help="Column of humans' labels of some items, where --truth has a judge's; of logs their score.",
            forms=(FILE, LOGS, LONG),
        ),
    ]


class FlipsOption(TypedDict, total=False):
    """The answers that changed."""

    flips: Annotated[
        bool | None, _question(help="Also how many answers were gained and lost; always of logs.", parse=bool)
    ]


class CompareOptions(
    MetricsOption,
    BesideLabelsOptions,
    SharedOptions,
    UnmatchedOption,
    TestsOption,
    FlipsOption,
    ByOption,
    TaskOption,
    SeveralRunsOptions,
    JudgeOptions,
    PoolOption,
    total=False,
):
    """What `compare` takes, beside the data and the names of two classifiers."""


class GateOptions(
    MetricsOption,
    BesideLabelsOptions,
    DataOptions,
    QuestionOptions,
    RuleOptions,
    HowOptions,
    UnmatchedOption,
    TaskOption,
    SeveralRunsOptions,
    JudgeOptions,
    total=False,
):
    """What `gate` takes, beside the data and the names of candidate and base line."""

    require: Annotated[
        Any,
        _decision(
            help="better, not-worse or equivalent; also 'f1 better 0.01 on each task', several times.",
            default="not-worse",
            several=True,
        ),
    ]
    margin: Annotated[float | None, _decision(help="The size that counts, 0.02 or 2%; of better 0.", parse=parse_share)]
    on_undecided: Annotated[str, _decision(help="What undecided does: fail, warn or pass.", default="fail")]
    self_check: Annotated[
        bool, _decision(help="Also simulate how often this gate errs, on data like these.", parse=bool, default=False)
    ]


class WatchOptions(DataOptions, ModelOption, DrawsOption, RunOptions, UnmatchedOption, total=False):
    """What `watch` takes, beside the data and the names of two classifiers."""

    metric: Annotated[
        MetricLike | ScoreMetricLike | None,
        _question(
            help="A mean over items: accuracy (default), error, recall, specificity, fpr, fnr, cost, brier or mean."
        ),
    ]
    pos_label: Annotated[Label | None, _question(help="Positive class; the others are the rest.")]
    cost_matrix: Annotated[Any, _question(help="File of costs for --metric cost.", metavar="FILE", is_input=True)]
    threshold: Annotated[
        float | None,
        _question(help="Probabilities, or scores, from it on are positive.", parse=parse_share, forms=(FILE,)),
    ]
    higher_is_better: Annotated[bool | None, _question(help="Whether more of a mean is better.", flag=PYTHON_ONLY)]
    scale: Annotated[Any, _question(help="LOW,HIGH: the values that a mean can be made of.", parse=parse_numbers)]
    require: Annotated[str, _decision(help="Of A: better, not-worse or equivalent, by --margin.", default="not-worse")]
    margin: Annotated[float | None, _decision(help="The size that counts, 0.02 or 2%; of better 0.", parse=parse_share)]
    prob: Annotated[
        float, _decision(help="Mass of the HDI; half the rest is the error per side.", default=0.95, parse=parse_share)
    ]


class ClassesOptions(MetricOption, SharedOptions, TestsOption, PoolOption, total=False):
    """What `compare_classes` takes, beside the data and the names of two classifiers."""


class CrossOptions(MetricOption, AskOptions, TestsOption, total=False):
    """What `cross_compare` takes, beside the data and how they are divided."""

    names: Annotated[Sequence[str] | None, _data(help="What to call the classifiers.", flag=PYTHON_ONLY)]


class EvaluateOptions(MetricsOption, SharedOptions, TaskOption, SeveralRunsOptions, total=False):
    """What `evaluate` takes, beside the data and the classifier's name."""

    at_least: Annotated[float | None, _decision(help="A bar: P(score ≥ bar).", parse=parse_share)]


class RankOptions(
    MetricOption, SharedOptions, UnmatchedOption, SeveralRunsOptions, TaskOption, PoolOption, total=False
):
    """What `rank` takes, beside the data."""


class StudyOptions(MarginOption, RunOptions, total=False):
    """What simulated studies are to reach, and how they are simulated."""

    goal: Annotated[
        str,
        _decision(
            help="conclusive, '>>' (A better), '<<', '~'; with --margin not-worse, better, equivalent.",
            default="conclusive",
        ),
    ]
    draws: Annotated[
        int, _drawing(help="Draws from the posterior of each test set.", default=2_000, parse=int, minimum=1)
    ]
    n_jobs: Annotated[int | None, _drawing(help="Processes, through joblib, instead of threads.", parse=int)]


class PlanningOptions(MetricOption, ModelOption, ClassOptions, RopeOption, StudyOptions, total=False):
    """What `power`, `plan` and `stopping` take alike, beside the scenario and the number of simulations."""

    prob: Annotated[float | None, _decision(help="Mass of the HDI; 0.95 by default.", parse=parse_share)]
    rule: Annotated[Rule | None, _decision(help="hdi or probability.")]


class PlanOptions(PlanningOptions, total=False):
    """What `plan` takes, beside the scenario, its target and its budget."""

    max_loss: Annotated[
        float | None,
        _decision(help="Instead of a goal: the expected loss of shipping the better-looking one.", parse=parse_share),
    ]


class SimulationsOption(TypedDict, total=False):
    """How many test sets are simulated."""

    simulations: Annotated[int, _drawing(help="Simulated test sets.", default=1_000, parse=int, minimum=1)]


class TrainedOptions(DrawsOption, SeedOptions, total=False):
    """What is asked of classifiers that are trained first, beside the metric."""

    pos_label: Annotated[Label | None, _question(help="Positive class.")]
    prob: Annotated[float, _decision(help="Mass of the HDI.", default=0.95)]


class TrainingOptions(TrainedOptions, total=False):
    """What is asked of classifiers that are trained first."""

    metric: Annotated[MetricLike, _question(help="A metric of labels.", default="accuracy")]


class CurveOptions(DataOptions, RunOptions, total=False):
    """What can be said about the scores behind a curve, and about its band."""

    name: Annotated[str | None, _data(help="Which classifier or column; what to call an array.")]
    pos_label: Annotated[Label | None, _question(help="Positive class.")]
    prob: Annotated[float, _decision(help="Mass of the band.", default=0.95)]
    draws: Annotated[int, _drawing(help="How many curves are drawn.", default=2_000)]


class WiderOptions(DrawsOption, SeedOptions, total=False):
    """What is asked about more than the items of one test set."""

    rope: Annotated[
        RopeLike | None, _decision(help="Smallest difference that matters, 1% or 0.01; or LOW,HIGH.", parse=parse_rope)
    ]
    prob: Annotated[float, _decision(help="Mass of the HDI.", default=0.95, parse=parse_share)]
    rule: Annotated[Rule | None, _decision(help="hdi or probability.")]


class SuiteOptions(TasksOptions, WiderOptions, total=False):
    """What `suite` takes, beside the comparisons."""


class PopulationOptions(WiderOptions, total=False):
    """What is asked about the population that units come from."""

    population: Annotated[str | None, _model(help="How units differ: student or normal.")]
    tau_prior: Annotated[str | None, _model(help="Prior of their spread: jeffreys or uniform.")]


class ScoreOptions(TypedDict, total=False):
    """What scores are that are neither items' nor counts."""

    metric: Annotated[str, _question(help="What the scores are called.", default="score")]
    higher_is_better: Annotated[bool | None, _question(help="Whether more is better.", flag=PYTHON_ONLY)]
    names: Annotated[Sequence[str] | None, _data(help="What to call the two.", flag=PYTHON_ONLY)]


class DatasetsOptions(ScoreOptions, PopulationOptions, TestsOption, total=False):
    """What `compare_datasets` takes, beside the table and its columns."""

    model: Annotated[
        str | None, _model(help="hierarchical (folds), corani2017, or signed_rank (one score a data set).")
    ]
    rho: Annotated[float | None, _model(help="Correlation of folds; 1/k for k.", parse=float)]


class DatasetsRankOptions(DatasetsOptions, total=False):
    """What `rank_datasets` takes, beside the table and its columns."""

    by: Annotated[str, _decision(help="Rank by the mean score, or by the mean rank.", default="score")]


class FoldsOptions(ScoreOptions, WiderOptions, total=False):
    """What `compare_folds` takes, beside the scores and how they were made."""


@cache
def options_of(kind: type) -> Mapping[str, Option]:
    """Return the options of a typed dictionary by name, in the order in which they are shown.

    Examples
    --------
    >>> list(options_of(DecisionOptions))
    ['margin', 'rope', 'goal', 'prob', 'rule']
    >>> options_of(DecisionOptions)["prob"].default
    0.95
    """
    hints = get_type_hints(kind, include_extras=True)
    known = {name: getattr(hint, "__metadata__", ()) for name, hint in hints.items()}
    return {name: option for name, notes in known.items() for option in notes if isinstance(option, Option)}


def asks_about(kind: type, options: Mapping[str, Any]) -> bool:
    """Whether options hold one of those that a typed dictionary declares.

    Examples
    --------
    >>> asks_about(SeveralRunsOptions, {"run": "seed"}), asks_about(SeveralRunsOptions, {"run": None, "rope": 0.01})
    (True, False)
    """
    return any(options.get(name) is not None for name in options_of(kind))


def with_defaults(options: Mapping[str, Any], kind: type) -> dict[str, Any]:
    """Return options with the defaults of a typed dictionary where they are absent.

    Examples
    --------
    >>> with_defaults({"prob": 0.9}, DecisionOptions)
    {'margin': None, 'rope': None, 'goal': None, 'prob': 0.9, 'rule': 'hdi'}
    """
    return {name: option.default for name, option in options_of(kind).items()} | dict(options)
