"""Studies that have not been made yet: their power, the smallest that reaches a goal, more items, and when to stop."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

from ropewalk.report.describe import prospects
from ropewalk.report.describe.method import judged_by
from ropewalk.report.describe.prospects import SETTLED, Prospect, power_picture, verdict_picture
from ropewalk.report.document import Answer, Block, Document, Picture, Rows, Section, Table, describes, name
from ropewalk.report.page_remarks import Line
from ropewalk.report.words import class_words, items_text, metric_name, model_text, unit_text
from ropewalk.results import Design, LabelPlan, MoreData, Plan, PowerResult, PowerRow, StoppingResult
from ropewalk.text.verdicts import rope_text
from ropewalk.text.writing import amount, count_of, rounded_up, share_interval, share_text

MAX_SIZES_IN_SENTENCE: Final = 4  # rows of a table that a sentence can hold
_URGENT: Final = ("Warning", "Hint", "Assumes")  # what a plan assumes decides it, so it stands beside the answer
_NOT_YET: Final = "There is no answer yet: the search was stopped before it came to one"
_NOT_COVERED: Final = (
    "Everything is about items like those taken as true, drawn independently; whether that is how things are, chance "
    "in training and the choice of the data set are not in it."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Study:
    """What distinguishes the kinds: `what` is asked, what was found (`detail` in brackets), and `rows` behind it.

    `answer` is a table of one row, where the answer is more than its rows. `ceiling_of` names what cannot be more
    probable than its region. `sought` is what was looked for, where that is the truth or the ROPE themselves.
    """

    title: str
    what: str
    headline: str
    detail: str = ""
    effort: str = ""
    stopped_after: str = ""
    rows: tuple[Table, ...] = ()
    answer: tuple[Table, ...] = ()
    lines: Rows = ()
    ceiling_of: str = "assurance"
    sought: str = ""
    picture: Prospect | None = None


def _document(result: Any, study: _Study) -> Document:
    design, recipe = result.design, result.design.recipe
    stopped_after = study.stopped_after or count_of(result.simulations, "simulation")
    partial = [f"PARTIAL: stopped after {stopped_after}"] if result.partial else []
    about, effort = _about(study, design), study.effort or _simulated(result)
    headline = f"{study.headline} ({study.detail})" if study.detail else study.headline
    answer = Answer(
        title=study.title,
        headline=" · ".join([*partial, headline]),
        lines=(("Study", " · ".join(about)), *study.lines, ("Made by", f"{effort} · seed {design.seed}")),
    )
    parts = [*([study.detail] if study.detail else []), *partial, *_about(study, design, full=True), effort]
    assumed = f"that the truth is {design.truth}" if design.assurance else design.truth

    def sections(document: Document) -> tuple[Block, ...]:
        rows = (
            ("Taken as true", name(design.truth)),
            ("Model", model_text(recipe)),
            ("ROPE", "" if recipe.rope is None else f"{rope_text(recipe.rope)}, as stated in the call"),
            ("Judged by", "" if recipe.rope is None else judged_by(recipe)),
            ("Made by", f"{effort}, seed {design.seed}"),
        )
        picture = study.picture
        return (
            *document.answer_sections(urgent=_URGENT),
            *(() if picture is None else (Section(picture.head, (Picture("prospect", picture),)),)),
            *document.table_section(),
            document.method_section(rows, not_covered=_NOT_COVERED, urgent=_URGENT),
        )

    return Document(
        caption=" · ".join([*partial, study.what, *about, effort]),
        answers=(answer,),
        tables=(*study.answer, *study.rows),
        remarks=(Line("Assumes", assumed), *result.remarks),
        sentence=f"{study.headline} ({'; '.join(parts)}).",
        terminal=(answer, *study.rows),  # the words say the answer, so its table is left out
        card=(answer, *study.rows),
        sections=sections,
    )


def _about(study: _Study, design: Design, *, full: bool = False) -> list[str]:
    """List what is measured, what is taken as true, and how it is judged; in `full` as a paper needs it."""
    recipe, truth = design.recipe, name(design.truth)
    a, b = map(name, design.names)
    classes = class_words(recipe)
    parts = [f"{metric_name(recipe.metric.name)} of {a} − {b}{classes.replace(' · ', ', ') if full else classes}"]
    if design.delta is None:
        parts.append(f"truth {truth}")
    elif study.sought == "difference":
        parts += [f"along the line through {truth}"] if full else []
    else:
        difference = f"{design.delta:+.3g}" if design.delta else "0"
        parts.append(f"true difference {difference}{f' ({truth})' if full else ''}")
    if recipe.rope is not None:
        parts.append("judged by the ROPE found" if study.sought == "ROPE" else f"ROPE {name(rope_text(recipe.rope))}")
        parts.append(f"{100 * recipe.prob:g}% HDI")
    parts.append(model_text(recipe) if full else f"{name(recipe.model.name)} model")
    if design.ceiling is not None and design.goal != "conclusive":
        most = prospects.at_most(design.ceiling, design.draws)
        parts.append(f"{study.ceiling_of} {most}, however many items: the posterior probability of its region")
    return parts


def _simulated(result: Any, in_all: str = "") -> str:
    """Write how an answer was made."""
    if not result.simulations:
        return "nothing simulated"
    return f"{count_of(result.simulations, 'simulation')}{in_all} × {count_of(result.design.draws, 'draw')}"


def _against(design: Design) -> str:
    a, b = map(name, design.names)
    return f"{a} against {b}"


# -- power -------------------------------------------------------------------------------------------------


@describes(PowerResult)
def describe_power(result: PowerResult) -> Document:
    """Describe how often studies would reach their goal."""
    design, goal = result.design, prospects.goal_text(result.design)
    to_find = "reach" if result.goal == "conclusive" else "find"
    what = f"Assurance of {goal}" if design.assurance else f"Power to {to_find} {goal}"
    rows = result.rows if len(result.rows) <= MAX_SIZES_IN_SENTENCE else (result.rows[0], result.rows[-1])
    shares = [f"{share_text(row.power, row.simulations)} with {row.n:,}" for row in rows]
    shares[0] += " item" if rows[0].n == 1 else " items"
    few = len(result.rows) <= MAX_SIZES_IN_SENTENCE
    shown = f"is {', '.join(shares)}" if few else f"goes from {shares[0]} to {shares[1]}"
    ends = ", ".join(share_interval(row.low, row.high) for row in rows)
    done = sorted({row.simulations for row in result.rows})
    first = f"{done[0]:,} to " if len(done) > 1 else ""
    study = _Study(
        title=f"How often would a study of {_against(design)} reach its goal?",
        what=what,
        headline=f"The {what[0].lower()}{what[1:]} {shown}",
        detail=f"95% {'interval' if len(rows) == 1 else 'intervals'} {ends}",
        stopped_after=f"{first}{done[-1]:,} of {count_of(result.simulations, 'simulation')}",
        rows=_size_table(result),
        picture=power_picture(result.rows, prospects.kind_text(design), goal),
    )
    return _document(result, study)


def _size_table(result: PowerResult | Plan) -> tuple[Table, ...]:
    """Return what comes of each number of items, if any was simulated."""
    if not result.rows:
        return ()
    none = prospects.lacks_some(result.rows)
    rows = tuple((f"{row.n:,}", *_cells(result.design, row, none=none)) for row in result.rows)
    header = ("items", *_columns(result.design, none=none))
    return (Table(header=header, rows=rows, text_columns=0, ends_in_text=False),)


def _columns(design: Design, *, none: bool) -> tuple[str, ...]:
    """Name the columns of a table of shares; with `none` where some studies get no verdict."""
    verdicts = prospects.verdict_header(design, none=none)
    return (prospects.kind_text(design), "95% interval", *verdicts, "wrong", "type S", "type M")


def _cells(design: Design, row: PowerRow, *, none: bool) -> tuple[str, ...]:
    n = row.simulations
    shares = (*prospects.verdict_shares(row, prospects.settled_words(design), none=none), row.wrong)
    n_sided = max(round(n * sum(row.decisions.get(verdict, 0.0) for verdict in (SETTLED[0], SETTLED[-1]))), 1)
    return (
        share_text(row.power, n),
        share_interval(row.low, row.high),
        *(share_text(share, n) for share in shares),
        "–" if row.type_s is None else share_text(row.type_s, n_sided),
        prospects.times_text(row.type_m, n_sided),
    )


# -- the smallest study that reaches a goal ----------------------------------------------------------------


@describes(Plan)
def describe_plan(result: Plan) -> Document:
    """Describe the smallest study that reaches a goal, the least that one finds, or the one that is worth most."""
    make = {"n": _smallest, "delta": _least_found, "value": _worth_most, "loss": _least_loss}[result.asks]
    design = result.design
    study = replace(
        make(result),
        rows=_size_table(result),
        picture=power_picture(
            result.rows, prospects.kind_text(design), prospects.goal_text(design), target=result.target, answer=result.n
        ),
    )
    return _document(result, study if study.headline else replace(study, headline=_NOT_YET))


def _plan(
    result: Plan, question: str, what: str, answer: tuple[str, str], *cells: tuple[str, str], sought: str = ""
) -> _Study:
    """Return a study with a table of one row: `cells` are (header, cell)."""
    design = result.design
    header, row = zip(("goal", prospects.goal_text(design)), *cells, strict=True)
    return _Study(
        title=f"{question} {_against(design)}?",
        what=what,
        headline=answer[0],
        detail=answer[1],
        effort=_simulated(result, " in all"),
        answer=(Table(header=header, rows=(row,), ends_in_text=False),),
        sought=sought,
    )


def _smallest(result: Plan) -> _Study:
    design, kind = result.design, prospects.kind_text(result.design)
    goal = f"{prospects.goal_text(design)} with {prospects.target_text(result)} {kind}"
    n, unit = rounded_up(result.n or 0, result.low, result.high)
    ends = prospects.range_text(result.low, result.high, unit)
    beyond = prospects.out_of_reach(design, result.target)
    if result.n is not None:
        answer = f"About {count_of(n, 'item')} reach {goal}", f"95% interval of the search: {ends}" if ends else ""
    elif result.partial:
        answer = "", ""
    elif beyond:
        most = prospects.at_most(design.ceiling or 0.0, design.draws)
        answer = f"{_capital(goal)} is not reachable: however many items, its probability is {most}", ""
    else:
        answer = f"{_capital(goal)} is not reachable below n = {result.max_n:,}", ""
    about = f"about {n:,}" if result.n is not None else "not reachable" if beyond else f">{result.max_n:,}"
    cells = ((kind, prospects.target_text(result)), ("items", about), ("95% interval", ends or "–"))
    return _plan(result, "How many items are needed for", f"Smallest test set for {goal}", answer, *cells)


def _capital(goal: str) -> str:
    """Begin a sentence with it, unless it begins with a name."""
    return f"A{goal[1:]}" if goal.startswith("a conclusive") else goal


def _least_found(result: Plan) -> _Study:
    design, kind = result.design, prospects.kind_text(result.design)
    sought = "ROPE" if design.goal == "A≈B" else "difference"
    goal, n, target = prospects.goal_text(design), count_of(result.n or 0, "item"), prospects.target_text(result)
    how = f"{target} {kind}"
    at, low, high = ("not found", "", "") if result.found is None else prospects.sizes_text(result)
    ends = f"{low} to {high}" if low else ""
    if result.found is not None:
        detail = f"95% interval of the search: {ends}" if ends else ""
        answer = f"{n} find {goal} with {how} from a {sought} of {at} on", detail
    elif result.partial:
        answer = "", ""
    else:
        answer = f"No {sought} that the scenario allows is found by {n} with {how}", ""
    cells = ((kind, target), ("items", f"{result.n:,}"), (sought, at), ("95% interval", ends or "–"))
    question = f"How small a {sought} can be found for"
    return _plan(result, question, f"Smallest {sought} for {goal} with {how}", answer, *cells, sought=sought)


def _worth_most(result: Plan) -> _Study:
    goal = prospects.goal_text(result.design)
    value, cost = map(prospects.money_text, (result.value, result.cost_per_item))
    price = f"{goal} is worth {value} and a label costs {cost}"
    n, unit = rounded_up(result.n or 0, result.low, result.high)
    ends = prospects.range_text(result.low, result.high, unit)
    about, net = ("none", "–") if result.n is None else (f"about {n:,}", f"about {prospects.net_text(result)}")
    if result.n is not None:
        as_good = f"as good, as far as the simulations tell: {ends}" if ends else ""
        many = f"About {count_of(n, 'item')} are worth most"
        answer = f"{many}: an expected net value of {net}, where {price}", as_good
    else:
        answer = "" if result.partial else f"No test set is worth its labels, where {price}", ""
    cells = (("value", value), ("a label", cost), ("items", about), ("as good", ends or "–"), ("net value", net))
    return _plan(
        result, "How many items are worth their labels for", f"Test set worth most, for {goal}", answer, *cells
    )


def _least_loss(result: Plan) -> _Study:
    bound = f"{result.max_loss:g} {unit_text(result.design.recipe.metric.name)}"
    n, unit = rounded_up(result.n or 0, result.low, result.high)
    ends = prospects.range_text(result.low, result.high, unit)
    lose = f"shipping the better-looking one is expected to lose at most {bound}"
    if result.n is not None:
        many = f"About {count_of(n, 'item')} are enough" if result.n else "No test set is needed"
        answer = f"{many}: {lose}", f"95% interval of the search: {ends}" if ends else ""
    elif result.partial:
        answer = "", ""
    else:
        answer = f"Below n = {result.max_n:,} no test set is enough, so that {lose}", ""
    about = f">{result.max_n:,}" if result.n is None else f"about {n:,}"
    cells = (("expected loss", f"{result.max_loss:g}"), ("items", about), ("95% interval", ends or "–"))
    study = _plan(
        result, "How many items are needed to choose between", "Smallest test set to choose by", answer, *cells
    )
    table = study.answer[0]
    return replace(study, answer=(replace(table, header=table.header[1:], rows=(table.rows[0][1:],)),))


# -- what labels are worth ---------------------------------------------------------------------------------


@describes(LabelPlan)
def describe_labels(result: LabelPlan) -> Document:
    """Describe what more labels are worth, and how many bring the expected loss down."""
    recipe, stakes, std = result.recipe, result.stakes, result.delta.std
    error, unit, better = stakes.certainty_mc_error, unit_text(recipe.metric.name), name(result.better)
    now = f"{amount(stakes.certainty, error, std)} {unit}"
    loss = f"the expected loss of shipping {better} is {now}"
    each = " for each classifier" if len(recipe.tables) > 1 else ""
    bound = "" if result.max_loss is None else f"{result.max_loss:g}"
    if not bound:
        headline = f"T{loss[1:]}, and so much is it worth to know which is better"
    elif result.n == 0:
        headline = f"No more items are needed for at most {bound}: {loss}"
    elif result.n is None:
        headline = f"Below {result.max_n:,} more items{each} the expected loss is not down to {bound}; now it is {now}"
    else:
        many = f"About {rounded_up(result.n)[0]:,} more items{each}"
        headline = f"{many} bring the expected loss of shipping the better-looking one down to {bound}; now it is {now}"
    rows = tuple((f"{row.n:,}", *(amount(part, error, std) for part in (row.worth, row.loss))) for row in result.rows)
    header = (f"more items{each}", "would save", "expected loss left")
    about = f"{metric_name(recipe.metric.name)} of {name(result.a)} − {name(result.b)}{class_words(recipe)}"
    return Document(
        caption=f"{about} · {items_text(recipe)} so far · {name(recipe.model.name)} model · extrapolated",
        answers=(
            Answer(
                title=f"What are more labels worth for {name(result.a)} against {name(result.b)}?",
                headline=headline,
                lines=(("Data", f"{items_text(recipe)} so far"), ("About", about)),
                note="extrapolated from the posterior; the one that looks better then is shipped",
            ),
        ),
        tables=(Table(header=header, rows=rows, text_columns=0, ends_in_text=False),),
        remarks=result.remarks,
    )


# -- more items --------------------------------------------------------------------------------------------


@describes(MoreData)
def describe_more(result: MoreData) -> Document:
    """Describe how many more items would settle a question."""
    design, rough = result.design, result.method == "extrapolation"
    n, unit = rounded_up(result.n or 0, result.low, result.high)
    ends = prospects.range_text(result.low, result.high, unit)
    wanted, reached = prospects.wanted_text(result), bool(result.n)
    first = f"{wanted[0].upper()}{wanted[1:]} is not reachable"
    if reached:
        headline = f"About {n:,} more {result.unit} give {wanted}"
    elif result.n == 0:
        headline = f"The verdict is conclusive already: no more {result.unit} are needed"
    elif prospects.out_of_reach(design, result.target):
        most = prospects.level_text(design.ceiling or 0.0, design.draws)
        tends = f"the probability of {prospects.goal_text(design)} tends to {most}, that of its region"
        headline = f"{first}: however many {result.unit}, {tends}"
    else:
        headline = f"{first} below {result.max_n:,} more {result.unit}"
    row = (prospects.goal_text(design), f"{100 * result.target:g}%", prospects.more_cell(result), ends or "–")
    header = ("goal", "probability", prospects.HEADER, "95% interval", "method")
    study = _Study(
        title=f"How many more {result.unit} would settle {_against(design)}?",
        what=f"Probability of each verdict after more {result.unit}",
        headline=headline,
        detail=f"95% interval of the search: {ends}" if reached and ends else "",
        effort="extrapolated from the posterior" if rough else _simulated(result, " in all"),
        rows=(prospects.more_table(result),) if result.rows else (),
        answer=(Table(header=header, rows=((*row, "extrapolated" if rough else "simulated"),)),),
        lines=(("Data", f"{result.n_items:,} {result.unit} so far"),),
        ceiling_of=f"probability of {prospects.goal_text(design)}",
        picture=verdict_picture(result),
    )
    return _document(result, study)


# -- when to stop ------------------------------------------------------------------------------------------


@describes(StoppingResult)
def describe_stopping(result: StoppingResult) -> Document:
    """Describe how a rule for stopping behaves."""
    design, n, row, mean = result.design, result.simulations, result.row, prospects.mean_text(result)
    rule = ", ".join(map(name, result.stop.split(", ")))  # part by part: an escape may cut what is long
    low, middle, high = (f"{size:,}" for size in result.n_quantiles)
    held = [share_text(share, n) for share in (result.covered, result.fixed_covered)]
    interval = "HDI" if result.plain is None else "bounded interval"
    own = "" if result.plain is None else "the HDI "
    coverage = f"the {interval} holds the truth in {held[0]} of studies, {own}in {held[1]} where nobody looks before"
    coverage += " the end"
    largest = f"{share_text(result.at_most, n)} of studies reach {count_of(result.max_n, 'item')}"
    concluded = f"{share_text(row.conclusive, n)} of studies end with a conclusive verdict"
    plain = result.plain
    none = prospects.lacks_some([row, result.fixed, *([] if plain is None else [plain])])
    beside: list[tuple[str, ...]] = []
    if plain is not None and result.plain_covered is not None:
        at, covered = f"{result.plain_mean_n:,.0f}", share_text(result.plain_covered, n)
        beside = [("stopped by the plain rule", at, *_cells(result.design, plain, none=none), covered)]
    rows = (
        ("stopped by the rule", mean, *_cells(result.design, row, none=none), held[0]),
        *beside,
        ("without a look before", f"{result.max_n:,}", *_cells(result.design, result.fixed, none=none), held[1]),
    )
    holds = f"{'HDI' if plain is None else 'interval'} holds the truth"
    header = ("study", "items", *_columns(design, none=none), holds)
    study = _Study(
        title=f"When to stop labelling for {_against(design)}?",
        what=f"A rule for stopping: {rule}",
        headline=f"To {rule}, takes {mean} items on average; {concluded}, {share_text(row.wrong, n)} with a wrong one",
        rows=(Table(header=header, rows=rows, ends_in_text=False),),
        lines=(
            ("Looks", f"from {result.min_n:,} items on, every {result.batch:,}, to {result.max_n:,} at most"),
            ("Items", f"{mean} on average · 10% stop by {low}, half by {middle}, 90% by {high} · {largest}"),
            ("Coverage", coverage),
            ("Price", _price(result)),
        ),
    )
    return _document(result, study)


def _price(result: StoppingResult) -> str:
    """Write what it costs to look often: errors by the plain rule, items by the bounded one; empty without a bound."""
    if result.plain is None:
        return ""
    n = result.simulations
    wrong = [share_text(row.wrong, n) for row in (result.plain, result.fixed, result.row)]
    told = f"the plain rule is wrong in {wrong[0]} of studies, in {wrong[1]} at one look; the bounded one in {wrong[2]}"
    if result.same_power_n is None:
        return told
    return f"{told} · {count_of(result.same_power_n, 'item')} have as much power at one look"
