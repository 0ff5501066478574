"""Li et al. (2011): the rules that decide their claims, `published/search_forest/claims.toml`.

The paper's images cannot be had. A stand-in cannot decide a claim that names another data set: such
a claim is not testable here. It may decide a claim that speaks in general; `because` names the
points.

§ 4 can be read in two ways, as whole sets and as ranked lists (`readings`). Whole sets, the main
reading, decide; where ranked lists decide the opposite, the claim is open.

Recall is a mean over the queries and over the draws of a method. Its error has both parts: the
standard error over the queries, and that over the draws.
"""

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from paper_figures.claims import Rule
from paper_figures.claims.evidence import (
    FAILS,
    HOLDS,
    NOT_TESTABLE,
    OPEN,
    Decision,
    Missing,
    Number,
    Records,
    above,
    as_number,
    below,
    binomial_error,
    both,
    entries_of,
    every,
    less,
    more,
    number,
    ratio,
    row,
    rows,
    runs_of,
)
from paper_figures.search_forest.claims_of_queries import (
    QUERIES,
    hash_lookup_fails,
    other_similarities,
)
from paper_figures.search_forest.results_curves import (
    ALL_POINTS,
    EQ_18,
    FOREST,
    KMEANS,
    LSH,
    PLANES,
    TWO_REGIONS,
)
from paper_figures.search_forest.results_times import FINER, LARGER
from paper_figures.store import Row

WHOLE = "whole sets"
RANKED = "ranked lists"
CODES = {"figure1": (32, 96, 200), "figure2": (100, 500, 800)}
PRINTED_COUNT = {"figure1": 500, "figure2": 5000}
FULL = 0.95  # a method that returns a smaller part of what was asked for has run out of candidates
BITS = (32, 64, 128, 256, 512)
ITEMS = (1_000_000, 5_000_000, 20_000_000, 50_000_000)
EXTRAPOLATED = 500_000_000
IMAGES = {"figure1": "60,000 digits", "figure2": "50,000 tiny images"}
PRINTED_PLANES: dict[str, Any] = {
    "planes": EQ_18,
    "offset": "eigenvector",
    "moves": 0,
    "augment": 0.1,
}
TREES = (KMEANS, TWO_REGIONS)

# --------------------------------------------------------------------------- Figures 1 and 2


def _curves(records: Records, figure: str, reading: str) -> dict[str, Mapping[str, Any]]:
    """Return what is drawn of each method under a reading; rivals with one list stand in both."""
    if figure not in records:
        raise Missing(f"there is no record of {figure}")
    drawn: Sequence[Mapping[str, Any]] = records[figure].get("drawing") or ()
    if not all("reading" in line for line in drawn):
        raise Missing(f"{figure} is of an earlier protocol, which has no whole sets")
    lists = {line["method"]: line for line in drawn if line["reading"] == RANKED}
    alone = {name: line for name, line in lists.items() if not _is_read_twice(name)}
    return alone | {line["method"]: line for line in drawn if line["reading"] == reading}


def _is_read_twice(method: str) -> bool:
    return not method.startswith("spectral") and "best-bin-first" not in method


def _recall(records: Records, figure: str, reading: str, method: str, returned: int) -> Number:
    """Return a recall with its error over the draws and over the queries."""
    keys: dict[str, Any] = {"method": method, "returned": returned}
    keys |= {"reading": reading} if _is_read_twice(method) else {}
    how = f", {reading}" if "reading" in keys else ""
    name = f"{method}{how}, {returned:,} returned (%)"
    recall = as_number(records, figure, row(records, figure, **keys), name)
    of_queries = query_errors(records, figure, keys).get(returned)
    if of_queries is None:
        return number(records, figure, name, points=QUERIES, **keys)
    return replace(recall, std_error=math.hypot(recall.std_error or 0.0, of_queries))


def _of_other_figure(records: Records, figure: str, item: Row, name: str) -> Number:
    """Return a recall of a row, with its error over the draws and the binomial one of the queries.

    The binomial one is the most that a mean of shares may have.
    """
    recall = as_number(records, figure, item, name)
    if recall.std_error is None:
        return recall
    of_queries = binomial_error(recall.ours, QUERIES)
    return replace(recall, std_error=math.hypot(recall.std_error, of_queries))


def query_errors(records: Records, figure: str, keys: Mapping[str, Any]) -> dict[int, float]:
    for line in records[figure].get("drawing") or ():
        named = keys.keys() & {"method", "reading"}
        if "error" in line and all(line.get(key) == keys[key] for key in named):
            return dict(zip(line["counts"], line["error"], strict=True))
    return {}


def _ahead(records: Records, figure: str, reading: str, rival: str, forest: str) -> Decision:
    """Decide whether the forest is ahead of a rival at every number of returned items.

    A number of items that one of both does not return is left out.
    """
    curves = _curves(records, figure, reading)
    missing = [name for name in (forest, rival) if name not in curves]
    if missing:
        raise Missing(f"{figure} has no {missing[0]}")
    cells = {}
    for place, count in enumerate(curves[forest]["counts"]):
        cell = more(
            _recall(records, figure, reading, forest, count),
            _recall(records, figure, reading, rival, count),
        )
        full = all(curves[name]["returned"][place] >= FULL * count for name in (forest, rival))
        name = f"{figure}, {reading}, {rival}, {count:,} returned"
        cells[name] = cell if full else replace(cell, state=NOT_TESTABLE)
    counted = [cell for cell in cells.values() if cell.state != NOT_TESTABLE]
    worst = min(counted or list(cells.values()), key=_lead)
    states = [cell.state for cell in counted]
    because = f"ahead of {rival} at {states.count(HOLDS)} of {len(states)} numbers"
    because += f", behind at {states.count(FAILS)}" if FAILS in states else ""
    return replace(every(cells), numbers=worst.numbers, because=because)


def _lead(cell: Decision) -> float:
    return cell.numbers[0].ours - cell.numbers[1].ours


def _everywhere(
    records: Records, figure: str, rivals: Sequence[str], reading: str
) -> tuple[str, Decision]:
    """Return the state against several rivals, and the decision that tells it.

    A forest that is learnt from all points, where there is one, must not decide otherwise.
    """
    forests = [FOREST]
    if ALL_POINTS in _curves(records, figure, reading):
        forests.append(ALL_POINTS)
    decisions = {
        (rival, forest): _ahead(records, figure, reading, rival, forest)
        for rival in rivals
        for forest in forests
    }
    told = [decisions[rival, FOREST].because for rival in rivals]
    first, *others = decisions.values()
    decision = first
    for other in others:
        decision = both(decision, other)
    joined = _agreed if set(rivals) == set(TREES) else _worst
    states = {
        forest: joined(decisions[rival, forest].state for rival in rivals) for forest in forests
    }
    state = states[FOREST] if len(set(states.values())) == 1 else OPEN
    because = f"{IMAGES[figure]}, {reading}: the forest is {'; '.join(told)}"
    if state != states[FOREST]:
        because += " (a forest learnt from all points decides otherwise)"
    return state, replace(decision, state=state, because=because)


def _worst(states: Iterable[str]) -> str:
    listed = list(states)
    return next((state for state in (FAILS, OPEN, NOT_TESTABLE) if state in listed), HOLDS)


def _agreed(states: Iterable[str]) -> str:
    """Return the state of rivals of which the paper may mean any: open if they differ."""
    listed = set(states) - {NOT_TESTABLE} or {NOT_TESTABLE}
    return listed.pop() if len(listed) == 1 else OPEN


def _over(records: Records, rivals_of: Mapping[str, Sequence[str]]) -> Decision:
    """Decide "the forest is ahead" in general: on the points of both figures, in both readings."""
    parts = {
        (figure, reading): _everywhere(records, figure, rivals, reading)
        for reading in (WHOLE, RANKED)
        for figure, rivals in rivals_of.items()
        if figure == "figure1" or _is_new(records, figure)
    }
    main = _worst(state for (_, reading), (state, _) in parts.items() if reading == WHOLE)
    other = _worst(state for (_, reading), (state, _) in parts.items() if reading == RANKED)
    state = OPEN if {main, other} == {HOLDS, FAILS} else main
    decisions = [decision for _, decision in parts.values()]
    cells = tuple(cell for decision in decisions for cell in decision.cells)
    numbers = tuple(dict.fromkeys(item for decision in decisions for item in decision.numbers))
    because = ". ".join(decision.because for decision in decisions)
    early = [name for name in rivals_of if name != "figure1" and not _is_new(records, name)]
    if early:
        because += f". Not counted, of an earlier form: {', '.join(early)}"
    return Decision(state, numbers, because, cells)


def _is_new(records: Records, figure: str) -> bool:
    """Return whether a record has both readings, which earlier ones have not."""
    drawn = records.get(figure, {}).get("drawing") or ()
    return bool(drawn) and all("reading" in line for line in drawn)


def forest_over_kmeans(records: Records) -> Decision:
    """The forest is ahead of the leaves of k-means trees, of the best and of those of two regions.

    The paper does not say how many regions there are: if both decide differently, it is open.
    Section 4.3 has the leaves as keys, so best-bin-first search does not decide.
    """
    return _over(records, dict.fromkeys(IMAGES, TREES))


def forest_over_lsh(records: Records) -> Decision:
    """The forest is ahead of LSH at every number of returned items."""
    return _over(records, dict.fromkeys(IMAGES, (LSH,)))


def forest_over_spectral(records: Records) -> Decision:
    """The forest is ahead of codes of every printed length."""
    return _over(
        records,
        {figure: [f"spectral hashing {n} bits" for n in bits] for figure, bits in CODES.items()},
    )


def same_bits(records: Records) -> Decision:
    """Figure 1: the forest is ahead of 200 bits, nearly its own number, with 500 returned."""
    _curves(records, "figure1", WHOLE)
    count = PRINTED_COUNT["figure1"]
    codes = _recall(records, "figure1", RANKED, "spectral hashing 200 bits", count)
    decisions = {
        reading: more(_recall(records, "figure1", reading, FOREST, count), codes)
        for reading in (WHOLE, RANKED)
    }
    main, other = (decisions[reading] for reading in (WHOLE, RANKED))
    state = OPEN if {main.state, other.state} == {HOLDS, FAILS} else main.state
    told = "; ".join(
        f"{reading}: {'ahead of' if _lead(cell) > 0 else 'behind'} 200 bits, {cell.because}"
        for reading, cell in decisions.items()
    )
    decision = replace(both(main, other), state=state)
    return replace(decision, because=f"{IMAGES['figure1']}, {count} returned. {told}")


def long_codes_needed(records: Records) -> Decision:
    """Figure 1: with 500 returned each longer code finds more."""
    found = [
        _recall(
            records, "figure1", RANKED, f"spectral hashing {bits} bits", PRINTED_COUNT["figure1"]
        )
        for bits in CODES["figure1"]
    ]
    cells = {longer.name: more(longer, shorter) for shorter, longer in pairwise(found)}
    decision = every(cells, "steps")
    return replace(decision, because=f"{IMAGES['figure1']}: {decision.because}")


def more_trees_for_more(records: Records) -> Decision:
    """Figure 1: at one lambda more returned items take more trees.

    Whole sets grow by trees alone: what holds by definition is no test.
    """
    _curves(records, "figure1", WHOLE)
    found = [
        (item["trees"], _recall(records, "figure1", WHOLE, FOREST, item["returned"]))
        for item in rows(records, "figure1", reading=WHOLE, method=FOREST)
    ]
    trees = [of_count for of_count, _ in found]
    most = max(trees)
    # once all trees are in use, no more items are returned
    steps = [(a, b) for a, b in pairwise(found) if not a[0] == b[0] == most]
    cells = {
        later[1].name: above(Number(later[1].name, later[0] - earlier[0], 0.0))
        for earlier, later in steps
    }
    decision = every(cells, "steps")
    because = f"{IMAGES['figure1']}, one lambda: {trees[0]:g} to {most:g} trees"
    because += "; whole sets grow by trees alone, so this is so by their definition and no test"
    ends = found[0][1], found[-1][1]
    because = f"{because}; {decision.because}"
    return replace(decision, state=NOT_TESTABLE, numbers=ends, because=because)


def gain_from_objective(records: Records) -> Decision:
    """Splits: with half of the curve returned, learnt planes find more than planes of other kinds.

    All trees have the same weights, the same stopping rule and at most the same depth.
    """
    reading = WHOLE
    learnt = rows(records, "splits", reading=reading, **PRINTED_PLANES)
    count = learnt[len(learnt) // 2]["returned"]
    keys: dict[str, Any] = {"reading": reading, "returned": count}
    ours = _of_planes(records, **PRINTED_PLANES, **keys)
    cells = {
        planes: more(ours, _of_planes(records, planes=planes, **keys)) for planes in PLANES.values()
    }
    decision = every(cells, "kinds of planes")
    return replace(decision, because=f"{IMAGES['figure1']}, {count} returned: {decision.because}")


def _of_planes(records: Records, **keys: Any) -> Number:
    name = f"{keys['planes']}, {keys['returned']:,} returned (%)"
    return _of_other_figure(records, "splits", row(records, "splits", **keys), name)


def kmeans_and_dimension(records: Records) -> Decision:
    """Dimensions: k-means trees find less of the nearest as the same points keep more components.

    It is decided with 100 returned, in whole sets.
    """
    listed = rows(records, "dimensions", reading=WHOLE, method=KMEANS, returned=100)
    recalls: dict[str, list[Number]] = {}
    for item in sorted(listed, key=lambda item: item["components"]):
        name = f"{KMEANS}, {item['points']} on {item['components']} components, 100 returned (%)"
        found = _of_other_figure(records, "dimensions", item, name)
        recalls.setdefault(item["points"], []).append(found)
    cells = {
        longer.name: less(longer, shorter)
        for of_points in recalls.values()
        for shorter, longer in pairwise(of_points)
    }
    told = "; ".join(
        f"{points} {', '.join(f'{item.ours:.1f}' for item in of_points)} %"
        for points, of_points in recalls.items()
    )
    numbers = tuple(item for of_points in recalls.values() for item in of_points)
    return replace(every(cells, "steps"), numbers=numbers, because=told)


# --------------------------------------------------------------------------- Table 1


def _seconds(records: Records, bits: int, items: int, search: str) -> Number:
    name = f"{search}, {bits} bits, {items:,} items (s)"
    return number(records, "table1", name, bits=bits, items=items, search=search)


def _mean_ratio(name: str, ratios: Sequence[Number]) -> Number:
    """Return the geometric mean of ratios of times, each measured once, with their spread."""
    logs = [math.log(item.ours) for item in ratios]
    mean = math.exp(statistics.mean(logs))
    error = mean * statistics.stdev(logs) / math.sqrt(len(logs))
    printed = [item.published for item in ratios if item.published]
    published = statistics.geometric_mean(printed) if len(printed) == len(ratios) else None
    return Number(name, mean, error, published, entries_of(ratios), runs_of(ratios))


def _between(ratios: Sequence[Number]) -> str:
    return f"{min(item.ours for item in ratios):.1f} to {max(item.ours for item in ratios):.1f}"


def scan_grows_with_bits(records: Records) -> Decision:
    """Table 1: 512 bits take longer than 32, over the sizes of the database."""
    ratios = [
        ratio(
            _seconds(records, BITS[-1], n, "linear scan"),
            _seconds(records, BITS[0], n, "linear scan"),
        )
        for n in ITEMS
    ]
    mean = _mean_ratio("time of the scan, 512 bits over 32", ratios)
    because = f"{_between(ratios)} times with {len(ITEMS)} sizes of the database, each timed once"
    return replace(above(mean, 1.0), because=because)


def index_over_scan(records: Records) -> Decision:
    """Table 1: the scan takes more than ten times as long as the index."""
    ratios = [
        ratio(
            _seconds(records, bits, EXTRAPOLATED, "linear scan, extrapolated"),
            _seconds(records, bits, EXTRAPOLATED, "forest, extrapolated"),
        )
        for bits in BITS
    ]
    mean = _mean_ratio("time of the scan over the index's", ratios)
    because = f"{_between(ratios)} times with {len(BITS)} lengths of codes, each timed once; "
    because += "both grow in proportion from 50 million items on. Ten times is taken as far"
    return replace(above(mean, 10.0), because=because)


def constant_time(records: Records) -> Decision:
    """Table 1: 50 times as many items make the index at most 1.5 times slower."""
    ratios = [
        ratio(
            _seconds(records, bits, ITEMS[-1], "forest"),
            _seconds(records, bits, ITEMS[0], "forest"),
        )
        for bits in BITS
    ]
    mean = _mean_ratio("time of the index, 50 million items over one million", ratios)
    because = f"{_between(ratios)} times with {len(BITS)} lengths of codes, each timed once: "
    because += "the leaves of trees of 16 levels grow with the database"
    return replace(below(mean, 1.5), because=because)


def all_indices_constant(records: Records) -> Decision:
    """Growth: 16 times as many items make none of the three indices over 1.5 times slower.

    Their leaves stay as small. What leaves that grow take stands beside.
    """
    listed = rows(records, "growth", leaves=FINER)
    sizes = sorted({item["items"] for item in listed})
    ratios = {
        (index, leaves): ratio(
            _micro(records, index, leaves, sizes[-1]), _micro(records, index, leaves, sizes[0])
        )
        for index in dict.fromkeys(item["index"] for item in listed)
        for leaves in (FINER, LARGER)
    }
    cells = {
        index: below(times, 1.5) for (index, leaves), times in ratios.items() if leaves == FINER
    }
    told = "; ".join(
        f"{index} {ratios[index, FINER].ours:.2f} times, {ratios[index, LARGER].ours:.1f} with "
        "leaves that grow"
        for index in cells
    )
    decision = every(cells, "indices")
    because = f"{sizes[-1] // sizes[0]} times as many items take {told}; {decision.because}"
    return replace(decision, because=because)


def _micro(records: Records, index: str, leaves: str, items: int) -> Number:
    name = f"{index}, leaves {leaves}, {items:,} items (microseconds)"
    return number(records, "growth", name, index=index, leaves=leaves, items=items)


RULES: Mapping[str, Rule] = {
    "forest-over-kmeans": forest_over_kmeans,
    "forest-over-lsh": forest_over_lsh,
    "forest-over-spectral": forest_over_spectral,
    "same-bits": same_bits,
    "long-codes-needed": long_codes_needed,
    "more-trees-for-more": more_trees_for_more,
    "kmeans-and-dimension": kmeans_and_dimension,
    "gain-from-objective": gain_from_objective,
    "scan-grows-with-bits": scan_grows_with_bits,
    "index-over-scan": index_over_scan,
    "constant-time": constant_time,
    "all-indices-constant": all_indices_constant,
    "hash-lookup-fails": hash_lookup_fails,
    "other-similarities": other_similarities,
}
