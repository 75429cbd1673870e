"""The GitHub Action, its steps run by a shell as GitHub's runner runs them; and the templates for other machines."""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from gates import PAIRS, TRUTH
from support import need

ROOT = Path(__file__).parent.parent.parent
if not (ROOT / "action.yml").exists():
    pytest.skip("the action is not here", allow_module_level=True)

ATTACKS = {
    "substitution": "$(touch pwned)",
    "backticks": "`touch pwned`",
    "end of quote": "'; touch pwned; '",
    "end of quotes": '"; touch pwned; "',
    "lines": "x\ntouch pwned\n",
    "pipe": "| touch pwned",
    "expression": "${{ github.token }}",
    "option": "--html=pwned",
    "variable": "$HOME",
    "spaces": "  two  words ",
}
COMMANDS = {
    "set": "::set-output name=outcome::met",
    "old": "##[set-output name=outcome]met",
    "mask": "x ::add-mask::a",
}


def load(path):
    return need("yaml").safe_load((ROOT / path).read_text(encoding="utf-8"))


def step_of(name):
    return next(step for step in load("action.yml")["runs"]["steps"] if step["name"] == name)


class Runner:
    """GitHub's runner, as far as the steps of the action can see it, in a folder of its own."""

    def __init__(self, folder):
        self.folder = folder
        self.temporary, self.workspace = folder / "temp dir", folder / "work space"
        self.summary, self.output = folder / "summary", folder / "output"
        self.workspace.mkdir()
        python = self.temporary / "ropewalk-gate" / "bin" / "python"
        python.parent.mkdir(parents=True)
        python.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n')
        python.chmod(0o755)
        for file in (self.summary, self.output):
            file.touch()

    def value(self, text, inputs):
        """Fill in the expressions of a value, as the runner does before anything is run."""

        def filled(match):
            expression = match[1].strip()
            if expression == "steps.python.outputs.python-path || 'python3'":
                return sys.executable
            return inputs[expression.removeprefix("inputs.")]

        return re.sub(r"\$\{\{(.*?)\}\}", filled, text)

    def play(self, name, **given):
        """Run a step; return its exit code and its log."""
        inputs = {key: each["default"] for key, each in load("action.yml")["inputs"].items()}
        inputs |= {key.replace("_", "-"): value for key, value in given.items()}
        step = step_of(name)
        assert step["shell"] == "bash"
        script = self.folder / "script.sh"
        script.write_text(step["run"])
        github = {
            "GITHUB_ACTION_PATH": ROOT, "GITHUB_OUTPUT": self.output, "GITHUB_STEP_SUMMARY": self.summary,
            "RUNNER_TEMP": self.temporary, "CI": "true",
        }  # fmt: skip
        env = {name: self.value(text, inputs) for name, text in step["env"].items()}
        place = self.workspace / self.value(step.get("working-directory", "."), inputs)
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", script], cwd=place, text=True, check=False,
            env={**os.environ, **{key: str(value) for key, value in github.items()}, **env},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        return done.returncode, done.stdout

    def outputs(self):
        """Read the outputs of the step, as the runner does: lines, and values between a word and the same word."""
        read, lines = {}, iter(self.output.read_text(encoding="utf-8").split("\n")[:-1])
        for line in lines:
            name, form, end = re.fullmatch(r"(.*?)(<<|=)(.*)", line).groups()
            assert form == "<<"
            read[name] = "\n".join(iter(lambda end=end: next(lines), end))
        return read

    def gate(self, **inputs):
        return self.play("Gate", **inputs)


def commands_in(log):
    """Return the commands of a log that the runner obeys: those of the old form anywhere in a line."""
    stop = None
    for line in log.splitlines():
        if stop is not None:
            stop = None if line.strip() == f"::{stop}::" else stop
        elif line.lstrip().startswith("::stop-commands::"):
            stop = line.strip().removeprefix("::stop-commands::")
        elif line.lstrip().startswith("::") or "##[" in line:
            yield line


@pytest.fixture
def runner(tmp_path):
    return Runner(tmp_path)


def write_table(path, outcome="met", a="new", b="old"):
    """Write a table whose gate for "better" comes out so."""
    import csv

    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([("y", a, b), *zip(TRUTH, *PAIRS[outcome], strict=True)])
    return path.name


COLUMNS = {"truth": "y", "a": "new", "b": "old", "metric": "accuracy"}

# -- the action --------------------------------------------------------------------------------------------


def test_no_script_of_the_action_holds_an_expression():
    steps = [step for step in load("action.yml")["runs"]["steps"] if "run" in step]
    assert len(steps) == 2
    assert [step["run"] for step in steps if "${{" in step["run"]] == []


def test_every_input_reaches_a_step_and_every_variable_is_an_input():
    action = load("action.yml")
    steps = action["runs"]["steps"]
    texts = [str(value) for step in steps for key in ("env", "with") for value in step.get(key, {}).values()]
    texts += [step.get("working-directory", "") for step in steps]
    assert set(re.findall(r"inputs\.([\w-]+)", " ".join(texts))) == set(action["inputs"])
    variables = {name for step in steps for name in step.get("env", {}) if name.startswith("INPUT_")}
    assert {name.removeprefix("INPUT_").replace("_", "-").lower() for name in variables} <= set(action["inputs"])


def test_actions_of_others_are_pinned_to_a_major_version():
    used = [step["uses"] for step in load("action.yml")["runs"]["steps"] if "uses" in step]
    assert len(used) == 1
    assert re.fullmatch(r"actions/setup-python@v\d+", used[0])


@pytest.mark.parametrize(
    ("outcome", "on_undecided", "code"),
    [("met", "", 0), ("contradicted", "", 1), ("undecided", "", 3), ("undecided", "warn", 0), ("undecided", "pass", 0)],
)
def test_the_exit_code_and_the_outputs_say_what_came_out(outcome, on_undecided, code, runner):
    file = write_table(runner.workspace / "p.csv", outcome)
    found, log = runner.gate(files=file, require="better", on_undecided=on_undecided, **COLUMNS)
    assert found == code, log
    outputs = runner.outputs()
    assert outputs.keys() == {"outcome", "exit-code", "headline"}
    assert (outputs["outcome"], outputs["exit-code"]) == (outcome, str(code))
    assert outputs["headline"] in runner.summary.read_text(encoding="utf-8").splitlines()[0]
    shown = [line.split()[0] for line in commands_in(log)]
    assert shown == {"": ["::error"] * (code != 0), "warn": ["::warning"], "pass": []}[on_undecided]
    assert "seed 0" in log


def test_the_files_that_are_asked_for_are_written(runner):
    (runner.workspace / "my data").mkdir()
    write_table(runner.workspace / "my data" / "p 1.csv")
    code, log = runner.gate(
        files="p 1.csv\n", require="better 1%\nequivalent 90%\n", html="a page.html", junit="x.xml", json="x.json",
        working_directory="my data", args="--seed 7 --draws 4000 --title 'two words'", **COLUMNS,
    )  # fmt: skip
    assert code == 0, log
    folder = runner.workspace / "my data"
    assert "<title>two words" in (folder / "a page.html").read_text(encoding="utf-8")
    assert need("junitparser").JUnitXml.fromfile(str(folder / "x.xml")).tests == 2
    import json

    answer = json.loads((folder / "x.json").read_text(encoding="utf-8"))
    assert (answer["seed"], answer["draws"], len(answer["gate"]["requirements"])) == (7, 4_000, 2)
    assert answer["headline"] in log


def test_the_configuration_of_the_repository_is_read(runner):
    write_table(runner.workspace / "p.csv", "contradicted")
    text = '[tool.ropewalk.gate]\ntruth = "y"\na = "new"\nb = "old"\nmetric = "accuracy"\nrequire = ["better"]\n'
    (runner.workspace / "pyproject.toml").write_text(text)
    assert runner.gate(files="p.csv")[0] == 1
    (runner.workspace / "pyproject.toml").rename(runner.workspace / "my gate.toml")
    assert runner.gate(files="p.csv", config="my gate.toml")[0] == 1


SLOW_ATTACKS = [pytest.param(text, marks=pytest.mark.slow, id=name) for name, text in list(ATTACKS.items())[2:]]


@pytest.mark.parametrize("attack", [*list(ATTACKS.values())[:2], *SLOW_ATTACKS])
def test_nothing_in_an_input_is_run(attack, runner):
    write_table(runner.workspace / "p.csv")
    usual = {"files": "p.csv", "require": "better", **COLUMNS}
    names = [name for name in load("action.yml")["inputs"] if name in step_inputs()]
    given = {name: attack for name in names if name not in {"html", "junit", "json", "working-directory"}}
    code, log = runner.gate(**given)
    assert code in {2, 4, 5}, log
    code, log = runner.gate(**{**usual, "a": attack})
    assert code == 4, log
    assert {path.name for path in runner.workspace.rglob("*")} == {"p.csv"}
    assert runner.outputs()["outcome"] == "error"


def step_inputs():
    """Return the inputs that the step of the gate gets."""
    return set(re.findall(r"inputs\.([\w-]+)", str(step_of("Gate")["env"])))


@pytest.mark.slow
@pytest.mark.parametrize("name", [*ATTACKS.values(), *COMMANDS.values()], ids=[*ATTACKS, *COMMANDS])
def test_a_system_of_any_name_has_an_answer_and_sets_no_output_of_its_own(name, runner):
    name = name.rstrip("\n")
    file = write_table(runner.workspace / 'it\'s $1 "p".csv', "contradicted", a=name)
    code, log = runner.gate(files=file, require="better", **{**COLUMNS, "a": name})
    assert code == 1, log
    assert runner.outputs().keys() == {"outcome", "exit-code", "headline"}
    assert runner.outputs()["outcome"] == "contradicted"
    assert [line.split()[0] for line in commands_in(log)] == ["::error"]
    assert [path.name for path in runner.workspace.rglob("*")] == [file]


@pytest.mark.parametrize(
    ("inputs", "code", "told"),
    [
        ({"files": "none.csv"}, 5, "Cannot read 'none.csv'"),
        ({"files": "p.csv", "a": "newer"}, 4, "newer"),
        ({"files": "p.csv", "require": "not-worse"}, 2, "margin"),
        ({"files": "p.csv", "args": "--title 'no end"}, 2, "args cannot be read"),
        ({"files": "p.csv", "args": "--help"}, 5, "no answer"),
    ],
)
def test_what_is_wrong_is_an_annotation_and_an_outcome_of_its_own(inputs, code, told, runner):
    write_table(runner.workspace / "p.csv")
    found, log = runner.gate(**{"require": "better", **COLUMNS, **inputs})
    assert found == code, log
    (command,) = commands_in(log)
    assert command.startswith("::error title=ropewalk gate::")
    assert told in command
    assert (runner.outputs()["outcome"], runner.outputs()["exit-code"]) == ("error", str(code))
    assert runner.summary.read_text() == ""


def test_an_answer_that_cannot_be_kept_fails_the_step(runner):
    write_table(runner.workspace / "p.csv")
    code, log = runner.gate(files="p.csv", require="better", json="none/x.json", **COLUMNS)
    assert code == 5
    assert "none/x.json" in next(commands_in(log))


def action():
    """Return the script of the action as a module."""
    spec = importlib.util.spec_from_file_location("action", ROOT / "tools" / "action.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
@pytest.mark.parametrize(
    ("version", "extras", "requirement"),
    [
        ("", "logs", "/an action[logs]"),
        ("", "", "/an action"),
        ("0.2.0", "files, logs", "ropewalk[files,logs]==0.2.0"),
        ("1.0rc1", "", "ropewalk==1.0rc1"),
        ("ropewalk[all]>=0.2", "logs", "ropewalk[all]>=0.2"),
        ("--index-url=x", "", "--index-url=x"),
    ],
)
def test_what_is_installed_is_this_action_a_version_or_a_requirement(
    version, extras, requirement, monkeypatch, tmp_path
):
    module, calls = action(), []
    for name, value in {
        "INPUT_VERSION": version, "INPUT_EXTRAS": extras, "GITHUB_ACTION_PATH": "/an action", "RUNNER_TEMP": tmp_path,
    }.items():  # fmt: skip
        monkeypatch.setenv(name, str(value))
    monkeypatch.setattr(module.venv, "create", lambda place, **_: place.mkdir())
    done = subprocess.CompletedProcess([], 0)
    monkeypatch.setattr(module.subprocess, "run", lambda line, **_: calls.append(line) or done)
    assert module.install() == 0
    assert calls[0][0] == str(tmp_path / "ropewalk-gate" / "bin" / "python")
    assert calls[0][-2:] == ["--", requirement]  # after which nothing is an option


# -- templates ---------------------------------------------------------------------------------------------


def run_job(folder, **variables):
    """Run the script of the job for GitLab in a shell, but for the installation; return exit code and output."""
    job = load("templates/gitlab-ci.yml")["ropewalk-gate"]
    bin_folder = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = {
        **os.environ,
        "PATH": bin_folder,
        **{key: str(value) for key, value in job["variables"].items()},
        **variables,
    }
    install, gate = job["script"]
    assert install.startswith("python -m pip install")
    done = subprocess.run(
        ["sh", "-e", "-c", gate], cwd=folder, env=env, text=True, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    return done.returncode, done.stdout


@pytest.mark.parametrize(("outcome", "code"), [("met", 0), ("contradicted", 1), ("undecided", 3)])
def test_the_job_for_gitlab_gates_and_leaves_what_it_says_it_keeps(outcome, code, tmp_path):
    file = write_table(tmp_path / "p 1.csv", outcome)
    options = "--truth y --a new --b old --metric accuracy"
    found, log = run_job(tmp_path, CANDIDATE=file, REQUIRE="better 0", OPTIONS=options)
    assert found == code, log
    kept = load("templates/gitlab-ci.yml")["ropewalk-gate"]["artifacts"]
    assert kept["when"] == "always"
    assert (tmp_path / kept["paths"][0]).stat().st_size > 0
    assert need("junitparser").JUnitXml.fromfile(str(tmp_path / kept["reports"]["junit"])).tests == 1


def test_the_job_for_gitlab_takes_the_configuration_and_two_logs(tmp_path):
    for system, answers in (("new", PAIRS["met"][0]), ("old", PAIRS["met"][1])):
        rows = [
            f"q{i},{system},{int(answer == truth)}"
            for i, (answer, truth) in enumerate(zip(answers, TRUTH, strict=True))
        ]
        (tmp_path / f"{system}.csv").write_text("\n".join(["item,system,score", *rows]) + "\n")
    (tmp_path / "pyproject.toml").write_text('[tool.ropewalk.gate]\nrequire = ["better 1%"]\n')
    code, log = run_job(tmp_path, CANDIDATE="new.csv", BASELINE="old.csv")
    assert code == 0, log
    assert "better by more than 1 point" in log


def pre_commit(folder, *arguments):
    """Run pre-commit in a repository; return exit code and output."""
    done = subprocess.run(
        [sys.executable, "-m", "pre_commit", *arguments], cwd=folder, text=True, check=False,
        env={
            **os.environ, "PRE_COMMIT_HOME": str(folder / ".cache"),
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        },
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    return done.returncode, done.stdout


@pytest.fixture
def repository(tmp_path):
    """A repository with a table and a section for the gate."""
    for line in (["init", "-q"], ["config", "user.email", "a@b.c"], ["config", "user.name", "a"]):
        subprocess.run(["git", *line], cwd=tmp_path, check=True)
    text = '[tool.ropewalk.gate]\ntruth = "y"\na = "new"\nb = "old"\nmetric = "accuracy"\nrequire = ["better"]\n'
    (tmp_path / "pyproject.toml").write_text(text)
    return tmp_path


def test_the_hook_of_pre_commit_is_one_that_pre_commit_takes():
    need("pre_commit")
    path = str(ROOT / ".pre-commit-hooks.yaml")
    done = subprocess.run([sys.executable, "-m", "pre_commit", "validate-manifest", path], check=False)
    assert done.returncode == 0
    (hook,) = load(".pre-commit-hooks.yaml")
    assert (hook["id"], hook["language"], hook["pass_filenames"]) == ("ropewalk-gate", "python", False)


@pytest.mark.slow
@pytest.mark.parametrize(("outcome", "code"), [("met", 0), ("contradicted", 1), ("undecided", 1)])
def test_pre_commit_runs_the_hook_with_the_section_of_the_repository(outcome, code, repository):
    need("pre_commit")
    write_table(repository / "p.csv", outcome)
    (hook,) = load(".pre-commit-hooks.yaml")
    hook = {**hook, "language": "system", "args": ["p.csv"]}  # an environment of its own would be installed
    hook.pop("minimum_pre_commit_version")
    config = {"repos": [{"repo": "local", "hooks": [hook]}]}
    (repository / ".pre-commit-config.yaml").write_text(need("yaml").safe_dump(config))
    subprocess.run(["git", "add", "."], cwd=repository, check=True)
    found, log = pre_commit(repository, "run", "--hook-stage", "manual", "--all-files", "--verbose")
    assert found == code, log
    assert {"met": "PASS", "contradicted": "FAIL", "undecided": "UNDECIDED"}[outcome] in log


# -- the page ----------------------------------------------------------------------------------------------

PAGE = ROOT / "docs" / "howto" / "gate-in-ci.md"


def blocks_of_page():
    """Return the YAML that the page shows, by what it is."""
    texts = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    return {next(iter(need("yaml").safe_load(text))): text for text in texts}


@pytest.mark.skipif(not PAGE.exists(), reason="the pages are not here")
def test_the_workflow_that_the_page_shows_gives_inputs_that_there_are():
    steps = need("yaml").safe_load(blocks_of_page()["jobs"])["jobs"]["gate"]["steps"]
    (step,) = [step for step in steps if "ropewalk" in step.get("uses", "")]
    assert set(step["with"]) <= set(load("action.yml")["inputs"])
    asked = re.findall(r"steps\.gate\.outputs\.([\w-]+)", blocks_of_page()["jobs"])
    assert set(asked) <= set(load("action.yml")["outputs"])


@pytest.mark.skipif(not PAGE.exists(), reason="the pages are not here")
def test_the_job_that_the_page_shows_sets_variables_that_there_are():
    job = need("yaml").safe_load(blocks_of_page()["include"])["ropewalk-gate"]
    assert set(job["variables"]) <= set(load("templates/gitlab-ci.yml")["ropewalk-gate"]["variables"])


@pytest.mark.skipif(not PAGE.exists(), reason="the pages are not here")
def test_the_configuration_of_pre_commit_that_the_page_shows_is_taken(tmp_path):
    need("pre_commit")
    (tmp_path / "config.yaml").write_text(blocks_of_page()["repos"])
    code, log = pre_commit(tmp_path, "validate-config", "config.yaml")
    assert code == 0, log
