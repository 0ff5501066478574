"""Ask somebody's implementation the vectors and random examples, and judge its answers.

Random examples are drawn as the vectors are, by Hypothesis, which makes small what it finds; the
expected results are the reference's. Hypothesis is optional: ``pip install 'refimpl[check]'``.
"""

import dataclasses
import importlib.util
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from refimpl.check.comparing import Difference, Fault, difference_of, renamed, reported
from refimpl.check.drawing import Source
from refimpl.check.files import cases_of
from refimpl.check.programs import Answer, Asked, GivenUpError, ProgramError
from refimpl.check.subject import Case, Kind, posed
from refimpl.check.subjects import KERNELS, TRAININGS, subject_of

if TYPE_CHECKING:
    from hypothesis.strategies import DataObject

MOST_ENDS = 2
"""Cases in a row without an answer because the process ended or was too slow; the others of this
kernel or training are not asked then."""


class SkippedError(Exception):
    """The program does not have what it is asked for, or not for such arguments."""


class FoundError(Exception):
    """A case on which the program differs."""


class EndedError(BaseException):
    """The process has ended, which is found once: Hypothesis may not look for a smaller case."""


class Asking:
    """What is asked of a program by the vectors of a folder, and what differs."""

    def __init__(self, program: Asked, where: Path, accepted: Collection[str] = ()) -> None:
        self.program = program
        self.where = where
        self.accepted = accepted  # kinds of differences that end no search for others
        self.differences: list[Difference] = []
        self.counts: dict[str, int] = {}  # vectors that were answered or failed, by the name
        self.unasked: list[str] = []  # what was given up after MOST_ENDS
        self.given_up = False  # the program had to be started too often
        self.notes: list[str] = []  # what rounding may explain on random examples
        self.compared: dict[str, set[str]] = {}
        self.ends = 0

    def ask(self, names: Sequence[str]) -> list[Difference]:
        """Ask the vectors of kernels and trainings, and return what differs."""
        for name in names:
            subject = subject_of(name)
            self.counts[name] = self.ends = skipped = 0
            for case in cases_of(subject, self.where):
                try:
                    found = self._difference(case)
                except SkippedError:
                    skipped += 1
                    continue
                except GivenUpError:
                    self.given_up = True
                    return self.differences
                self.counts[name] += 1
                self.differences += [] if found is None else [found]
                if self.ends == MOST_ENDS:
                    self.unasked.append(name)
                    break
            if skipped and self.counts[name]:
                self.notes.append(f"{name}: {skipped} cases were skipped")
        return self.differences

    def agreeing(self) -> list[str]:
        """Return the names whose vectors agree: for the others more cases tell little."""
        differing = {
            one.id.partition("/")[0] for one in self.differences if one.kind not in self.accepted
        }
        return [name for name, count in self.counts.items() if count and name not in differing]

    def missing_parts(self) -> list[str]:
        """Return a note for each training some parts of which no round had."""
        listed = []
        for name, parts in self.compared.items():
            missing = [one.name for one in TRAININGS[name].outputs if one.name not in parts]
            if missing:
                listed.append(f"{name}: not compared, no round has them: {', '.join(missing)}")
        return listed

    # ---------------------------------------------------------------------------------- one case

    def _difference(self, case: Case) -> Difference | None:
        """Return what differs in a case, by name of the kernel that is to blame."""
        found, ended = self._answered(case)
        self.ends = self.ends + 1 if ended else 0
        own = [name for name in case.subject.needs if name in self.program.own]
        if found is None or not own:
            return found
        if case.subject.name in self.program.own:
            mended, _ = self._answered(case, reference=own)
            if mended is not None:
                return found
        first = KERNELS[own[0]].outputs[0]  # the reference's mends it
        words = f"shown by {case.subject.name}: {found.words}"
        return dataclasses.replace(
            found, name=own[0], output=first.name, source=first.source, words=words
        )

    def _answered(self, case: Case, **more: Any) -> tuple[Difference | None, bool]:
        """Return what differs in the answer, and whether the process ended instead."""
        try:
            answer = self.program.ask({**case.question(), **more})
        except ProgramError as error:
            fault = Fault(Kind.NOT_RUN, case.subject.outputs[0], str(error))
            return reported(case, fault), error.ended
        if answer is None:
            raise SkippedError
        if case.subject.kind == "training":
            self._note_parts(case, answer)
        return difference_of(case, *answer), False

    def _note_parts(self, case: Case, answer: Answer) -> None:
        """Note which parts of the rounds were compared: both sides have them."""
        parts = self.compared.setdefault(case.subject.name, set())
        known = [output.name for output in case.subject.outputs]
        for want, state in zip(case.expected, answer.states, strict=False):
            named = renamed(known, state)
            parts |= {name for name, part in named.items() if part is not None} & want.keys()

    # --------------------------------------------------------------------------- random examples

    def explore(self, name: str, examples: int, seed: int) -> Difference | None:
        """Return the smallest difference that Hypothesis finds, or None."""
        # In a training what another order of summation explains is no finding: rounding breaks
        # ties. The notes count it. The vectors have each tie rule on numbers whose sums are exact.
        import hypothesis

        subject = subject_of(name)
        rounded: Counter[str] = Counter()
        tried = skipped = 0
        self.ends = 0

        def tries(source: Source) -> Difference | None:
            nonlocal tried, skipped
            case = posed(subject, source, source.pick(*subject.flags))
            if case is None:
                hypothesis.reject()
            tried += 1
            try:
                found = self._difference(case)
            except SkippedError:
                skipped += 1
                return None
            if found is None or found.kind in self.accepted:
                return None
            cause = None if subject.kind == "kernel" else _rounding(found)
            if cause is not None:
                rounded[cause] += 1
                return None
            return found

        found = self._smallest(tries, examples, seed)
        if found is not None:
            self.differences.append(found)
            return found
        if skipped:
            self.notes.append(f"{name}: {skipped} of {tried} random examples were skipped")
        self.notes += [
            f"{name}: {cause} in {count} of {tried} random examples; rounding may be the reason"
            for cause, count in rounded.items()
        ]
        return None

    def _smallest(
        self, tries: Callable[[Source], Difference | None], examples: int, seed: int
    ) -> Difference | None:
        """Return the smallest difference that `tries` returns for the integers of Hypothesis."""
        import hypothesis
        from hypothesis import strategies as st

        last: list[Difference] = []

        @hypothesis.seed(seed)
        @hypothesis.settings(
            max_examples=examples,
            deadline=None,
            database=None,
            report_multiple_bugs=False,
            suppress_health_check=list(hypothesis.HealthCheck),
            verbosity=hypothesis.Verbosity.quiet,
        )
        @hypothesis.given(st.data())
        def run(data: "DataObject") -> None:
            difference = tries(Drawn(data))
            if difference is not None:
                last[:] = [difference]
                raise EndedError if self.ends else FoundError

        try:
            run()
        except (EndedError, FoundError, hypothesis.errors.Unsatisfiable):
            pass
        except GivenUpError:
            self.given_up = True
        except Exception:
            if not last:  # Hypothesis calls a program flaky whose answers change
                raise
        return last[0] if last else None


class Drawn(Source):
    """Integers that Hypothesis chooses, and makes small."""

    def __init__(self, data: "DataObject") -> None:
        self.data = data

    def integers(self, count: int, low: int, high: int) -> list[int]:
        """Return `count` integers from `low` to `high`."""
        from hypothesis import strategies as st

        numbers = st.integers(low, high)
        drawn: list[int] = self.data.draw(st.lists(numbers, min_size=count, max_size=count))
        return drawn


def available() -> bool:
    """Whether Hypothesis is installed."""
    return importlib.util.find_spec("hypothesis") is not None


def _rounding(difference: Difference) -> str | None:
    """Return the kind of a difference that another order of summation may explain, or None."""
    if difference.kind == Kind.NOT_COMPARED:
        return Kind.EQUAL_WORTH if Kind.EQUAL_WORTH in difference.words else None
    return difference.kind if difference.kind in (Kind.EQUAL_WORTH, Kind.LAST_BITS) else None
