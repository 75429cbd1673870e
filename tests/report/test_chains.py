"""Answers by Markov chains, on paper: what is said of them is true, and what stands beside them works too.

One answer and one more with a prior that is not conjugate are made of chains that stand in for those of PyMC: how
pages and pictures show those is tested in mcmc/. Everything that is about words and pictures alone is tested on exact
answers that are dressed up as sampled ones.
"""

from __future__ import annotations

import html
import json
import re
from dataclasses import dataclass, fields, replace
from functools import partial
from html.parser import HTMLParser
from unittest import mock

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy import stats
from scipy.special import logit

import ropewalk as rw
from hostile import hostile_names
from ropewalk import plots
from ropewalk.draws.blocks import Draws
from ropewalk.draws.decision import judge
from ropewalk.draws.intervals import Interval, summarise
from ropewalk.errors import InvalidInputError
from ropewalk.inference.answers import run_comparison
from ropewalk.inference.extras import gather
from ropewalk.mcmc import chains
from ropewalk.mcmc.chains import Diagnostics, effective
from ropewalk.mcmc.sampler import Sampler
from ropewalk.models import (
    Bootstrap,
    DeltaPrior,
    Flat,
    Icdm2015,
    LogitNormal,
    Model,
    Multilabel,
    NoisyLabels,
    OwnPriors,
    Pooled,
    PowerPrior,
    Sigir2016,
    Sigir2016Unpaired,
    Tree,
)
from ropewalk.report.describe.chains import delta_values, trace
from ropewalk.report.describe.method import sampler_call
from ropewalk.report.document import describe
from ropewalk.report.words import made_by, worth_text
from ropewalk.results.base import Drawing
from ropewalk.text.remarks import warning
from sampling import as_sampled, compiled_quickly, perfect
from support import method_rows, need

ENGINE = Sampler(backend="pymc")
GOOD = Diagnostics(
    engine="PyMC 5.28.5", step="nuts", chains=4, draws=4_000, tune=1_000, rhat=1.0018, rhat_of="mu", rhat_limit=1.05,
    ess_bulk=3869.2, ess_bulk_of="f1", ess_tail=2762.6, ess_tail_of="f1", divergences=0, acceptance=0.906,
)  # fmt: skip
BAD = replace(GOOD, rhat=1.31, rhat_limit=1.01, ess_bulk=23.0, divergences=17)
HOSTILE = hostile_names("script", "image", "turned", "long", "all marks", "hebrew")
NORMAL = stats.norm(0, 0.02)


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


@pytest.fixture(autouse=True, scope="module")
def _pymc():
    with compiled_quickly():
        yield


@pytest.fixture(scope="module")
def r(news):
    """The answer of the papers' model, by chains that take each step twice."""
    with mock.patch.object(chains, "run_chains", partial(perfect, repeats=2)):
        return rw.compare(
            news.outcomes, a="nb_mult", b="svm_l2", pos_label=8, rope=0.05, engine=ENGINE, draws=4_000, rng=0
        )


def run_own(program, sampler, draws, seed, cores=1):
    """Stand in for a sampler: the share of positive items by its density, all else by Dirichlets."""
    rng, size, model = np.random.default_rng(seed), (sampler.n_chains, sampler.per_chain(draws)), program.model
    (n_rest, n_positive), outcomes = (model.rvs_to_values[model[name]].data for name in ("classes", "outcomes"))
    at = np.linspace(0, 1, 100_001)[1:-1]
    logs = stats.norm.logpdf(logit(at), -2, 1) + (n_positive - 1) * np.log(at) + (n_rest - 1) * np.log1p(-at)
    mass = np.cumsum(np.exp(logs - logs.max()))
    share = np.interp(rng.random(size), mass / mass[-1], at)
    theta = np.stack([rng.dirichlet(counts + 1, size) for counts in outcomes], axis=2)
    return as_sampled(model, {"shares_share": share, "mu": np.stack([1 - share, share], axis=-1), "theta": theta})


@pytest.fixture(scope="module")
def own(table):
    """An answer whose prior no closed form knows."""
    model = OwnPriors(mu=need("pymc").LogitNormal.dist(-2, 1))
    with mock.patch.multiple(chains, run_chains=run_own, PRIOR_DRAWS=2_000):
        return rw.compare(table, model=model, rope=0.05, engine=ENGINE, draws=2_000, rng=0)


@pytest.fixture(scope="module")
def exact(news):
    return rw.compare(news.outcomes, a="nb_mult", b="svm_l2", pos_label=8, rope=0.05, draws=4_000, rng=0)


def dressed(answer, run=GOOD, **changes):
    """Return an exact answer as if chains had made it."""
    unsaid = "" if run.converged else "no verdict, since the Markov chains have not converged"
    draws = replace(answer.draws, chains=run.chains)
    recipe, drawing = replace(answer.recipe, sampler=ENGINE), Drawing(diagnostics=run, no_verdict=unsaid)
    return replace(answer, draws=draws, recipe=recipe, drawing=drawing, **changes)


@pytest.fixture(scope="module")
def bad(exact):
    text = f"The Markov chains have not converged. {' '.join(BAD.problems)}"
    remarks = (
        warning("thin", "Something is thin."),
        warning("thin", "Something else is thin."),
        warning("chains_not_converged", text),
    )
    return dressed(exact, BAD, regions=None, decision=None, rope_path=None, remarks=remarks)


def words(page):
    """Return what a reader sees, in one line."""
    bare = re.sub(r"<(style|script)[^>]*>.*?</\1>", " ", page, flags=re.DOTALL)
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", bare)))


def section(page, title):
    """Return the part of a page that is folded away under a title."""
    return re.search(rf"<summary><span>{title}(.*?)</details>", page, flags=re.DOTALL)[1]


class Tags(HTMLParser):
    """Which elements are open, and every id; a closing tag must close the last one that was opened."""

    VOID = ("meta", "br", "input", "wbr")

    def __init__(self):
        super().__init__()
        self.open, self.ids, self.images = [], [], []

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.ids += [given["id"]] if "id" in given else []
        self.images += [given] if given.get("role") == "img" else []
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


# -- the page ----------------------------------------------------------------------------------------------


def test_the_page_is_well_formed_and_its_pictures_have_titles(r):
    found = Tags()
    found.feed(r.to_html())
    assert found.open == []
    assert len(set(found.ids)) == len(found.ids)
    titles = [image["aria-labelledby"] for image in found.images if "aria-labelledby" in image]
    assert set(titles) <= set(found.ids)
    assert "trace1-title" in titles


def test_the_chains_stand_after_the_numbers_and_before_the_method(r):
    page = r.to_html()
    heads = re.findall(r"<h2>(.*?)</h2>", page)
    folded = [words(title).strip() for title in re.findall(r"<summary><span>(.*?)(?: <small>.*?)?</span>", page)]
    assert heads.index("Both scores") < heads.index("Details")
    assert folded.index("Confusion matrices") < folded.index("Markov chains") < folded.index("How it was computed")


def test_the_page_says_how_the_chains_were_run_and_whether_each_check_passes(r):
    told, run = words(section(r.to_html(), "Markov chains")), r.diagnostics
    assert f"Sampler NUTS by {run.engine}" in told
    assert "Chains 4 × 1,000 draws, 4,000 in all" in told
    assert "Tuning 1,000 steps per chain, discarded" in told
    assert f"Acceptance {100 * run.acceptance:.0f}% of the steps; 90% was aimed at" in told
    for row in (
        f"R-hat, worst {run.rhat:.3f} at most {run.rhat_limit} yes {run.rhat_of}",
        f"bulk ESS, least {run.ess_bulk:,.0f} at least 400 yes {run.ess_bulk_of}",
        f"tail ESS, least {run.ess_tail:,.0f} at least 400 yes {run.ess_tail_of}",
        "divergent draws 0 none yes",
    ):
        assert row in told
    assert "Nothing speaks against the chains" in told


def test_an_exact_answer_has_no_chains_on_its_page(exact):
    page = exact.to_html()
    assert "Markov chain" not in words(page)
    assert 'class="trace"' not in page
    assert dict(method_rows(exact))["Draws"] == "4,000, independent, seed 0"
    assert "Markov chains" not in [section.title for section in describe(exact).on_page() if section.kind == "section"]


def test_the_page_is_small_and_asks_for_nothing(r, own):
    for answer in (r, own):
        page = answer.to_html()
        assert len(page.encode()) < 150_000
        assert not re.search(r'(src|href)="(?!#)', page)
        assert not re.search(r'\s(style|on\w+)="', page)
        assert "://" not in re.sub(r"<(style|script)[^>]*>.*?</\1>", "", page, flags=re.DOTALL)


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_names_are_escaped_among_the_chains_too(name, silent):
    y = ["p", "n"] * 50
    exact = rw.compare(y, y[:90] + ["n"] * 10, y, names=[name, "b"], pos_label="p", rope=0.05, rng=0, draws=2_000)
    answer = dressed(exact, replace(BAD, draws=2_000, rhat_of=f"f1, {name} − b", ess_bulk_of=f"f1 of {name}"))
    page = answer.to_html()
    Tags().feed(page)
    assert "<script>alert" not in page
    assert "<img" not in page
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066\u2067]", page)
    for made in (str(answer), answer.to_markdown(), answer.to_latex(), answer.sentence(), answer._repr_html_()):
        assert "\u202e" not in made
    plots.plot_trace(answer)[0, 0].figure.canvas.draw()
    plots.plot_ess(answer).figure.canvas.draw()


def test_the_same_answer_is_the_same_page(r, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert r.to_html() == r.to_html()


def test_an_answer_that_has_not_converged_says_so_first_and_gives_no_verdict(bad):
    page = bad.to_html()
    told = words(page)
    assert "No verdict, since the Markov chains have not converged As drawn, nb_mult 's F1 is higher" in told
    assert told.index("Warning The sampler has not come to rest") < told.index("Something is thin.")
    part = section(page, "Markov chains")
    assert 'class="alarm"' in part
    assert "The chains have not converged: 3 of the checks below fail." in words(part)
    assert "R-hat, worst 1.310 at most 1.01 no" in words(part)
    assert "tail ESS, least 2,763 at least 400 yes" in words(part)
    assert "Smallest difference that matters" not in told
    assert "No verdict, since the Markov chains have not converged" in bad.sentence()


@pytest.mark.parametrize("kind", ["evaluation", "ranking", "classes"])
def test_every_kind_of_answer_shows_its_chains(kind, table, news):
    if kind == "evaluation":
        e = rw.evaluate(table, "svm_l2", metric=["f1", "accuracy"], rng=0, draws=4_000)
        answer = replace(e, metrics=tuple(dressed(m) for m in e.metrics))
    elif kind == "ranking":
        answer = dressed(rw.rank(news.outcomes, pos_label=8, rng=0, draws=4_000))
    else:
        found = rw.compare_classes(table, rope=0.05, rng=0, draws=4_000)
        answer = replace(found, comparisons=(dressed(found[0]), dressed(found[1], BAD)))
    page = answer.to_html()
    part = section(page, "Markov chains")
    assert part.count('<svg class="trace"') == {"evaluation": 2, "ranking": 4, "classes": 0}[kind]
    if kind == "classes":
        assert "The chains of 1 of 2 classes have not converged" in words(part)
        assert "the worst of 2 runs: R-hat 1.310" in answer.to_markdown()
    assert "4,000 draws by NUTS (PyMC 5.28.5" in answer.sentence()
    assert "4,000 draws by NUTS (PyMC 5.28.5" in re.sub(r"\n +", " ", answer.to_text(details=True))
    assert len(page.encode()) < 150_000


# -- the picture on the page -------------------------------------------------------------------------------


def decoded(path):
    """Return the heights of a path, in units from the top."""
    start, _, steps = path.removeprefix("M0 ").partition("l")
    moves = [int(y) for x, y in re.findall(r"(1)\s?(-?\d+)", steps)]
    return np.cumsum([int(start), *moves])


@pytest.mark.parametrize(("n", "step"), [(10, 1), (500, 1), (501, 2), (5_000, 10)])
def test_the_trace_on_the_page_is_that_of_the_draws(n, step, rng):
    values = rng.normal(0.1, 0.02, (3, n))
    found = trace("t", "F1", values)
    assert [line.name for line in found.lines] == ["chain 1", "chain 2", "chain 3"]
    for line, draws in zip(found.lines, values, strict=True):
        heights, shown = decoded(line.path), draws[::step]
        assert len(heights) == len(shown) == found.width + 1 <= 500
        inside = (heights > 0) & (heights < 200)
        slope, start = np.polyfit(shown[inside], heights[inside], 1)
        assert slope < 0  # large values stand high
        assert heights[inside] == pytest.approx(start + slope * shown[inside], abs=0.6)
    (low, low_text), (high, high_text) = found.ticks[0], found.ticks[-1]
    scale = (high - low) / (float(high_text) - float(low_text))
    assert scale == pytest.approx(slope / 2, rel=0.01)  # ticks are per cent of 200 units
    assert ("one in" in found.caption) is (step > 1)


def test_of_many_chains_the_extremes_are_drawn_and_the_page_stays_small(rng):
    values = rng.normal(0, 1, (100, 1_000))
    values[41] += 5
    values[17] -= 5
    found = trace("t", "F1", values)
    names = [line.name for line in found.lines]
    assert len(names) == 12
    assert {"chain 42", "chain 18"} <= set(names)
    assert len({line.look for line in found.lines}) == 12
    assert "12 of 100 chains are drawn" in found.caption
    assert sum(len(line.path) + len(line.density) for line in found.lines) < 60_000


def test_draws_that_diverged_are_marked_where_they_were(rng):
    values, diverging = rng.normal(0, 1, (2, 401)), np.zeros((2, 401), dtype=bool)
    diverging[0, 100] = diverging[1, 400] = True
    found = trace("t", "F1", values, np.flatnonzero(diverging.any(axis=0)))
    assert [float(x) for x in re.findall(r"M([\d.]+) 200", found.marks)] == [100.0, 400.0]
    assert "diverged" in found.caption
    assert trace("t", "F1", values).marks == ""


@pytest.mark.parametrize("values", [np.zeros((4, 100)), np.full((1, 1), 0.3), np.full((2, 3), -0.2)])
def test_chains_that_never_move_have_a_picture(values):
    found = trace("t", "F1", values)
    assert all("nan" not in line.path + line.density for line in found.lines)


# -- what is said ------------------------------------------------------------------------------------------


def test_every_text_says_who_drew(r):
    run = r.diagnostics
    how = (
        f"4,000 draws by NUTS ({run.engine}, 4 chains after 1,000 tuning steps each; R-hat {run.rhat:.3f}, bulk ESS "
        f"{run.ess_bulk:,.0f}, tail ESS {run.ess_tail:,.0f})"
    )
    assert re.search(rf"Chains +{re.escape(how)}", re.sub(r"\n +", " ", r.to_text(details=True)))
    assert how in r.sentence()
    assert how in r.to_markdown()
    assert how in r.to_latex()
    assert dict(method_rows(r))["Draws"] == f"{how.replace(' draws', '', 1)}, seed 0"


def test_nothing_calls_draws_of_chains_independent_or_exact(r, own):
    for answer in (r, own):
        told = [str(answer), answer.sentence(), answer.to_markdown(), answer.to_latex(), words(answer.to_html())]
        for text in told:
            plain = text.replace("taken as independent", "").replace("the rest drawn exactly", "")
            plain = plain.replace('"exact":null', "")
            assert "independent" not in plain
            assert "exact" not in plain.replace('"engine": "exact"', "")


def test_monte_carlo_errors_are_those_of_the_effective_number_of_draws(r, exact):
    worth = r.delta.worth(4_000)
    assert worth == pytest.approx(effective(r.draws.delta().reshape(4, -1)), rel=0.01)
    assert f"4,000 draws worth {round(worth, -2):,})" in re.sub(r"\s+", " ", r.to_text(details=True))
    assert exact.delta.worth(4_000) == 4_000
    assert "4,000 draws)" in re.sub(r"\s+", " ", exact.to_text(details=True))
    assert json.loads(html.unescape(re.search(r"data-live='([^']*)'", r.to_html())[1]))["worth"] == worth


@pytest.mark.parametrize("n", [1, 7, 4_000, 50_000, 3_200_000])
def test_independent_draws_are_worth_themselves(n):
    draws = np.random.default_rng(n).normal(0.01, 0.02, n)
    found = summarise(draws, np.sort(draws), prob=0.95, observed=None)
    assert found.worth(n) == n
    assert worth_text(n, found).startswith(f"{n:,} draw")
    assert "worth" not in worth_text(n, found)


def test_dependent_draws_carry_fewer_digits_and_settle_less(rng):
    draws = rng.normal(0.0, 0.01, 4_000)
    ordered = np.sort(draws)
    how = {"prob": 0.95, "rule": "probability", "higher_is_better": True}
    rope = Interval(-0.0224, 0.0224)  # 97.5% of the mass
    plain = summarise(draws, ordered, prob=0.95, observed=None)
    poor = summarise(draws, ordered, prob=0.95, observed=None, ess=300)
    assert judge(plain, ordered, rope, **how)[2]
    assert not judge(poor, ordered, rope, **how)[2]


def test_several_runs_are_judged_by_the_worst_of_each():
    other = replace(GOOD, rhat=1.009, rhat_limit=1.01, ess_bulk=900.0, ess_tail=5_000.0, divergences=2)
    told = made_by([GOOD, other])
    assert "the worst of 2 runs: R-hat 1.009, bulk ESS 900, tail ESS 2,763, 2 divergences" in told
    assert "Metropolis (PyMC 5.28.5, 1 chain not tuned; R-hat not known" in made_by(
        [replace(GOOD, step="metropolis", chains=1, tune=0, rhat=np.inf)]
    )
    assert made_by([]) == ""


@pytest.mark.parametrize(
    ("sampler", "model", "call"),
    [
        (None, Sigir2016(), None),
        (Sampler(), Sigir2016(), "'pymc'"),
        (Sampler(), LogitNormal(), None),
        (Sampler(backend="pymc"), LogitNormal(), "rw.Sampler(backend='pymc')"),
        (Sampler(step="metropolis"), Sigir2016(), "rw.Sampler(step='metropolis')"),
        (Sampler(step="metropolis", tune=500), Sigir2016(), "rw.Sampler(step='metropolis', tune=500)"),
        (Sampler(n_chains=2, target_accept=0.99), Sigir2016(), "rw.Sampler(n_chains=2, target_accept=0.99)"),
    ],
)
def test_the_call_names_the_engine_where_it_is_not_the_usual_one(exact, sampler, model, call):
    recipe = replace(exact.recipe, sampler=sampler, model=model)
    assert sampler_call(recipe) == call
    if call and call.startswith("rw."):
        assert eval(call, {"rw": rw}) == sampler


def test_the_call_on_the_page_is_that_of_the_chains(r, own):
    assert dict(method_rows(r))["Call"].endswith("model='paired', engine=rw.Sampler(backend='pymc'))")
    assert "model=rw.models.OwnPriors(mu=…), engine=rw.Sampler(backend='pymc'))" in dict(method_rows(own))["Call"]


# -- models in words ---------------------------------------------------------------------------------------


MODELS = [
    Sigir2016(), Sigir2016Unpaired(), Tree(), Tree(paired=False, centre="pooled"), Flat(), Icdm2015(), Pooled(),
    Multilabel(), Bootstrap(), OwnPriors(mu=(2, 38)), OwnPriors(rho=((8, 2), (1, 9))), OwnPriors(), LogitNormal(),
    LogitNormal(pooled=True, correlation="learned"), LogitNormal(paired=True), NoisyLabels(error=0.05),
    NoisyLabels(error=(5, 95)), DeltaPrior(model=Sigir2016(), delta=NORMAL),
]  # fmt: skip


def test_every_model_has_a_sentence_of_its_own():
    told = [model.description for model in MODELS]
    assert len(set(told)) == len(told)
    assert all(one[0].isupper() and one.endswith(".") for one in told)
    assert "SIGIR 2016" in Sigir2016().description
    assert "ICDM 2015" in Icdm2015().description
    assert "Christiansen and Morris 1997" in Pooled().description
    assert "was given, whatever" in NoisyLabels(error=(0.05, 0.1)).description
    assert "a prior of its own" in NoisyLabels(error=(5, 95)).description


def test_a_power_prior_tells_of_the_earlier_items(table):
    told = PowerPrior(Sigir2016(), table, discount=0.1).description
    assert told.startswith(Sigir2016().description)
    assert "has also seen 7,532 earlier items, each of which counts as 0.1 of an item" in told
    assert "Ibrahim and Chen 2000" in told


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_a_model_is_written_as_the_python_that_makes_it(model):
    call = model.call()
    if "…" in call:
        assert isinstance(model, DeltaPrior)
        return
    again = eval(call, {"rw": rw})
    assert type(again) is type(model)
    assert {f.name: getattr(again, f.name) for f in fields(again)} == {
        f.name: getattr(model, f.name) for f in fields(model)
    }


@dataclass(frozen=True)
class Mine(Model):
    """A prior that <i>I</i> thought of.

    And more about it.
    """

    name = "my_own <b>|x|"
    prior = "whatever I say; $x$"
    no_savage_dickey = "it is mine"

    def fit(self, outcomes):
        return Sigir2016().fit(outcomes)


def test_a_class_of_ones_own_is_named_by_what_it_says_of_itself(table):
    c = rw.compare(table, model=Mine(), rope=0.05, rng=0, draws=1_000)
    rows, page = dict(method_rows(c)), c.to_html()
    assert rows["In words"] == "Mine: A prior that <i>I</i> thought of."
    assert "model=Mine(…)" in rows["Call"]
    assert "<i>" not in page
    assert "<b>|x|" not in page
    assert "my-own" in words(page)
    assert r"my-own &lt;b&gt;\|x\| model" in c.to_markdown()
    assert gather(c).priors is not None


# -- what stands beside an answer --------------------------------------------------------------------------


def test_other_priors_are_drawn_exactly_and_differ(r, exact):
    found, plain = r.prior_sensitivity(), exact.prior_sensitivity()
    assert [which for which, _ in found.rows] == [which for which, _ in plain.rows]
    assert all(c.recipe.sampler is None and c.chains is None for _, c in found.rows[1:])
    for (_, ours), (_, theirs) in zip(found.rows[1:], plain.rows[1:], strict=True):
        assert ours.mean == theirs.mean  # the same seed, the same draws
    assert all(c.mean != r.mean for _, c in found.rows[1:])
    assert "by Markov chains: as asked, the rest drawn exactly" in str(found)
    assert "By Markov chains: as asked, the rest drawn exactly." in words(r.to_html())
    plots.plot_prior_sensitivity(found)


def test_the_others_have_their_verdicts_where_the_chains_have_none(bad):
    found = gather(bad).priors
    assert found.rows[0][1].decision is None
    assert all(c.decision is not None for _, c in found.rows[1:])


def test_confusions_and_more_items_do_not_need_chains(r, exact):
    for ours, theirs in zip(r.confusions(), exact.confusions(), strict=True):
        assert np.array_equal(ours.low, theirs.low)
    more = r.more_data(n=[1_000], simulations=40, draws=500, progress=False)
    assert more.method == "simulation"
    assert more.design.recipe.rope == r.rope


def test_a_prior_without_a_closed_form_has_a_page(own):
    page = own.to_html()
    told = words(page)
    Tags().feed(page)
    for part in (
        "own-prior model", "LogitNormal(-2, 1)", "The prior of the class shares was given with the question",
        "Markov chains", "Other priors", "paired, SIGIR 2016", "Both scores",
    ):  # fmt: skip
        assert part in told, part
    assert len(own.prior_draws) == 2_000
    assert own.sentence() in told


def test_beside_such_a_prior_nothing_is_simulated(own):
    more = own.more_data(progress=False)
    assert more.method == "extrapolation"
    assert any("not simulated" in note for note in more.notes)
    with pytest.raises(InvalidInputError, match="cannot be simulated"):
        own.more_data(method="simulation")
    with pytest.raises(InvalidInputError, match="cannot be simulated"):
        rw.power(own, n=100)
    assert [c.counts.sum() for c in own.confusions()] == [7_532, 7_532]
    assert [which for which, _ in own.prior_sensitivity().rows] == [
        "as asked", "paired, SIGIR 2016", "unpaired, SIGIR 2016",
    ]  # fmt: skip


def test_to_plan_with_a_prior_without_a_closed_form_is_refused(table):
    with pytest.raises(InvalidInputError, match="cannot be simulated"):
        rw.power(table, n=100, rope=0.05, model=LogitNormal(), simulations=10)
    with pytest.raises(InvalidInputError, match="cannot be simulated"):
        rw.power(table, n=100, rope=0.05, model=DeltaPrior(model=Sigir2016(), delta=NORMAL), simulations=10)


def test_weighted_draws_are_traced_as_the_chains_made_them(r):
    """The prior of the difference shuffles the draws that it weights."""
    weighted = run_comparison(replace(r.recipe, model=DeltaPrior(model=Sigir2016(), delta=NORMAL)), chains=r.chains)
    values, changed = delta_values(weighted)
    assert changed
    assert np.allclose(values.reshape(-1), r.draws.delta())
    assert weighted.delta.worth(4_000) < r.delta.worth(4_000)
    told = words(weighted.to_html())
    assert "before the prior of the difference weights them" in told
    assert "weighted by the prior of the difference" in weighted.sentence()
    rows = weighted.prior_sensitivity().rows
    assert [which for which, _ in rows] == ["as asked", "without the prior of the difference"]
    assert weighted.more_data(progress=False).method == "extrapolation"


def test_values_against_annotated_labels_are_called_that(r, exact):
    noisy = replace(r, recipe=replace(r.recipe, model=NoisyLabels(error=0.05)))
    told = words(noisy.to_html())
    assert told.count("as annotated") >= 2
    assert "the posterior is about the true ones" in told
    assert "By class as annotated: gained are the items" in told
    assert told.count("counted against the labels as they stand in the data") == 2
    assert "half the prior mass" in told
    assert "SIGIR 2016" not in told  # whose models take the labels for the truth
    assert len(noisy.prior_sensitivity().rows) == 3
    assert "as annotated" not in words(exact.to_html())


def test_noise_leaves_the_classes_out_and_says_why(news):
    c = rw.compare(news.outcomes, a="nb_mult", b="svm_l2", rope=0.05, rng=0, draws=1_000)
    found = gather(replace(c, recipe=replace(c.recipe, model=NoisyLabels(error=0.05))))
    assert found.classes is None
    assert "labels as they stand in the data" in found.left_out[0]
    assert gather(c).left_out == ()


def test_the_classes_of_a_sampled_answer_are_drawn_without_chains(news):
    c = dressed(rw.compare(news.outcomes, a="nb_mult", b="svm_l2", rope=0.05, rng=0, draws=1_000), BAD)
    c = replace(c, decision=None, regions=None, rope_path=None)
    found = gather(c).classes
    assert all(one.recipe.sampler is None and one.decision is not None for one in found)
    assert "draws each, without Markov chains." in words(c.to_html())


def test_a_prior_of_earlier_items_knows_the_classifiers_by_name(table):
    c = rw.compare(table, model=PowerPrior(Sigir2016(), table, discount=0.1), rope=0.05, rng=0, draws=2_000)
    assert c.bayes_factor.rope is not None
    assert "has also seen 7,532 earlier items" in words(c.to_html())


# -- pictures ----------------------------------------------------------------------------------------------


def lines(ax, name):
    return [line for line in ax.lines if line.get_label() == name]


def test_the_trace_has_every_chain_of_every_number(r):
    panels = plots.plot_trace(r)
    assert panels.shape == (3, 2)
    labels = [re.sub(r"\s+", " ", panel.get_ylabel()) for panel in panels[:, 0]]
    assert labels == ["Δ F1 of class 8: nb_mult − svm_l2", "F1 of class 8 of nb_mult", "F1 of class 8 of svm_l2"]
    values = [r.draws.delta(), *r.draws.psi]
    for (left, right), draws in zip(panels, values, strict=True):
        for i, chain in enumerate(draws.reshape(4, -1)):
            (line,) = lines(left, f"chain {i + 1}")
            assert np.array_equal(line.get_ydata(), chain)
        assert [text.get_text() for text in right.get_yticklabels()] == [f"chain {i}" for i in (4, 3, 2, 1)]
    assert panels[0, 0].get_title("left").startswith(f"4 chains by NUTS; R-hat {r.diagnostics.rhat:.3f}, least ESS")
    panels[0, 0].figure.canvas.draw()


def test_even_ranks_are_bars_on_the_dotted_line(exact):
    answer = dressed(exact, replace(GOOD, chains=2))
    delta = np.tile(np.linspace(-1, 1, 2_000), 2)
    answer = replace(answer, draws=Draws(psi=np.stack([delta, np.zeros(4_000)]), names=("a", "b"), chains=2))
    right = plots.plot_trace(answer)[0, 1]
    heights = [patch.get_data().values for patch in right.patches]
    assert np.allclose(heights[0], heights[0][0])
    assert heights[0][0] == pytest.approx(lines(right, "chain 1")[0].get_ydata()[0])


def test_divergent_draws_have_ticks_and_many_are_thinned(r, exact):
    stats_of = {**r.chains.sampled.stats, "diverging": np.zeros((4, 1_000), dtype=bool)}
    stats_of["diverging"][2, [10, 500]] = True
    changed = replace(r.chains, sampled=replace(r.chains.sampled, stats=stats_of))
    left = plots.plot_trace(replace(r, drawing=replace(r.drawing, chains=changed)))[0, 0]
    assert lines(left, "diverged")[0].get_xdata().tolist() == [11, 501]
    long = dressed(exact, replace(GOOD, chains=1))
    panels = plots.plot_trace(long)
    assert len(lines(panels[0, 0], "chain 1")[0].get_xdata()) == 1_000
    assert panels[-1, 0].get_xlabel() == "draw of a chain (one in 4 is shown)"


def test_a_trace_takes_axes_that_are_given(r):
    _, axes = plt.subplots(3, 2)
    assert plots.plot_trace(r, ax=axes)[0, 0] is axes[0, 0]
    with pytest.raises(InvalidInputError, match="must be 6 axes"):
        plots.plot_trace(r, ax=axes[0])


def test_one_metric_and_a_ranking_have_traces(table, news):
    e = rw.evaluate(table, "svm_l2", rng=0, draws=4_000)
    assert plots.plot_trace(dressed(e["f1"])).shape == (1, 2)
    assert plots.plot_trace(dressed(rw.rank(news.outcomes, pos_label=8, rng=0, draws=4_000))).shape == (4, 2)


def test_the_effective_number_of_draws_grows_to_that_of_all(r):
    ax = plots.plot_ess(r)
    delta = r.draws.delta().reshape(4, -1)
    for kind in ("bulk", "tail"):
        (line,) = [one for one in ax.lines if one.get_label().startswith(kind)]
        assert line.get_xdata()[-1] == 4_000
        assert line.get_ydata()[-1] == pytest.approx(effective(delta, kind))
        assert line.get_ydata()[0] == pytest.approx(effective(delta[:, :50], kind))
    ax.figure.canvas.draw()


@pytest.mark.parametrize("plot", [plots.plot_trace, plots.plot_ess])
def test_independent_draws_have_no_trace(plot, exact):
    with pytest.raises(InvalidInputError, match="independent") as raised:
        plot(exact)
    assert "plot_draws" in raised.value.hint
    with pytest.raises(InvalidInputError, match="cannot draw"):
        plot(exact.delta)


@pytest.mark.parametrize("plot", ["posterior", "joint", "rope_curve", "draws", "confusion"])
@pytest.mark.parametrize("which", ["r", "own", "bad"])
def test_the_other_pictures_take_answers_of_chains(plot, which, request):
    drawn = getattr(plots, f"plot_{plot}")(request.getfixturevalue(which))
    panels = np.asarray(drawn).reshape(-1)
    panels[0].figure.canvas.draw()
    assert all(ax.has_data() for ax in panels)
    texts = " ".join(text.get_text() for text in panels[0].figure.findobj(mpl.text.Text))
    assert "nb_mult" in texts


def test_too_few_draws_for_savage_dickey_are_said_to_be_the_reason(r):
    with pytest.raises(InvalidInputError, match="the Markov chains have fewer"):
        plots.plot_factor(r)
