"""Turn a seeded table of answers into logs, laid out as the tools lay them out.

Every writer takes a folder, the name of a system and its answers, and returns the file that it wrote.
"""

from __future__ import annotations

import csv
import hashlib
import json
import random
import sys
import zipfile
from typing import NamedTuple

from ropewalk.data.logs import COLUMNS, read_log
from support import need

LABELS = ("refund", "delivery", "other")

HOSTILE_TEXTS = (
    "\x1b[31mred\x1b[0m",
    "a\0b",
    "<script>alert(1)</script>",
    "{{7*7}}",
    'quote " comma , semicolon ;\r\nnext\tline',
    "=1+1",
    "\ud800 half",
    "ümläut 漢字 🦜",
    "x" * 1_000_000,
    "NaN",
)


class Answer(NamedTuple):
    """What a system answered to an item, once; without a score there is an error."""

    item: str
    question: str
    truth: str
    answer: str | None
    score: float | None
    error: str | None = None
    repeat: int = 1


def seeded_answers(seed, n_items=20, n_repeats=1, n_errors=2):
    """Return answers drawn at random; the questions are the same for every seed, the answers are not."""
    draw = random.Random(seed)
    broken = set(draw.sample(range(n_items), n_errors))
    answers = []
    for number in range(n_items):
        truth = LABELS[number % 3]
        for repeat in range(1, n_repeats + 1):
            answer = draw.choice(LABELS)
            right = Answer(f"item-{number}", f"Question {number}?", truth, answer, float(answer == truth), None, repeat)
            answers.append(right._replace(answer=None, score=None, error="boom") if number in broken else right)
    return answers


def rows_of(path, **options):
    return list(read_log(path, **options).rows())


def shuffled(entries, seed=0):
    entries = list(entries)
    random.Random(seed).shuffle(entries)
    return entries


def dump(value):
    """Return JSON in one line, as JavaScript and Python write it."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass").replace(b"\xed\xa0\x80", b"\\ud800")


# -- Inspect -----------------------------------------------------------------------------------------------

ZSTD = 93


def inspect_header(system="org/atlas", task="reading", **changes):
    """The header of a log, as Inspect 0.3.285 writes it; `changes` are of its `eval`, or of all of it."""
    spec = {
        "eval_id": "ZPMP", "run_id": "hUFX", "created": "2026-11-16T07:54:36+00:00", "task": task, "task_id": "Zhj7",
        "task_version": 0, "task_args": {}, "dataset": {"samples": 3, "shuffled": False}, "model": system,
        "model_generate_config": {}, "model_args": {}, "config": {"epochs": 1, "fail_on_error": False},
        "packages": {"inspect_ai": "0.3.285"}, "scorers": [{"name": "letter", "options": {}, "metrics": []}],
    }  # fmt: skip
    whole = {
        "version": 2, "status": "success", "eval": spec,
        "plan": {"name": "plan", "steps": [{"solver": "generate", "params": {}}], "config": {}},
        "results": {"total_samples": 3, "completed_samples": 3, "scores": []}, "stats": {"model_usage": {}},
        "invalidated": False, "tags": [], "metadata": {},
    }  # fmt: skip
    for name, value in changes.items():
        (whole if name in whole else spec)[name] = value
    return whole


def inspect_summary(one, *, scorer="letter", **changes):
    """A row of summaries.json; errors are text there."""
    scores = {scorer: {"value": "C" if one.score else "I", "answer": one.answer, "history": []}}
    row = {
        "id": one.item, "epoch": one.repeat, "input": one.question, "choices": ["a", "b"], "target": one.truth,
        "metadata": {"group": f"g{one.item[-1]}"}, "scores": {} if one.error else scores, "model_usage": {},
        "started_at": "2026-11-16T07:54:36+00:00", "total_time": 0.02, "uuid": "QBrU", "retries": 0,
        "completed": True, "message_count": 1,
    }  # fmt: skip
    return {**row, **({"error": "RuntimeError('boom')"} if one.error else {}), **changes}


def inspect_sample(row):
    """The same row as a full sample: with messages and events, and the error as an object."""
    text = row.get("error")
    error = {"message": text, "traceback": f"\x1b[31mTraceback\x1b[0m\n{text}", "traceback_ansi": "\x1b[31m"}
    messages = [{"role": "user", "content": row.get("input")}]
    sample = {**row, "messages": messages, "output": {"model": "m", "choices": []}, "store": {}}
    return {**sample, "events": [{"event": "state", "changes": [{"op": "add"}]}] * 3, "error": error if text else None}


def write_inspect_archive(path, rows, head=None, *, method=zipfile.ZIP_DEFLATED, journal=None, **members):
    """Write an archive, its members in the order in which Inspect writes them; `journal` are rows in place of rows."""
    module = need("backports.zstd.zipfile") if method == ZSTD and sys.version_info < (3, 14) else zipfile
    path.parent.mkdir(parents=True, exist_ok=True)
    with module.ZipFile(path, "w", method) as archive:
        start = {"version": 2, "eval": inspect_header()["eval"], "plan": {}}
        archive.writestr("_journal/start.json", json.dumps(start))
        if rows and isinstance(rows[0], dict):
            archive.writestr(f"samples/{rows[0].get('id')}_epoch_1.json", json.dumps(rows[0]))  # a slash makes a folder
        for number, part in (journal or {}).items():
            archive.writestr(f"_journal/summaries/{number}.json", json.dumps(part))
        if journal is None:
            archive.writestr("_journal/summaries/1.json", json.dumps([]))
            archive.writestr("summaries.json", json.dumps(rows))
            archive.writestr("reductions.json", json.dumps([]))
        for name, text in members.items():
            archive.writestr(name, text)
        if head != "none":
            archive.writestr("header.json", json.dumps(head or inspect_header()))
    return path


def write_inspect_document(path, rows, head=None):
    path.parent.mkdir(parents=True, exist_ok=True)
    document = {**(head or inspect_header()), "samples": [inspect_sample(row) for row in rows], "reductions": []}
    path.write_bytes(dump(document))
    return path


def write_inspect(folder, system, answers):
    rows = list(map(inspect_summary, answers))
    return write_inspect_document(folder / f"{system}.json", rows, inspect_header(system))


# -- promptfoo ---------------------------------------------------------------------------------------------


def promptfoo_results(systems, n_prompts=1):
    """Return results of several systems; tests are numbered in their order, repeats after each other."""
    results, place = [], 0
    for system, answers in systems.items():
        for _ in range(n_prompts):
            for number, one in enumerate(answers):
                results.append(promptfoo_result(system, place, number, one))
            place += 1
    return shuffled(results)


def promptfoo_result(system, place, number, one):
    variables = {"ticket": one.question, "want": one.truth}
    failed = one.score == 0
    return {
        "cost": 0,
        **({"error": "API error: 503 overloaded"} if one.error else {}),
        **({"error": f'Expected output "{one.answer}" to equal "{one.truth}"'} if failed else {}),
        "gradingResult": None if one.error else {"pass": not failed, "score": one.score, "reason": "as expected"},
        "id": f"{place}-{number}",
        "latencyMs": 2,
        "namedScores": {},
        "prompt": {"raw": f"Route this: {one.question}", "label": f"Route {place}: {{{{ticket}}}}", "config": {}},
        "promptId": f"prompt-{place}",
        "promptIdx": place,
        "provider": {"id": "file://provider.js", "label": system},
        "response": {"error": "API error: 503 overloaded"} if one.error else {"output": one.answer},
        "score": one.score or 0,
        "success": one.score == 1,
        "testCase": {
            "vars": variables,
            "assert": [{"type": "equals", "value": one.truth}],
            "options": {},
            "metadata": {"group": f"g{number // 4}"},
        },
        "testIdx": number,
        "vars": {**variables, "__repeatIndex": one.repeat - 1},
        "metadata": {},
        "failureReason": 2 if one.error else int(failed),
    }


def promptfoo_document(results, version=3):
    summary = {"version": version, "timestamp": "2026-11-16T07:51:19.026Z"}
    summary |= {"prompts": [{"raw": "Route this"}]} if version == 3 else {}
    summary |= {"results": results, "stats": {"successes": 1, "failures": 0}}
    summary |= {"table": {"head": {"prompts": [], "vars": []}, "body": []}} if version == 2 else {}
    return {
        "evalId": "eval-1",
        "results": summary,
        "config": {"tests": [{"vars": {"ticket": "a"}}]},
        "shareableUrl": None,
    }


def write_promptfoo(folder, system, answers):
    path = folder / f"{system}.json"
    path.write_bytes(dump(promptfoo_document(promptfoo_results({system: answers}))))
    return path


def write_promptfoo_lines(folder, system, answers):
    path = folder / f"{system}.jsonl"
    path.write_bytes(b"".join(dump(result) + b"\n" for result in promptfoo_results({system: answers})))
    return path


# -- openai/evals ------------------------------------------------------------------------------------------


def openai_lines(system, answers):
    """Return the lines of a log: events of several samples between each other, the report last."""
    spec = {
        "completion_fns": [system],
        "eval_name": "route.dev.v0",
        "base_eval": "route",
        "split": "dev",
        "run_config": {"completion_fns": [system], "seed": 20220722, "command": "oaieval"},
        "created_by": "",
        "run_id": "2610010900AAAAAAAA",
        "created_at": "2026-10-01 09:00:00",
    }
    events = []
    for one in answers:
        prompt = [{"role": "system", "content": f"You are {system}."}, {"role": "user", "content": one.question}]
        events.append((one.item, "sampling", {"prompt": prompt, "sampled": [one.answer]}))
        match = {"correct": one.score == 1, "expected": one.truth, "picked": one.answer, "sampled": one.answer}
        error = {"type": "ValueError", "message": one.error}
        events.append((one.item, "error", error) if one.error else (one.item, "match", match))
    lines = [
        {"run_id": spec["run_id"], "event_id": number, "sample_id": item, "type": kind, "data": data, "created_by": ""}
        for number, (item, kind, data) in enumerate(shuffled(events))
    ]
    return [{"spec": spec}, *lines, {"final_report": {"accuracy": 0.5}, "run_id": spec["run_id"]}]


def write_openai(folder, system, answers):
    path = folder / f"{system}.jsonl"
    path.write_bytes(b"".join(dump(line) + b"\n" for line in openai_lines(system, answers)))
    return path


# -- DeepEval ----------------------------------------------------------------------------------------------


def deepeval_run(system, answers, metrics=("Correctness",)):
    cases = [
        {
            "name": one.item,
            "input": one.question,
            **({} if one.answer is None else {"actualOutput": one.answer}),
            "expectedOutput": one.truth,
            "flaky": False,
            "success": one.score == 1,
            "metricsData": [
                {
                    "name": name,
                    "threshold": 0.5,
                    "success": one.score == 1,
                    **({"error": "ValueError: boom"} if one.error else {"score": one.score, "reason": "it is so"}),
                    "strictMode": False,
                    "evaluationModel": "judge",
                }
                for name in metrics
            ],
            "order": number,
            "metadata": {"group": f"g{number // 4}"},
        }
        for number, one in enumerate(answers)
    ]
    hyperparameters = {"model": system, "prompt template": "short"}
    return {"testCases": cases, "conversationalTestCases": [], "metricsScores": [], "hyperparameters": hyperparameters}


def write_deepeval(folder, system, answers):
    path = folder / f"{system}.latest_test_run.json"
    path.write_bytes(dump({"testRunData": deepeval_run(system, answers)}))
    return path


# -- SWE-bench ---------------------------------------------------------------------------------------------


def swebench_report(answers):
    """Return a report; every second failure without a score is ambiguous and stands among the unresolved ones too."""
    names = "completed incomplete empty_patch submitted resolved unresolved infra_failure ambiguous_failure error"
    lists = {name: [] for name in names.split()}
    # Those with an error come first, so that both kinds of them are there.
    for place, one in enumerate(sorted(answers, key=lambda one: (one.error is None, one.item))):
        lists["submitted"].append(one.item)
        if one.error:
            lists[("infra_failure", "ambiguous_failure")[place % 2]].append(one.item)
            lists[("error", "unresolved")[place % 2]].append(one.item)
        elif one.score == 1:
            lists["resolved"].append(one.item)
        else:
            lists[("unresolved", "empty_patch", "error")[place % 3]].append(one.item)
        if one.item not in {*lists["empty_patch"], *lists["error"]}:
            lists["completed"].append(one.item)
    counts = {"total_instances": len(answers)} | {f"{name}_instances": len(ids) for name, ids in lists.items()}
    return {**counts, **{f"{name}_ids": ids for name, ids in lists.items()}, "schema_version": 2}


def write_swebench(folder, system, answers):
    path = folder / f"{system}.nightly-0.json"
    path.write_text(json.dumps(swebench_report(answers), indent=4), encoding="utf-8")
    return path


# -- EvalPlus ----------------------------------------------------------------------------------------------


def evalplus_results(answers, task="HumanEval"):
    """Return results in which a solution that fails the base tests passes the extra ones."""
    problems = {}
    for one in answers:
        status = {1.0: ("pass", "pass"), 0.0: ("fail", "pass"), None: (None, None)}[one.score]
        problems.setdefault(f"{task}/{one.item}", []).append(
            {
                "task_id": f"{task}/{one.item}",
                "solution": f"def f():\n    return {one.answer!r}",
                "base_status": status[0],
                "plus_status": status[1],
                "base_fail_tests": [],
                "plus_fail_tests": [],
            }
        )
    return {"date": "2026-11-16 07:51", "hash": "fe585eb4df8c88d844eeb463ea4d0302", "eval": problems}


def write_evalplus(folder, system, answers):
    path = folder / f"{system}_eval_results.json"
    path.write_bytes(dump(evalplus_results(answers)))
    return path


# -- Harbor ------------------------------------------------------------------------------------------------


def harbor_trial(agent, one):
    exception = {"exception_type": "VerifierTimeoutError", "exception_message": "late", "exception_traceback": ""}
    return {
        "id": f"{one.item}-{one.repeat}",
        "task_name": one.item,
        "trial_name": f"{one.item}__{one.repeat}",
        "trial_uri": "file:///x",
        "task_id": {"path": one.item},
        "source": "terminal-bench",
        "task_checksum": hashlib.sha256(one.question.encode("utf-8", "replace")).hexdigest(),
        "agent_info": {"name": agent, "version": "1", "model_info": {"name": "m", "provider": None}},
        "verifier_result": None if one.error else {"rewards": {"reward": one.score}},
        "exception_info": exception if one.error else None,
    }


def write_harbor(folder, system, answers):
    """Write a job of the agent `system`, which is called with its model `m`."""
    job = {"id": "j", "started_at": "2026-11-16T07:51:19", "updated_at": None, "finished_at": "2026-11-16T08:51:19"}
    job |= {"n_total_trials": len(answers), "stats": {"n_completed_trials": len(answers), "evals": {}}}
    for number, one in enumerate(answers):
        trial = folder / f"trial-{number}"
        trial.mkdir()
        (trial / "result.json").write_bytes(dump(harbor_trial(system.removesuffix(" m"), one)))
    path = folder / "result.json"
    path.write_text(json.dumps(job, indent=4), encoding="utf-8")
    return path


# -- long tables -------------------------------------------------------------------------------------------


def long_records(system, answers, task="route"):
    empty = dict.fromkeys(COLUMNS)
    return [
        empty
        | {"task": task, "item": one.item, "repeat": one.repeat, "system": system, "truth": one.truth}
        | {"prediction": one.answer, "score": one.score, "error": one.error}
        for one in answers
    ]


def write_long_csv(folder, system, answers):
    path = folder / f"{system}.csv"
    with path.open("w", newline="", encoding="utf-8") as handle:
        writer = csv.DictWriter(handle, COLUMNS)
        writer.writeheader()
        writer.writerows(shuffled(long_records(system, answers)))
    return path


def write_long_lines(folder, system, answers):
    path = folder / f"{system}.jsonl"
    path.write_bytes(b"".join(dump(record) + b"\n" for record in shuffled(long_records(system, answers))))
    return path


def write_long_array(folder, system, answers):
    path = folder / f"{system}.json"
    path.write_bytes(dump(shuffled(long_records(system, answers))))
    return path


WRITERS = {
    "inspect": write_inspect,
    "promptfoo": write_promptfoo,
    "promptfoo lines": write_promptfoo_lines,
    "openai": write_openai,
    "deepeval": write_deepeval,
    "swebench": write_swebench,
    "evalplus": write_evalplus,
    "harbor": write_harbor,
    "long csv": write_long_csv,
    "long lines": write_long_lines,
    "long array": write_long_array,
}

WITHOUT_LABELS = {"swebench", "evalplus", "harbor"}
"""Formats that hold neither truth nor prediction."""

NUMBERS_ITEMS = {"promptfoo", "promptfoo lines"}
"""Formats whose items are the numbers of tests."""

WITHOUT_REPEATS = {"swebench"}

ITEM_PREFIX = {"evalplus": "HumanEval/"}
SCORERS = {"evalplus": "base"}
