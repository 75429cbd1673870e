"""`ropewalk mcp`: assistants ask by the reference client of the protocol, over the pipes of a real process."""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager

import pytest

import ropewalk as rw
from hostile import NAMES
from logwriters import seeded_answers, write_inspect, write_long_csv
from ropewalk.cli.tools import calls
from ropewalk.cli.tools.calls import DESCRIBE, call
from ropewalk.cli.tools.lines import line_of
from ropewalk.cli.tools.offered import input_schema, tools
from ropewalk.cli.tools.shortening import MAX_LETTERS, shortened
from ropewalk.text.writing import visible
from support import heed_signals, need

pytestmark = pytest.mark.usefixtures("no_running_loop")

SERVER = [sys.executable, "-m", "ropewalk", "mcp"]
HEADER = "id,y,new,old,base\n"
ROWS = HEADER + "".join(f"{i},{i % 2},{i % 2},{i % 3 % 2},1\n" for i in range(120))
PAIR = {"path": "preds.csv", "truth": "y", "a": "new", "b": "old", "draws": 300}
BULKY = ("dots", "quantiles", "recipe", "rope_path", "rank_probabilities")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a table and two logs, where both the server and the tests are."""
    (tmp_path / "preds.csv").write_text(ROWS)
    for name, seed in (("new", 1), ("old", 2)):
        write_inspect(tmp_path, name, seeded_answers(seed, n_errors=0))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def talk(folder, *asked, at_once=False):
    """Return the tools, and the answers to calls (name, arguments), as the reference client has them."""
    mcp = need("mcp")

    async def run():
        server = mcp.StdioServerParameters(command=SERVER[0], args=SERVER[1:], cwd=folder)
        async with mcp.Client(mcp.stdio_client(server)) as client:
            there = (await client.list_tools()).tools
            if at_once:
                return there, await asyncio.gather(*(client.call_tool(*one) for one in asked))
            return there, [await client.call_tool(*one) for one in asked]

    return asyncio.run(run())


def text_of(answer):
    (content,) = answer.content
    return content.text


def files_in(folder):
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*")}


# -- by the reference client -------------------------------------------------------------------------------


def test_the_reference_client_lists_the_tools_which_only_read(folder):
    there, _ = talk(folder)
    assert [tool.name for tool in there] == [DESCRIBE, *tools()]
    assert {"compare", "rank", "plan"} <= tools().keys()
    for tool in there:
        assert tool.annotations.read_only_hint
        assert tool.description
        assert all(argument["description"] for argument in tool.input_schema["properties"].values())
        assert tool.output_schema["type"] == "object"


def test_a_file_is_described_and_the_calls_that_it_suggests_are_answered(folder):
    _, (described,) = talk(folder, (DESCRIBE, {"path": "preds.csv"}))
    (file,) = described.structured_content["files"]
    assert file["what"].startswith("a table")
    assert {row["column"]: row["looks like"] for row in file["contents"]}["y"] == "truth"
    suggested = [command["call"] for command in file["commands"] if command["call"]]
    assert [one["tool"] for one in suggested] == ["compare", "rank"]
    assert f"compare {json.dumps(suggested[0]['arguments'], separators=(',', ':'))}" in text_of(described)
    few = [(one["tool"], {**one["arguments"], "draws": 300}) for one in suggested]
    _, answers = talk(folder, *few)
    assert [(answer.is_error, bool(answer.structured_content["headline"])) for answer in answers] == [(False, True)] * 2


def test_an_answer_is_that_of_the_command_as_text_and_as_data(folder, run):
    question = {**PAIR, "metric": "accuracy", "rope": "2%", "seed": 3}
    _, (answer,) = talk(folder, ("compare", question))
    line = ("--truth", "y", "--a", "new", "--b", "old", "--metric", "accuracy", "--rope", "2%")
    _, out, _ = run("compare", "preds.csv", *line, "--draws", "300", "--seed", "3", "--json")
    expected = json.loads(out)
    assert answer.structured_content == {key: value for key, value in shortened(expected).items() if key not in BULKY}
    assert answer.structured_content["delta"]["mean"] == expected["delta"]["mean"]
    assert not set(BULKY) & answer.structured_content.keys()
    assert text_of(answer).startswith(expected["headline"].split(".")[0][:40])


@pytest.mark.slow
def test_logs_are_compared_and_ranked(folder):
    logs = ["new.json", "old.json"]
    _, (described, compared, ranked) = talk(
        folder, (DESCRIBE, {"path": logs}), ("compare", {"path": logs, "rope": 0.1, "draws": 300}),
        ("rank", {"path": logs, "metric": "accuracy", "draws": 300}),
    )  # fmt: skip
    assert {call["call"]["tool"] for call in described.structured_content["together"]} == {"compare"}
    assert compared.structured_content["n_items"] == 20
    assert [model["name"] for model in ranked.structured_content["models"]] == [
        compared.structured_content[part]["name"] for part in ("a", "b")
    ]


def test_a_test_set_is_planned_by_words_and_by_a_saved_answer(folder, run):
    saved = run("compare", "preds.csv", "--truth", "y", "--a", "new", "--b", "old", "--draws", "300", "--json")[1]
    (folder / "saved.json").write_text(saved)
    few = {"simulations": 200, "max_n": 2_000}
    _, (by_words, by_answer) = talk(
        folder,
        ("plan", {"scenario": "F1 .6 against .5 at agreement .7", "rope": 0.05, **few}),
        ("plan", {"from": "saved.json", "rope": 0.05, "goal": "conclusive", **few}),
    )
    assert by_words.structured_content["n"] > 0
    assert not by_answer.is_error, text_of(by_answer)


def test_a_candidate_is_held_against_its_base_line(folder):
    asked = {**PAIR, "metric": "accuracy", "require": "not-worse", "margin": "2%", "draws": "auto"}
    _, (met, contradicted) = talk(folder, ("gate", asked), ("gate", {**asked, "a": "old", "b": "new"}))
    assert met.structured_content["gate"]["outcome"] == "met"
    assert contradicted.structured_content["gate"]["outcome"] == "contradicted"
    assert not contradicted.is_error


def test_a_mistake_is_a_tool_error_with_a_hint_and_the_server_lives_on(folder):
    (folder / "broken.parquet").write_bytes(b"PAR1 and no more")
    mistakes = [
        ("compare", {}),
        ("compare", {"path": "missing.csv", "truth": "y", "a": "new", "b": "old"}),
        ("compare", {"path": "preds.csv"}),
        ("compare", {**PAIR, "truth": "nothing"}),
        ("compare", {**PAIR, "rope": -1}),
        ("compare", {**PAIR, "rope": "two"}),
        ("compare", {**PAIR, "metric": "f11"}),
        ("compare", {**PAIR, "html": "page.html"}),
        ("compare", {**PAIR, "per_class": "yes"}),
        ("compare", {**PAIR, "draws": 0}),
        ("compare", {**PAIR, "path": "broken.parquet"}),
        ("rank", {"path": "preds.csv", "truth": "y", "predictions": "new"}),
        ("plan", {}),
        ("plan", {"scenario": "who knows"}),
        (DESCRIBE, {}),
        (DESCRIBE, {"path": ""}),
        ("delete", {"path": "preds.csv"}),
    ]
    _, answers = talk(folder, *mistakes, ("compare", PAIR))
    for asked, answer in zip(mistakes, answers, strict=False):
        assert answer.is_error, asked
        assert re.fullmatch(r"Error: .+\nHint: .+", text_of(answer)), (asked, text_of(answer))
        assert answer.structured_content is None
    assert not answers[-1].is_error


def test_calls_at_the_same_time_get_their_own_answers(folder):
    asked = [("compare", {**PAIR, "metric": metric}) for metric in ("accuracy", "recall", "f1", "precision") * 2]
    _, answers = talk(folder, *asked, at_once=True)
    assert [answer.structured_content["metric"] for answer in answers] == [one["metric"] for _, one in asked]


@pytest.mark.slow
def test_nothing_is_written(folder):
    before = files_in(folder)
    talk(folder, (DESCRIBE, {"path": "."}), ("compare", PAIR), ("compare", {**PAIR, "a": "x"}), ("rank", {"path": "."}))
    assert files_in(folder) == before


@pytest.mark.slow
def test_what_is_to_be_known_of_the_data_is_in_the_answer(folder):
    rows = [row._replace(score=None) for row in seeded_answers(3)[:3]] + seeded_answers(3, n_errors=0)[3:]
    write_long_csv(folder, "gaps", rows)
    (folder / "holes.csv").write_text(HEADER + "".join(f"{i},{i % 2},{i % 2},{i % 3 or ''},1\n" for i in range(90)))
    _, (answer,) = talk(folder, ("compare", {**PAIR, "path": "holes.csv", "missing": "drop", "metric": "accuracy"}))
    said = [*answer.structured_content["notes"], *answer.structured_content["warnings"]]
    assert any("30" in sentence for sentence in said), said
    assert "30" in text_of(answer)


# -- the wire ----------------------------------------------------------------------------------------------

INITIALIZE = {
    "jsonrpc": "2.0", "id": 0, "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}  # fmt: skip


def request(number, name, arguments):
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


@contextmanager
def started(folder):
    """Start a server that has been greeted; whatever a test leaves of it ends."""
    need("mcp")
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(SERVER, cwd=folder, preexec_fn=heed_signals, **pipes) as job:  # noqa: PLW1509
        send(job, INITIALIZE)
        assert json.loads(job.stdout.readline())["id"] == 0
        send(job, {"jsonrpc": "2.0", "method": "notifications/initialized"})
        try:
            yield job
        finally:
            job.kill()


def send(job, message):
    job.stdin.write(json.dumps(message) + "\n")
    job.stdin.flush()


def test_stdout_holds_nothing_but_the_protocol_and_ends_with_stdin(folder):
    asked = [
        (DESCRIBE, {"path": "preds.csv"}), ("compare", {**PAIR, "pos_label": 1}), ("compare", {"path": "-"}),
        ("compare", {"path": "preds.csv"}), ("rank", {"path": ["new.json", "old.json"], "draws": 300}),
    ]  # fmt: skip
    with started(folder) as job:
        for number, one in enumerate(asked, 1):
            send(job, request(number, *one))
        lines = [json.loads(job.stdout.readline()) for _ in asked]
        assert sorted(line["id"] for line in lines) == [1, 2, 3, 4, 5]
        job.stdin.close()
        assert (job.stdout.read(), job.stderr.read(), job.wait()) == ("", "", 0)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_it(folder, number):
    with started(folder) as job:
        job.send_signal(number)
        out, err = job.communicate()
    assert (job.returncode, out, err) == (128 + number, "", "")


def test_it_ends_with_stdin_while_a_call_is_at_work(folder):
    long = {"scenario": "F1 .6 against .5 at agreement .7", "rope": 0.05, "simulations": 10_000_000}
    with started(folder) as job:
        send(job, request(1, "plan", long))
        send(job, {"jsonrpc": "2.0", "id": 2, "method": "ping"})
        assert json.loads(job.stdout.readline())["id"] == 2  # it hears while it works
        out, err = job.communicate()
    assert (job.returncode, err) == (0, "")
    assert all(json.loads(line) for line in out.splitlines())


def test_without_the_sdk_the_error_says_how_to_install_it(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "mcp", None)
    code, out, err = run("mcp")
    assert (code, out) == (5, "")
    assert err == "Error: ropewalk mcp needs mcp, which is not installed.\nHint: pip install 'ropewalk[mcp]'\n"


# -- calls -------------------------------------------------------------------------------------------------


def test_schemas_are_valid_and_hold_for_the_calls_that_are_suggested(folder):
    validator = need("jsonschema").Draft202012Validator
    for tool in tools().values():
        validator.check_schema(input_schema(tool))
    described = call(DESCRIBE, {"path": ["preds.csv", "new.json"]}).data
    suggested = [command["call"] for file in described["files"] for command in file["commands"] if command["call"]]
    assert len(suggested) == 2
    for one in suggested:
        validator(input_schema(tools()[one["tool"]])).validate(one["arguments"])


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0.01, ["--rope", "0.01"]),
        (1e-05, ["--rope", "1e-05"]),
        (1.0, ["--rope", "1"]),
        ([-0.01, 0.02], ["--rope=-0.01,0.02"]),
        ({"f1": 0.01, "a,b": 0.02}, ["--rope", 'f1=0.01,"a,b=0.02"']),
        (None, []),
    ],
)
def test_values_of_json_become_those_of_a_line(value, words):
    assert line_of(tools()["compare"], {"rope": value}) == ["compare", *words]


def test_names_that_look_like_options_are_names(folder):
    (folder / "-x.csv").write_text(ROWS.replace("new", "--new").replace("old", "-o"))
    asked = {"path": "-x.csv", "truth": "y", "a": "--new", "b": "-o", "draws": 300}
    assert call("compare", asked).data["a"]["name"] == "--new"
    assert call(DESCRIBE, {"path": "-x.csv"}).data["files"][0]["path"] == "-x.csv"


@pytest.mark.parametrize(
    "path", ["-", "/dev/stdin", "/dev/zero", "pipe", "https://example.org/preds.csv", "postgresql://h/x"]
)
def test_streams_devices_and_addresses_are_not_read(folder, path):
    os.mkfifo("pipe")
    asked = [
        (DESCRIBE, {"path": path}), ("compare", {**PAIR, "path": path}), ("rank", {"path": ["preds.csv", path]}),
        ("compare", {"path": ["new.json", "old.json"], "qrels": path}), ("plan", {"from": path}),
        ("compare", {"file_a": path, "file_b": path, "id": "id", "truth": "y", "prediction": "new"}),
    ]  # fmt: skip
    for one in asked:
        reply = call(*one)
        assert reply.is_error
        assert reply.text.startswith("Error: Only files, folders and patterns can be read here; got "), one
    assert call("plan", {"scenario": path}).is_error


def test_hostile_names_of_columns_do_not_act_on_a_screen(folder):
    names = [name for name in NAMES.values() if name.strip() and not {"\n", "\r", "\0"} & set(name)]
    for name in names:
        quoted = '"' + name.replace('"', '""') + '"'
        (folder / "odd.csv").write_text(ROWS.replace("new", quoted, 1), encoding="utf-8", errors="surrogatepass")
        for asked in ((DESCRIBE, {"path": "odd.csv"}), ("compare", {**PAIR, "path": "odd.csv", "a": name})):
            reply = call(*asked)
            lines = reply.text.replace("\u2068", "").replace("\u2069", "").split("\n")  # but for our own isolates
            assert all(visible(line) == line for line in lines), (name, reply.text)
            if reply.data is not None:
                json.dumps(reply.data, allow_nan=False).encode()


def test_answers_are_bounded_and_say_what_was_left_out(folder):
    systems = [f"system {k}" for k in range(40)]
    columns = {name: [(i * (k + 3)) % 7 % 2 for i in range(60)] for k, name in enumerate(systems)}
    lines = [
        ",".join(["y", *systems]),
        *(",".join(map(str, [i % 2, *row])) for i, row in enumerate(zip(*columns.values(), strict=True))),
    ]
    (folder / "wide.csv").write_text("\n".join(lines) + "\n")
    reply = call("rank", {"path": "wide.csv", "truth": "y", "predictions": systems, "metric": "accuracy", "draws": 100})
    assert len(json.dumps(reply.data)) <= 1.2 * MAX_LETTERS
    assert reply.data["left_out"]["pairwise"] > 700
    assert reply.data["headline"]
    (folder / "wider.csv").write_text(
        ",".join(["y", *("x" * 200 + str(k) for k in range(3_000))]) + "\n" + "1," * 3_000 + "1\n"
    )
    reply = call(DESCRIBE, {"path": "wider.csv"})
    assert max(len(reply.text), len(json.dumps(reply.data))) <= 1.2 * MAX_LETTERS


def test_what_is_too_long_even_so_is_left_out_by_name():
    long = {str(k): "x" * 1_900 for k in range(30)}
    short = shortened({"headline": "A leads", "one": long, "two": 2, **{f"part {k}": "x" * 90 for k in range(900)}})
    assert (short["headline"], short["two"]) == ("A leads", 2)
    assert "one" in short["left_out"]
    assert len(json.dumps(short)) <= 1.2 * MAX_LETTERS


def test_a_slip_of_our_own_is_a_tool_error_without_a_traceback(folder, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(calls, "line_of", lambda *_: 1 / 0)
        reply = call("compare", PAIR)
    assert reply.is_error
    assert reply.text.startswith("Error: ropewalk failed: ZeroDivisionError: division by zero.\nHint: ")
    assert not call("compare", PAIR).is_error


def values(draw):
    """Return a value that a client may send, as JSON has it."""
    odd = [
        "",
        "\0",
        "a\nb",
        "-",
        "--",
        "..",
        "x" * 10_000,
        "\ud800",
        "=1",
        "1,2",
        '"',
        "1e999",
        "-inf",
        "preds.csv",
        "y",
    ]
    plain = [None, True, False, 0, -1, 1, 0.5, -0.0, 1e308, 10**30, *odd]
    kind = draw.random()
    if kind < 0.7:
        return draw.choice(plain)
    if kind < 0.9:
        return [draw.choice(plain) for _ in range(draw.randrange(4))]
    return {str(draw.choice(plain)): draw.choice([*plain, {}, []])}


def attacked(seed, number):
    """Yield calls, each spoilt in one argument or two."""
    draw = random.Random(seed)
    usual = {
        "compare": PAIR, "gate": {**PAIR, "require": "better"}, DESCRIBE: {"path": "preds.csv"},
        "rank": {"path": "preds.csv", "truth": "y", "predictions": ["new", "old"], "draws": 300},
        "plan": {"scenario": "F1 .6 against .5 at agreement .7", "rope": 0.05, "simulations": 200, "max_n": 300},
    }  # fmt: skip
    for _ in range(number):
        name = draw.choice([*usual])
        known = [*tools()[name].arguments] if name in tools() else ["path"]
        spoilt = {draw.choice([*known, "path", "nothing"]): values(draw) for _ in range(draw.choice((1, 1, 2)))}
        yield name, {**usual[name], **spoilt}


def assert_withstands(folder, seed, number):
    before = files_in(folder)
    for name, arguments in attacked(seed, number):
        costly = {"draws", "simulations", "max_n", "n"} & arguments.keys()
        if any(not isinstance(arguments[key], int) or not -5 <= arguments[key] <= 2_000 for key in costly):
            continue
        reply = call(name, arguments)
        assert reply.is_error == reply.text.startswith("Error: "), (name, arguments, reply.text)
        assert "ropewalk failed" not in reply.text, (name, arguments, reply.text)
        assert not reply.is_error or "\nHint: " in reply.text, (name, arguments, reply.text)
        json.dumps(reply.data, allow_nan=False)
    assert files_in(folder) == before


@pytest.mark.usefixtures("frugal")
def test_hostile_calls_end_in_a_sentence(folder):
    assert_withstands(folder, 0, 80)


@pytest.mark.slow
@pytest.mark.usefixtures("frugal")
@pytest.mark.parametrize("seed", range(1, 11))
def test_hostile_calls_of_many_seeds_end_in_a_sentence(folder, seed):
    assert_withstands(folder, seed, 300)


def test_a_call_waits_for_the_one_before_it(folder, monkeypatch):
    """To catch warnings concerns all threads at once, so that two answers must not be made side by side."""
    inside, most = [0], [0]
    answered = calls._answered

    def counted(*asked):
        inside[0] += 1
        most[0] = max(most[0], inside[0])
        try:
            return answered(*asked)
        finally:
            inside[0] -= 1

    monkeypatch.setattr(calls, "_answered", counted)
    threads = [threading.Thread(target=call, args=("compare", PAIR)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1]


def test_a_metric_that_is_added_stands_in_the_schema(monkeypatch):
    assert "accuracy" in input_schema(tools()["compare"])["properties"]["metric"]["description"]
    monkeypatch.setitem(rw.metrics.METRICS, "toy_metric", rw.metrics.METRICS["accuracy"])
    assert "toy_metric" in input_schema(tools()["compare"])["properties"]["metric"]["description"]
