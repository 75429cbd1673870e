"""Write an answer into a run of MLflow: numbers with their intervals, the verdict as tags, the page and the JSON.

What is logged is read from the JSON of the answer, so that a new kind of answer is logged as the others are. The
question goes into tags, and not into params, which a run can set only once: two answers fit into one run.
"""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain, count
from typing import Any, Final

from ropewalk._checks import check_whole
from ropewalk._optional import require
from ropewalk.errors import InvalidInputError, RopewalkError, UnreachableDatabaseError
from ropewalk.results import Rendered, Requirement
from ropewalk.results.gates import OVERALL, WORST_FIRST
from ropewalk.text.secrets import masked
from ropewalk.text.writing import brief, cut_middle, reason, visible

FOLDER: Final = "ropewalk"
"""Where the page and the JSON lie among the artifacts of a run, and how names of tags begin."""

MAX_METRICS: Final = 1_000  # that MLflow takes at once
MAX_TAGS: Final = 100  # likewise
MAX_NAME: Final = 200  # letters; MLflow takes 250, with the prefix
MAX_PREFIX: Final = 40  # letters
MAX_VALUE: Final = 4_000  # letters of a tag
MAX_STEP: Final = 2**53

_FACTS: Final = (
    "metric", "pos_label", "a", "b", "name", "model", "prior", "engine", "n_items", "n_clusters", "classes",
    "prevalence", "rope", "at_least", "prob", "rule", "goal", "over", "pool", "draws", "seed", "data_hash", "version",
)  # fmt: skip
"""What is said of the question and of where the answer comes from, each a tag."""

_OF_DECISION: Final = ("code", "symbol", "conclusive", "stable", "leaning")
_VERDICTS: Final = ("verdict", "symbol", "conclusive", "stable", "leaning", "outcome", "leader", "headline")
"""Tags of what the answer is."""

_SILENT: Final = {
    "schema", "tests", "classical", "recipe", "dots", "quantiles", "rope_path", "rank_probabilities", "improvement",
    "display_name", "unit", "scale", "exact", "gate", "requirements", "rows", "labels", "by_class", "hdi_mc_error",
    "ceilings", "target", "max_n", "n_runs", "sign", "self_check",
}  # fmt: skip
"""Parts of an answer that are no numbers to follow from run to run; the JSON beside them has all of it."""

_CALLED: Final = {
    "mean": "", "stakes": "", "discordant": "", "bayes_factor": "bf", "below": "below_rope", "inside": "inside_rope",
    "above": "above_rope", "regions": "prob", "next": "next_prob", "most_probable": "most_probable",
}  # fmt: skip
"""What a part is called where its key would say too little, or too much."""

_BY_MARGIN: Final = {"regions", "bayes_factor", "more_data", "next", "most_probable"}
"""Parts that depend on the ROPE: of a metric of which several things are required there is one for each."""

_OF_ONE: Final = {"rope", "goal", *_OF_DECISION}
"""What is said of one requirement, and not of several."""

_LISTS: Final = ("metrics", "models", "tasks", "by", "classes", "units", "pairwise")
"""Parts that are answers of their own, the shorter lists first: where there are too many, the last are left out."""

_INTERVALS: Final = ("hdi", "next_hdi", "run_quartiles")
_NO_RUN: Final = ("RESOURCE_DOES_NOT_EXIST", "INVALID_PARAMETER_VALUE")
"""What MLflow says of a run that is not there; all else is said of the store."""

_UNFIT: Final = re.compile(r"[^\w.-]+")

Path = tuple[str, ...]


def log_to_mlflow(
    result: Rendered, *, run_id: str | None = None, prefix: str = "", name: str | None = None, step: int = 0
) -> str:
    """Write an answer into a run of MLflow, and return the id of the run.

    It goes into the run of `run_id`, else into the active run, else into a new one that is ended again.

    Parameters
    ----------
    result
        Any answer.
    run_id
        The run, whether it is active or not; its status stays as it is.
    prefix
        What names of metrics and files begin with, such as "test/", to keep two answers apart that are called alike.
    name
        What the page and the JSON are called; by default the metric, or the kind of answer.
    step
        The step of the metrics, such as an epoch.

    Examples
    --------
    >>> import ropewalk as rw
    >>> r = rw.compare([1, 0] * 50, [1, 0] * 50, [1, 1] * 50, metric="accuracy", rope=0.1, rng=0)
    >>> metrics, tags = entries(r.to_dict())
    >>> [name for name in metrics if "_hdi" not in name][:4]
    ['accuracy_a_observed', 'accuracy_a', 'accuracy_a_std', 'accuracy_b_observed']
    >>> metrics["accuracy_delta"] == r.mean, tags["ropewalk.verdict"]
    (True, 'a_better')
    """
    step = check_whole(step, "step", 0, MAX_STEP)
    mlflow = require("mlflow", extra="mlflow", caller="log_to_mlflow()")
    document = result.to_dict()
    start = _prefix(prefix)
    called = start.replace("/", "_") + _fit(name or _usual_name(result, document))
    files = {"html": result.to_html(), "json": result.to_json()}
    metrics, tags = entries(document, start, kind=_kind_of(result))
    try:
        client = mlflow.MlflowClient()
        with _run(mlflow, client, run_id) as run:
            for ending, content in files.items():  # what fails most easily comes first
                client.log_text(run, content, f"{FOLDER}/{called}.{ending}")
            for stale in _stale(client.get_run(run).data.tags, tags, start):
                client.delete_tag(run, stale)
            now = int(time.time() * 1_000)
            kinds = mlflow.entities
            client.log_batch(
                run,
                metrics=[kinds.Metric(key, value, now, step) for key, value in metrics.items()],
                tags=[kinds.RunTag(key, value) for key, value in tags.items()],
            )
    except RopewalkError:
        raise
    except Exception as error:
        raise _refused(error) from error
    return str(run)


def entries(
    document: Mapping[str, Any], prefix: str = "", *, kind: str = "answer"
) -> tuple[dict[str, float], dict[str, str]]:
    """Return the metrics and the tags that say what the JSON of an answer says, by names that MLflow takes.

    `kind` names the numbers of what is no comparison, evaluation or ranking, such as a plan.

    Examples
    --------
    >>> gate = {"metric": "f1", "delta": {"mean": 0.1, "hdi": [0.0, 0.2]}, "gate": {"outcome": "met"}}
    >>> entries(gate, "test/")
    ({'test/f1_delta': 0.1, 'test/f1_delta_hdi_low': 0.0, 'test/f1_delta_hdi_high': 0.2},
     {'ropewalk.test.metric': 'f1', 'ropewalk.test.outcome': 'met', 'ropewalk.test.verdict.f1': 'met'})
    """
    names, start = _Names(prefix), f"{FOLDER}.{_dotted(prefix)}"
    metrics: dict[str, float] = {}
    verdicts: dict[Path, str] = {}
    left_out = 0
    required = _required(document)
    is_estimated = isinstance(document.get("delta"), Mapping) or any(key in document for key in _LISTS)
    numbers = _numbers(document, "", () if is_estimated else (kind,))
    for path, value in chain(_chances(document, required), numbers):
        known = names.known(path)
        if len(metrics) < MAX_METRICS or known in metrics:
            metrics.setdefault(names.of(path), value)
        else:
            left_out += 1
    for path, verdict in _verdicts(document, "", ()) if not required else ():
        verdicts.setdefault(path, verdict)
    tags = {f"{start}{key}": text for key, text in _facts(document)}
    room = MAX_TAGS - len(tags) - 1
    tags |= {f"{start}requirement.{place}": _told(row, document) for place, row in _worst(required, room)}
    lost = [f"{left_out:,} numbers"] if left_out else []
    lost += [f"{len(required) - room:,} requirements"] if len(required) > room else []
    if lost:
        tags[f"{start}left_out"] = f"{' and '.join(lost)}, which the JSON has"
    dotted = _Names(f"{start}verdict.")
    for path, verdict in verdicts.items():
        if len(tags) < MAX_TAGS and path:
            tags[dotted.of(path)] = verdict
    return metrics, tags


# -- numbers -----------------------------------------------------------------------------------------------


def _numbers(
    node: Mapping[str, Any], metric: str, parts: Path, twice: frozenset[str] = frozenset()
) -> Iterator[tuple[Path, float]]:
    """Yield the numbers of an answer and of the answers in it, by the metric, the part and what they are.

    Of metrics of which something is required `twice` those by one of the margins are left out.
    """
    metric = str(node.get("metric") or metric)
    stem = (metric, *parts)
    if "gate" in node:
        asked = [str(row.get("metric")) for row in _required(node) if row.get("task") == node.get("task")]
        twice = frozenset(one for one in asked if asked.count(one) > 1)
    if isinstance(node.get("a"), str):  # a pair, which its own part names
        node = {key: value for key, value in node.items() if key not in {"a", "b"}}
    known = ({*_LISTS, *_FACTS} - {"a", "b"}) | (_BY_MARGIN if metric in twice else set())
    yield from _plain_numbers({key: value for key, value in node.items() if key not in known}, stem)
    for key in _LISTS:
        if key == "units" and "tasks" in node:  # the same, seen from above
            continue
        for inner in _answers_in(node, key):
            own = (*parts, *_part(key, inner))
            yield from _numbers(inner, metric, (*own, "delta") if key == "units" else own, twice)


def _plain_numbers(node: Mapping[str, Any], path: Path) -> Iterator[tuple[Path, float]]:
    """Yield the numbers of one answer; a mean goes by the name of what it is the mean of."""
    silent = _SILENT if node.get("reachable") is not False else {*_SILENT, "n", "low", "high"}
    for key, value in node.items():
        if key in silent or node.get(f"{key}_reliable") is False:
            continue
        called = _CALLED.get(key, key)
        below = path if not called else (*path, called)
        if key.startswith("prob_") and path[-1] == "delta":
            below = (*path[:-1], key)
        if isinstance(value, Mapping):
            yield from _plain_numbers(value, below)
        elif key in _INTERVALS and isinstance(value, list):
            ends = zip(("low", "high"), value, strict=False)
            yield from ((((*below, end), float(x)) for end, x in ends if _is_number(x)))
        elif _is_number(value):
            yield below, float(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _answers_in(node: Mapping[str, Any], key: str) -> Iterator[Mapping[str, Any]]:
    inner = node.get(key)
    return (part for part in inner if isinstance(part, Mapping)) if isinstance(inner, list) else iter(())


_NAMED_BY: Final = {"models": "name", "tasks": "task", "by": "slice", "classes": "pos_label", "units": "name"}


def _part(key: str, inner: Mapping[str, Any]) -> Path:
    """Return what tells an answer in a list from the others."""
    if key == "pairwise":
        return (f"{inner.get('a')}_vs_{inner.get('b')}",)
    return (str(inner.get(_NAMED_BY[key])),) if key in _NAMED_BY else ()


def _required(node: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return what is required, a row per requirement and task, where that is more than one thing."""
    gate = node.get("gate")
    return list(_answers_in(gate, "requirements")) if isinstance(gate, Mapping) else []


def _chances(document: Mapping[str, Any], required: Iterable[Mapping[str, Any]]) -> Iterator[tuple[Path, float]]:
    """Yield how probable it is that the difference is as required, of several requirements under names of their own."""
    rows: list[tuple[Mapping[str, Any], Path]] = [(row, (str(row.get("task") or ""), _margin(row))) for row in required]
    if not rows:
        task = next(_answers_in(document, "tasks"), None) if "delta" not in document else None
        gate, one = document.get("gate"), document if task is None else task
        if isinstance(gate, Mapping):
            rows = [({"metric": one.get("metric"), **gate}, () if task is None else (str(task.get("task")),))]
    for row, parts in rows:
        if _is_number(row.get("chance")):
            yield (str(row.get("metric") or ""), *parts, "chance"), float(row["chance"])


def _margin(row: Mapping[str, Any]) -> str:
    """Name a requirement by what is required and by which margin."""
    asked = _asked(row)
    return asked.text if asked.margin else asked.require


def _asked(row: Mapping[str, Any], metric: str | None = None, on: str | None = None) -> Requirement:
    return Requirement(require=str(row.get("require")), margin=float(row.get("margin") or 0.0), metric=metric, on=on)


# -- tags --------------------------------------------------------------------------------------------------


def _facts(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the tags of an answer as a whole; of answers about each class what they have in common."""
    first = next(_answers_in(document, "metrics"), document)
    classes = list(_answers_in(document, "classes"))
    shared = dict(classes[0]) if classes else {}
    for part in classes:
        shared = {key: value for key, value in shared.items() if part.get(key) == value}
    own = {**shared, **first, **document} | ({"classes": shared.get("classes")} if classes else {})
    if required := _required(document):
        unsaid = _OF_ONE if len({row.get("metric") for row in required}) == 1 else {*_OF_ONE, "metric"}
        own = {key: value for key, value in own.items() if key not in unsaid}
    for key in _FACTS:
        value = own.get(key)
        value = value.get("name") if isinstance(value, Mapping) else value
        if value is not None:
            yield key, _text(value)
    if not required:
        yield from _decided(document if "decision" in document else first)
    if (outcome := _outcome(document)) is not None:
        yield "outcome", _text(outcome)
    groups = list(_answers_in(document, "groups"))
    if groups:
        yield "leader", _text(groups[0].get("leader"))
    headline = document.get("headline", first.get("headline"))
    if headline is not None:
        yield "headline", _text(headline)


def _decided(whole: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the tags of a verdict; one of them says that there is none."""
    decision = whole.get("decision") or ({"code": "none"} if "decision" in whole else {})
    for key in _OF_DECISION:
        if decision.get(key) is not None:
            yield ("verdict" if key == "code" else key), _text(decision[key])


def _verdicts(node: Mapping[str, Any], metric: str, parts: Path) -> Iterator[tuple[Path, str]]:
    """Yield the verdict of every answer in an answer, or the outcome where something was required of it."""
    metric = str(node.get("metric") or metric)
    outcome, decision = _outcome(node), node.get("decision")
    if outcome is not None or isinstance(decision, Mapping):
        yield tuple(filter(None, (metric, *parts))), _text(outcome or decision["code"])  # type: ignore[index]
    for key in _LISTS:
        for inner in _answers_in(node, key):
            yield from _verdicts(inner, metric, (*parts, *_part(key, inner)))


def _worst(required: list[Mapping[str, Any]], room: int) -> list[tuple[int, Mapping[str, Any]]]:
    """Return requirements with their places from 1 on, the worst ones where not all of them have room."""
    places = range(len(required))
    ranked = sorted(places, key=lambda place: WORST_FIRST.index(required[place]["outcome"]))
    return [(place + 1, required[place]) for place in sorted(ranked[:room])]


def _told(row: Mapping[str, Any], document: Mapping[str, Any]) -> str:
    """Write what is required, and whether it is met: accuracy not-worse 0.05 on sums: met."""
    task = row.get("task")
    overall = OVERALL if "over" in document else None
    asked = _asked(row, str(row.get("metric") or ""), overall if task is None else str(task))
    return f"{brief(visible(asked.text), MAX_VALUE - MAX_NAME)}: {row.get('outcome')}"


def _outcome(node: Mapping[str, Any]) -> Any:
    gate = node.get("gate")
    return gate.get("outcome") if isinstance(gate, Mapping) else None


def _text(value: Any) -> str:
    """Return a value as a tag: nothing in it acts on a screen, and it is not long."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return brief(visible(text), MAX_VALUE) or '""'


def _stale(there: Iterable[str], tags: Mapping[str, str], prefix: str) -> list[str]:
    """Return tags of an earlier answer, about what the new one says nothing of: together they would tell a lie."""
    start = f"{FOLDER}.{_dotted(prefix)}"
    ours = {f"{start}{key}" for key in (*_FACTS, *_VERDICTS, "left_out")}
    numbered = re.compile(rf"{re.escape(start)}requirement\.\d+")
    return sorted(tag for tag in there if (tag in ours or numbered.fullmatch(tag)) and tag not in tags)


# -- names -------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Names:
    """Names that MLflow takes, another for each path whatever its parts are called."""

    prefix: str
    _by_path: dict[Path, str] = field(default_factory=dict)
    _parts: dict[str, str] = field(default_factory=dict)
    _taken: set[str] = field(default_factory=set)

    def known(self, path: Path) -> str | None:
        """Return the name that a path has already."""
        return self._by_path.get(path)

    def of(self, path: Path) -> str:
        """Return the name of a path; parts that look alike, as two systems may, are numbered."""
        if path not in self._by_path:
            for part in filter(None, path):
                if part not in self._parts:
                    self._parts[part] = _unlike(_fit(part), {fit.casefold() for fit in self._parts.values()})
            joined = cut_middle("_".join(self._parts[part] for part in path if part), MAX_NAME).replace("…", "_")
            name = _unlike(f"{self.prefix}{joined or 'answer'}", self._taken)
            self._taken.add(name.casefold())
            self._by_path[path] = name
        return self._by_path[path]


def _unlike(name: str, taken: Collection[str]) -> str:
    """Return a name that is not taken, by a number at its end: some stores do not tell large letters from small."""
    numbered = chain([name], (f"{name}_{k}" for k in count(2)))
    return next(one for one in numbered if one.casefold() not in taken)


def _fit(text: str) -> str:
    """Return a part of a name with nothing but letters, digits, full stops, dashes and underscores.

    Examples
    --------
    >>> _fit("fbeta(2)"), _fit("../../etc/passwd"), _fit("<b>")
    ('fbeta_2', 'etc_passwd', 'b')
    """
    return _UNFIT.sub("_", text[: 2 * MAX_NAME]).strip("._-")[:MAX_NAME] or "x"


def _prefix(text: str) -> str:
    """Return a prefix as users wrote it, but for what no name may hold; a slash makes a group.

    Examples
    --------
    >>> _prefix("test/"), _prefix("judge_"), _prefix("../a b//")
    ('test/', 'judge_', 'a_b/')
    """
    if len(text) > MAX_PREFIX:
        raise InvalidInputError(
            f"`prefix` has {len(text):,} letters, of at most {MAX_PREFIX}.", hint='write a word: prefix="test/".'
        )
    parts = [fit for part in text.split("/") if (fit := _UNFIT.sub("_", part).lstrip("."))]
    return "/".join(parts) + ("/" if parts and text.endswith("/") else "")


def _dotted(prefix: str) -> str:
    """Return a prefix as it stands in the name of a tag."""
    plain = prefix.rstrip("/_-.").replace("/", ".")
    return f"{plain}." if plain else ""


def _kind_of(result: Rendered) -> str:
    """Return what kind of answer it is, in small letters."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", type(result).__name__).lower()


def _usual_name(result: Rendered, document: Mapping[str, Any]) -> str:
    metric = document.get("metric")
    return f"{metric}_{_kind_of(result)}" if isinstance(metric, str) else _kind_of(result)


# -- runs --------------------------------------------------------------------------------------------------


@contextmanager
def _run(mlflow: Any, client: Any, run_id: str | None) -> Iterator[str]:
    """Yield the id of the run to write into; one that was started for it ends, as failed if something does."""
    if run_id is not None:
        try:
            client.get_run(run_id)
        except mlflow.exceptions.MlflowException as error:
            if error.error_code not in _NO_RUN:
                raise
            raise InvalidInputError(
                f"MLflow has no run {brief(visible(run_id))!r}: {visible(masked(reason(error)))}.",
                hint='mlflow.search_runs(output_format="list") lists the runs; leave run_id= out for the active one.',
            ) from error
        yield run_id
    elif (active := mlflow.active_run()) is not None:
        yield active.info.run_id
    else:
        with mlflow.start_run() as started:
            yield started.info.run_id


def _refused(error: Exception) -> UnreachableDatabaseError:
    return UnreachableDatabaseError(
        f"MLflow did not take the answer: {type(error).__name__}: {visible(masked(reason(error)))}.",
        hint="mlflow.get_tracking_uri() says where it would go, and mlflow.set_tracking_uri(…) names another place.",
    )
