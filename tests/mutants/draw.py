"""The places where the code can be mutated, and a draw among them.

The operators are cosmic-ray's, and two of ours. Annotations, decorators, what `raise` and `warn`
say, formatted strings, `strict=` and `if TYPE_CHECKING` are left alone: tests need not notice a
change there.
"""

import ast
import random
from dataclasses import dataclass

import parso
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.operators.operator import Operator
from cosmic_ray.plugins import get_operator


class Exchange(Operator):
    """Exchange a name that follows a dot or is called, or a string, for its counterpart."""

    def __init__(self, counterparts):
        self.counterparts = counterparts

    def mutation_positions(self, node):
        if isinstance(node, parso.tree.Leaf) and node.value in self.counterparts:
            after = node.get_next_leaf()
            called = after is not None and after.value == "("
            builtin = node.value in ("min", "max", "any", "all")
            method = node.get_previous_leaf() is not None and node.get_previous_leaf().value == "."
            if node.type == "string" or (called and (builtin or method)):
                yield node.start_pos, node.end_pos

    def mutate(self, node, index):
        node.value = self.counterparts[node.value]
        return node

    @classmethod
    def examples(cls):
        return ()


class Unwrap(Operator):
    """Replace a call by its first argument."""

    def __init__(self, calls):
        self.calls = calls

    def mutation_positions(self, node):
        if node.type in ("atom_expr", "power") and self._argument(node) is not None:
            yield node.start_pos, node.end_pos

    def _argument(self, node):
        *before, trailer = node.children
        if trailer.type != "trailer" or trailer.children[0].value != "(" or not before:
            return None
        name = before[-1].get_last_leaf()
        if name.value not in self.calls or len(trailer.children) != 3:
            return None
        if before[-1].type == "trailer" and (
            len(before) != 2 or before[0].get_code().strip() != "np"
        ):
            return None
        first = trailer.children[1]
        if first.type == "arglist":
            first = first.children[0]
        return None if first.type == "argument" else first

    def mutate(self, node, index):
        prefix = node.get_first_leaf().prefix
        code = self._argument(node).get_code().strip()
        return parso.tree.BaseNode([parso.python.tree.Name(f"({code})", node.start_pos, prefix)])

    @classmethod
    def examples(cls):
        return ()


@dataclass(frozen=True)
class Place:
    """A mutation: an operator's occurrence in a module, where it is."""

    path: str
    operator: str
    occurrence: int
    start: tuple
    end: tuple


def operators_of(settings):
    """Name and operator of all that the configuration names."""
    operators = {name: get_operator(f"core/{name}")() for name in settings["operators"]}
    operators["Exchange"] = Exchange(settings["exchange"])
    operators["Unwrap"] = Unwrap(settings["unwrap"]["calls"])
    return operators


def silent_ranges(source):
    """The ranges ((line, column), (line, column)) that are not mutated."""
    lines = source.splitlines()

    def span(node):
        end = lines[node.end_lineno - 1].encode()[: node.end_col_offset].decode()
        start = lines[node.lineno - 1].encode()[: node.col_offset].decode()
        return (node.lineno, len(start)), (node.end_lineno, len(end))

    tree = ast.parse(source)
    silent = []
    for node in ast.walk(tree):
        if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation is not None:
            silent.append(span(node.annotation))
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            silent.extend(map(span, node.decorator_list))
            if isinstance(node, ast.ClassDef):
                silent.extend(map(span, node.bases))
            elif node.returns is not None:
                silent.append(span(node.returns))
        elif isinstance(node, ast.Raise | ast.JoinedStr | ast.Assert):
            silent.append(span(node))
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("warnings.warn", "warn"):
            silent.append(span(node))
        elif (
            isinstance(node, ast.keyword) and node.arg == "strict"
        ):  # of zip: a check, not a result
            silent.append(span(node))
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("cast", "TypeVar"):
            silent.append(span(node.args[0]))
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            silent.append(span(node))
    for node in tree.body:  # names of types: X = A | B, X = Callable[[int], float]
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.BinOp | ast.Subscript):
            silent.append(span(node.value))
    return silent


def places_of(path, source, operators):
    """Return every place of a module that can be mutated."""
    silent = silent_ranges(source)
    nodes = list(ast_nodes(get_ast(source)))
    places = []
    for name, operator in operators.items():
        occurrence = 0
        for node in nodes:
            for start, end in operator.mutation_positions(node):
                if not any(a <= tuple(start) and tuple(end) <= b for a, b in silent):
                    places.append(Place(path, name, occurrence, tuple(start), tuple(end)))
                occurrence += 1
    return places


def mutated(source, place, operators):
    """Return the source with the mutation."""
    return mutate_code(source, operators[place.operator], place.occurrence)


def drawn(root, settings, count, seed):
    """Draw `count` places of the modules, uniformly over positions, then one mutation of each."""
    operators = operators_of(settings)
    paths = {path for pattern in settings["modules"] for path in root.glob(pattern)}
    paths -= {root / path for path in settings["exclude"]}
    at = {}
    for path in sorted(paths):
        name = path.relative_to(root).as_posix()
        for place in places_of(name, path.read_text(), operators):
            at.setdefault((name, place.start), []).append(place)
    rng = random.Random(seed)
    positions = sorted(at)
    rng.shuffle(positions)
    places = []
    for position in positions:
        place = rng.choice(at[position])
        if len(places) == count:
            break
        if is_code(mutated((root / place.path).read_text(), place, operators)):
            places.append(place)
    return places, operators, len(at)


def is_code(source):
    """Whether a mutant can be compiled: `**options` cannot become `*options` in a dict."""
    try:
        compile(source, "mutant", "exec")
    except SyntaxError:
        return False
    return True
