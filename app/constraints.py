"""What is pinned and forbidden in the text, and what that leaves of the newest analysis."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.analysis import COUNTED
from engine.errors import SegscopeError

if TYPE_CHECKING:
    from app.analysis import Analysis
    from app.session import Session
    from engine.constrain import Constrained, Constraint, Cost
    from engine.lattice import Path

REMAINING = 6
"""Segmentations that are listed where a model has no law and its own one is excluded."""

Asked = tuple["Constraint", ...]


@dataclass(frozen=True, eq=False)
class Solution:
    """An analysis under constraints.

    free: the analysis without them. analysis: with them, over the same edges; those that are
    excluded have probability 0. cost: None where the model defines no law. remaining: there,
    segmentations of the fewest tokens where the model's own is excluded.
    """

    free: Analysis
    analysis: Analysis
    constrained: Constrained
    cost: Cost | None
    remaining: tuple[Path, ...]


@dataclass(frozen=True)
class Dropped:
    """The constraints that a text had, by the key of the model, and that text."""

    text: str
    asked: dict[int, Asked]

    @property
    def count(self) -> int:
        return sum(map(len, self.asked.values()))


class Constraints(QObject):
    """The constraints of a session: they belong to its text and to one model each.

    They stay when θ changes or another model is active; a new text drops them, which `undo` takes
    back. refused: why the last change wasn't made. dropped: what a new text has dropped.
    """

    changed = Signal()
    """What is asked for, refused or dropped has changed."""
    solved = Signal()
    """`solution` has changed."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self._asked: dict[int, Asked] = {}
        self._accepted: dict[int, Asked] = {}
        self._text = session.text.string
        self.solution: Solution | None = None
        self.refused: SegscopeError | None = None
        self.dropped: Dropped | None = None
        session.text_changed.connect(self._text_changed)
        session.models_changed.connect(self._models_changed)
        session.active_changed.connect(self._active_changed)
        session.analysis_changed.connect(self._solve)

    @property
    def asked(self) -> Asked:
        """The constraints of the active model."""
        active = self._session.active
        return () if active is None else self._asked.get(active.key, ())

    def of(self, key: int) -> Asked:
        """Return the constraints of an open model."""
        return self._asked.get(key, ())

    @property
    def shown(self) -> Analysis | None:
        """The newest analysis as it is to be shown: under the constraints, if there are any."""
        solution, newest = self.solution, self._session.analysis
        if solution is not None and solution.free is newest:
            return solution.analysis
        return newest

    @property
    def pending(self) -> bool:
        """Whether the newest analysis waits for what the constraints leave of it."""
        newest = self._session.analysis
        if newest is None or not self._current(newest):
            return False
        given = () if self.solution is None else self.solution.constrained.constraints
        stale = self.solution is not None and self.solution.free is not newest
        return bool(self.asked) and (stale or given != self.asked)

    # Changing

    def toggle(self, constraint: Constraint) -> None:
        """Pin or forbid something; what was so already is set free, the opposite is replaced."""
        rest = tuple(c for c in self.asked if c not in (constraint, constraint.opposite))
        self._ask(rest if constraint in self.asked else (*rest, constraint))

    def remove(self, constraint: Constraint) -> None:
        """Set free what was pinned or forbidden."""
        self._ask(tuple(c for c in self.asked if c != constraint))

    def clear(self) -> None:
        """Set everything free."""
        self._ask(())

    def restore(self, key: int, constraints: Asked) -> None:
        """Take the constraints of a model out of a scene."""
        self._asked[key] = constraints
        self._accepted.pop(key, None)
        self.changed.emit()
        self._solve()

    def undo(self) -> None:
        """Bring back the text that had constraints, and them."""
        if self.dropped is not None:
            self._session.set_text(self.dropped.text)

    def dismiss(self) -> None:
        """Take note of what was refused or dropped."""
        self.refused = self.dropped = None
        self.changed.emit()

    def _ask(self, constraints: Asked) -> None:
        active = self._session.active
        if active is None:
            return
        self._asked[active.key] = constraints
        self.refused = self.dropped = None
        self.changed.emit()
        self._solve()

    # Following the session

    def _active_changed(self) -> None:
        self._session.jobs.cancel("constraints")
        self.changed.emit()

    def _text_changed(self) -> None:
        self._session.jobs.cancel("constraints")
        text, before = self._session.text.string, self._text
        was = (any(self._asked.values()), self.refused, self.dropped)
        self._text = text
        if any(self._asked.values()):
            self.dropped = Dropped(before, {k: v for k, v in self._asked.items() if v})
        self._asked, self._accepted, self.refused = {}, {}, None
        if self.dropped is not None and self.dropped.text == text:
            self._asked = dict(self.dropped.asked)
            self.dropped = None
        # Most texts have none, before and after.
        if was != (any(self._asked.values()), self.refused, self.dropped):
            self.changed.emit()

    def _models_changed(self) -> None:
        keys = {opened.key for opened in self._session.models}
        self._asked = {key: asked for key, asked in self._asked.items() if key in keys}
        self._accepted = {key: asked for key, asked in self._accepted.items() if key in keys}

    def _current(self, analysis: Analysis) -> bool:
        session = self._session
        active = session.active
        mine = active is not None and active.key == analysis.model_key
        read = analysis.settings.special == session.settings.special
        return mine and read and analysis.text is session.text

    def _solve(self) -> None:
        """Have the engine say what is left of the newest analysis."""
        analysis, asked = self._session.analysis, self.asked
        self._session.jobs.cancel("constraints")
        if analysis is None or not self._current(analysis):
            return
        if not asked:
            self._accepted[analysis.model_key] = ()
            self._take(None)
            return
        before = self.solution

        def wanted() -> bool:
            newest = analysis is self._session.analysis and self._current(analysis)
            return newest and asked == self.asked

        def done(solution: Solution) -> None:
            if wanted():
                self._accepted[analysis.model_key] = asked
                self._take(solution)

        def failed(error: BaseException) -> None:
            if not isinstance(error, SegscopeError):
                self._session.failed.emit(error, self.tr("The constraints were not solved"))
            elif wanted():
                self._refuse(analysis.model_key, error)

        self._session.jobs.start(
            "constraints",
            self.tr("Solving under the constraints"),
            lambda report: solve(analysis, asked, before),
            done,
            failed,
        )

    def _take(self, solution: Solution | None) -> None:
        had, self.solution = self.solution, solution
        if solution is not None or had is not None:
            self.solved.emit()

    def _refuse(self, key: int, error: SegscopeError) -> None:
        """Go back to the constraints of a model that could be obeyed."""
        self._asked[key] = self._accepted.get(key, ())
        self.refused = error
        self.changed.emit()
        self._solve()
        if not self.asked:
            self.solved.emit()  # the analysis has waited in vain


def solve(free: Analysis, asked: Asked, before: Solution | None) -> Solution:
    """Return what constraints leave of an analysis; `before` may spare some work."""
    from engine.constrain import constrain, cost

    settings, constrained = free.settings, None
    if before is not None and before.free.lattice is free.lattice:
        constrained = before.constrained
    if constrained is None or constrained.constraints != asked:
        constrained = constrain(free.lattice, asked, settings.unit)
    lattice = constrained.masked
    if constrained.lattice.n_edges <= COUNTED:
        _ = constrained.lattice.paths  # which the window's thread will ask for
    if free.law is None:
        shortest = [] if constrained.obeyed else constrained.shortest(REMAINING)
        remaining = tuple(constrained.lift(path) for path in shortest)
        analysis = replace(free, lattice=lattice, best=lattice.path)
        return Solution(free, analysis, constrained, None, remaining)
    nbest = tuple(lattice.nbest(settings.nbest, settings.theta))
    law = lattice.law(settings.theta)
    analysis = replace(free, lattice=lattice, best=nbest[0], nbest=nbest, law=law)
    return Solution(free, analysis, constrained, cost(free.law, law), ())
