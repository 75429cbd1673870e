"""Runs of HELM: a folder of JSON files, of which `per_instance_stats.json` has the scores.

What is easy to get wrong in the format:

* an instance may come several times in the statistics, once per metric that wrote them;
* perturbed copies of an instance have its id; they are another task here, as HELM sums them up apart;
* questions and answers are in files that only `helm-summarize` writes; else in the state of the scenario;
* where each choice was asked alone, the prediction is the number of a reference.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from ropewalk.data.json_stream import JsonStream
from ropewalk.data.logs.opening import head_of, json_array, json_document, opened, without_answers
from ropewalk.data.logs.rows import (
    Choice,
    LogFormat,
    Row,
    Run,
    Score,
    cluster_of,
    fingerprint,
    mapping_of,
    number_of,
    text_of,
)
from ropewalk.errors import UnfinishedError

_SPEC: Final = "run_spec.json"
_STATS: Final = "per_instance_stats.json"
_INSTANCES: Final = "instances.json"
_PREDICTIONS: Final = "display_predictions.json"
_STATE: Final = "scenario_state.json"
_BESIDE: Final = re.compile(
    r"num_|inference_|training_|prompt_|batch_|finish_reason|logprob|max_prob|predicted_index|estimated_"
)
"""How the names of statistics begin that are no scores of answers."""

_MODEL_ARGUMENT: Final = re.compile(r"(model|model_deployment)=(?P<name>.*)")


class _Instance(NamedTuple):
    """What was asked: the texts of the references, the places of the correct ones, and the metadata."""

    question: str
    references: tuple[str, ...]
    correct: tuple[int, ...]
    metadata: Mapping[str, Any]


def _runs(path: Path) -> Iterator[Run]:
    spec = mapping_of(json_document(path.with_name(_SPEC))) if path.with_name(_SPEC).is_file() else {}
    adapter = mapping_of(spec.get("adapter_spec"))
    title, model = _named(str(spec.get("name") or path.absolute().parent.name))
    names: dict[str, dict[str, None]] = {}
    for record in map(mapping_of, json_array(path)):
        names.setdefault(_perturbation(record), {}).update(dict.fromkeys(_stats(record)))
    if not names:
        raise without_answers(path)
    system = str(adapter.get("model") or model)
    facts = {key: text_of(value) or "" for key, value in adapter.items() if isinstance(value, str | int | float)}
    for perturbation, found in names.items():
        task = f"{title}, {perturbation}" if perturbation else title
        yield Run(
            system=system,
            task=task,
            scores=tuple(Score(name=name) for name in sorted(found, key=lambda x: _BESIDE.match(x) is not None)),
            facts={key: value for key, value in facts.items() if value and key != "model"},
            rows=partial(_rows, path, perturbation, task, system),
        )


def _rows(path: Path, perturbation: str, task: str, system: str, choice: Choice) -> Iterator[Row]:
    instances, predictions = _instances(path.parent, perturbation), _predictions(path.parent, perturbation)
    scores: dict[tuple[str, int], float | None] = {}
    for record in map(mapping_of, json_array(path)):
        if _perturbation(record) == perturbation:
            found = _stats(record)
            if choice.scorer in found or _key(record) not in scores:
                scores[_key(record)] = found.get(choice.scorer or "")
    for (item, trial), score in scores.items():
        instance = instances.get(item)
        said = predictions.get((item, trial))
        yield Row(
            task=task,
            item=item,
            repeat=trial + 1,
            system=system,
            truth=_truth(instance) if instance else None,
            prediction=_prediction(said, instance),
            score=score,
            cluster=cluster_of(instance.metadata if instance else {}, choice, item),
            error=f"no {choice.scorer}" if score is None else None,
            question=instance.question if instance else None,
        )


# -- scores ------------------------------------------------------------------------------------------------


def _stats(record: Mapping[str, Any]) -> dict[str, float | None]:
    """Return the statistics of an instance by their names; a mean of nothing is none."""
    stats: dict[str, float | None] = {}
    listed = record.get("stats")
    for stat in map(mapping_of, listed if isinstance(listed, list) else []):
        name = mapping_of(stat.get("name")).get("name")
        if isinstance(name, str):
            stats.setdefault(name, _mean(stat))
    return stats


def _mean(stat: Mapping[str, Any]) -> float | None:
    """Return the mean of a statistic; old runs have its sum only.

    Examples
    --------
    >>> _mean({"count": 1, "sum": 0.5, "mean": 0.5}), _mean({"count": 2, "sum": 1}), _mean({"count": 0, "sum": 0})
    (0.5, 0.5, None)
    """
    count, total = number_of(stat.get("count")), number_of(stat.get("sum"))
    if count == 0:
        return None
    mean = number_of(stat.get("mean"))
    return total / count if mean is None and count and total is not None else mean


def _perturbation(record: Mapping[str, Any]) -> str:
    """Return what was done to an instance; nothing for the original."""
    return text_of(mapping_of(record.get("perturbation")).get("name")) or ""


def _key(record: Mapping[str, Any]) -> tuple[str, int]:
    trial = record.get("train_trial_index", 0)
    return str(record.get("instance_id")), trial if isinstance(trial, int) else 0


# -- questions and answers ---------------------------------------------------------------------------------


def _instances(folder: Path, perturbation: str) -> dict[str, _Instance]:
    """Return the instances of a run by their ids."""
    records: Iterator[Mapping[str, Any]]
    if (folder / _INSTANCES).is_file():
        records = map(mapping_of, json_array(folder / _INSTANCES))
    else:
        records = (mapping_of(state.get("instance")) for state in _states(folder))
    return {str(one.get("id")): _instance(one) for one in records if _perturbation(one) == perturbation}


def _instance(record: Mapping[str, Any]) -> _Instance:
    listed = record.get("references")
    references = [mapping_of(one) for one in listed] if isinstance(listed, list) else []
    texts = tuple(_text(one.get("output")) for one in references)
    tags = [one.get("tags") for one in references]
    correct = tuple(place for place, tag in enumerate(tags) if isinstance(tag, list) and "correct" in tag)
    question = fingerprint(_text(record.get("input")), texts, correct)
    return _Instance(question, texts, correct, mapping_of(record.get("extra_data")))


def _text(value: Any) -> str:
    """Return a text, which old runs write without the mapping around it."""
    return text_of(mapping_of(value).get("text") if isinstance(value, dict) else value) or ""


def _truth(instance: _Instance) -> str | None:
    return text_of([instance.references[place] for place in instance.correct] or None)


def _predictions(folder: Path, perturbation: str) -> dict[tuple[str, int], str | int]:
    """Return what was answered in each trial: a text, or the number of a reference."""
    records: Iterator[Mapping[str, Any]]
    if (folder / _PREDICTIONS).is_file():
        records = map(mapping_of, json_array(folder / _PREDICTIONS))
    else:
        records = map(_displayed, _states(folder))
    found: dict[tuple[str, int], str | int] = {}
    for one in records:
        if _perturbation(one) != perturbation:
            continue
        place = one.get("reference_index")
        text = one.get("mapped_output") or one.get("truncated_predicted_text") or one.get("predicted_text")
        if isinstance(place, int):
            found[_key(one)] = place
        elif text is not None:
            found[_key(one)] = (text_of(text) or "").strip()
    return found


def _prediction(said: str | int | None, instance: _Instance | None) -> str | None:
    if isinstance(said, int):
        return instance.references[said] if instance and 0 <= said < len(instance.references) else None
    return said


def _states(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield the requests of a run that was not summed up for display."""
    if not (folder / _STATE).is_file():
        return
    with opened(folder / _STATE) as stream:
        document = JsonStream(stream, repr(str(folder / _STATE)))
        for key in document.keys():  # noqa: SIM118 - it is no mapping
            if key == "request_states" and document.kind() == "[":
                yield from (state for state in document.items() if isinstance(state, dict))
            else:
                document.value()


def _displayed(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return a request as it is displayed; of choices that were asked alone it does not say which was taken."""
    instance = mapping_of(state.get("instance"))
    found = mapping_of(state.get("result")).get("completions")
    text = _text(found[0]) if isinstance(found, list) and found and state.get("reference_index") is None else None
    mapped = mapping_of(state.get("output_mapping")).get((text or "").strip())
    return {
        "instance_id": instance.get("id"),
        "perturbation": instance.get("perturbation"),
        "train_trial_index": state.get("train_trial_index", 0),
        "predicted_text": text,
        "mapped_output": mapped,
    }


# -- files -------------------------------------------------------------------------------------------------


def _named(name: str) -> tuple[str, str]:
    """Return the task and the model of a run by its name.

    Examples
    --------
    >>> _named("mmlu:subject=law,model=org/atlas,data=x"), _named("tides:model=atlas"), _named("tides")
    (('mmlu:subject=law,data=x', 'org/atlas'), ('tides', 'atlas'), ('tides', 'tides'))
    """
    scenario, _, arguments = name.partition(":")
    models: list[str] = []
    others: list[str] = []
    for argument in arguments.split(",") if arguments else []:
        found = _MODEL_ARGUMENT.fullmatch(argument)
        (models if found else others).append(found["name"] if found else argument)
    return ":".join(filter(None, (scenario, ",".join(others)))), models[0] if models else name


def _files(path: Path) -> Sequence[Path]:
    """Return the statistics of a run."""
    if not _is_spec(head_of(path)):
        return (path,)
    stats = path.with_name(_STATS)
    if not stats.is_file():
        raise UnfinishedError(
            f"The run of HELM in {str(path.parent)!r} is not finished: it has no {_STATS!r}.",
            hint="finish or repeat the evaluation; part of a log is no answer.",
        )
    return (stats,)


def _is_log(_path: Path, head: bytes) -> bool:
    return _is_spec(head) or _is_stats(head)


def _is_stats(head: bytes) -> bool:
    start = re.match(rb"\[\s*\{", head)
    return (
        bool(start)
        and all(re.search(rb'"%s"\s*:\s*\S' % key, head) for key in (b"instance_id", b"stats"))
        and bool(re.search(rb'"stats"\s*:\s*\[\s*(?:\]|\{\s*"name"\s*:\s*\{)', head))
    )


def _is_spec(head: bytes) -> bool:
    start = re.match(rb"\{", head)
    return bool(start) and all(re.search(rb'"%s"\s*:\s*\{' % key, head) for key in (b"scenario_spec", b"adapter_spec"))


HELM: Final = LogFormat(title="HELM", recognises=_is_log, runs=_runs, files=_files)
