"""Counting the corpus with every open model, in the background, each pair only once."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from app.jobs import Job
from app.session import OpenModel, Session
from engine.corpus import Corpus
from engine.metrics import DEFAULT_COLUMNS, Comparison, compare, rebase
from engine.progress import Report

Metric = Literal["chars_per_token", "bytes_per_token", "graphemes_per_token", "premium"]
METRICS: tuple[Metric, ...] = get_args(Metric)

Floats = NDArray[np.float64]


class Counting(QObject):
    """The comparison of each open model over the session's corpus.

    Counts are made when the workspace is first shown and kept while corpus and model stay open.
    """

    changed = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._wanted = False
        self._found: dict[int, Comparison] = {}
        self._running: tuple[int, Job] | None = None
        self._given_up: set[int] = set()
        self._rebasing: str | None = None
        session.corpus_changed.connect(self._corpus_changed)
        session.models_changed.connect(self._models_changed)
        session.settings_changed.connect(self._settings_changed)

    @property
    def metric(self) -> Metric:
        """The metric shown."""
        metric = self._session.settings.metric
        return next((m for m in METRICS if m == metric), METRICS[0])

    @property
    def base(self) -> str:
        """Code of the language that premiums rest on; empty where the corpus has none."""
        corpus, base = self._session.corpus, self._session.settings.base
        if corpus is None:
            return ""
        codes = {language.code for language in corpus}
        if base in codes:
            return base
        return corpus.standard or next(iter(corpus)).code

    @property
    def busy(self) -> bool:
        """Whether a count is still to come."""
        return self._running is not None or self._rebasing is not None

    @property
    def stopped(self) -> bool:
        """Whether a count was cancelled or failed and can be tried again."""
        return any(opened.key in self._given_up for opened in self._missing())

    def comparison(self, key: int) -> Comparison | None:
        """Return what has been counted with an open model."""
        return self._found.get(key)

    def values(self, key: int, metric: str) -> Floats:
        """Return a figure of every language, float64[languages] in the corpus's order."""
        found = self._found.get(key)
        corpus = self._session.corpus
        if found is None or corpus is None:
            return np.full(0 if corpus is None else len(corpus), np.nan)
        if metric == "premium" and found.base != self.base:
            return np.full(len(corpus), np.nan)  # those over the new base are on their way
        figures = [getattr(row, metric) for row in found.rows]
        return np.array([np.nan if f is None else f for f in figures], dtype=np.float64)

    def begin(self) -> None:
        """Count from now on: the workspace is on the screen."""
        self._wanted = True
        self._count_missing()

    def _corpus_changed(self) -> None:
        self._stop_all()
        self._found.clear()
        self._given_up.clear()
        self._count_missing()
        self.changed.emit()

    def _models_changed(self) -> None:
        keys = {opened.key for opened in self._session.models}
        if self._running is not None and self._running[0] not in keys:
            self._stop()
        self._found = {key: found for key, found in self._found.items() if key in keys}
        self._count_missing()
        self.changed.emit()

    def _settings_changed(self) -> None:
        self._count_missing()
        self.changed.emit()

    def _stop(self) -> None:
        if self._running is not None:
            key, self._running = self._running[0], None
            self._session.jobs.cancel(f"compare {key}")

    def _stop_all(self) -> None:
        self._stop()
        self._rebasing = None
        self._session.jobs.cancel("rebase")

    def _count_missing(self) -> None:
        """Start what is missing: a model never counted, graphemes, premiums over another base.

        One model at a time, the active one first: a worker stays free for the text being typed.
        """
        corpus = self._session.corpus
        if corpus is None or not self._wanted:
            return
        for opened in self._missing():
            if self._running is None and opened.key not in self._given_up:
                self._start(opened, corpus, self._graphemes)
        self._follow_base()

    @property
    def _graphemes(self) -> bool:
        return self.metric == "graphemes_per_token"

    def _missing(self) -> list[OpenModel]:
        """Return the models that lack what the metric needs, the active one first."""
        active = self._session.active
        missing = []
        for opened in sorted(self._session.models, key=lambda opened: opened is not active):
            found = self._found.get(opened.key)
            if found is None or (self._graphemes and "graphemes" not in found.columns):
                missing.append(opened)
        return missing

    def _follow_base(self) -> None:
        """Compute the premiums again where they rest on another base than the one chosen."""
        base = self.base
        stale = {key: found for key, found in self._found.items() if found.base != base}
        if not stale or base == self._rebasing:
            return
        self._rebasing = base

        def work(report: Report) -> dict[int, Comparison]:
            return {key: rebase(found, base) for key, found in stale.items()}

        def done(found: dict[int, Comparison]) -> None:
            now = {k: new for k, new in found.items() if self._found.get(k) is stale[k]}
            self._found.update(now)
            self._rebasing = None
            self._follow_base()  # a model counted meanwhile

        def ended() -> None:
            if self._rebasing == base:  # cancelled
                self._rebasing = None
            self.changed.emit()

        title = self.tr("Comparing with another language")
        self._session.jobs.start("rebase", title, work, done).ended.connect(ended)

    def _start(self, opened: OpenModel, corpus: Corpus, graphemes: bool) -> None:
        key, base = opened.key, self.base
        columns = (*DEFAULT_COLUMNS, "graphemes") if graphemes else DEFAULT_COLUMNS
        delivered: list[Comparison] = []

        def work(report: Report) -> Comparison:
            return compare(opened.model, corpus, base, columns, report)

        def done(found: Comparison) -> None:
            self._found[key] = found
            self._given_up.discard(key)
            delivered.append(found)

        def failed(error: BaseException) -> None:
            self._session.failed.emit(error, self.tr("The corpus was not counted"))

        title = self.tr("Counting {corpus} with {name}").format(
            corpus=corpus.title or corpus.name, name=opened.name
        )
        job = self._session.jobs.start(f"compare {key}", title, work, done, failed)
        self._running = (key, job)
        job.ended.connect(lambda: self._ended(key, job, bool(delivered)))

    def _ended(self, key: int, job: Job, delivered: bool) -> None:
        if self._running != (key, job):
            return
        self._running = None
        if not delivered:  # it failed, or a person cancelled it
            self._given_up.add(key)
        self._count_missing()
        self.changed.emit()

    def try_again(self) -> None:
        """Count what a person cancelled, or what failed."""
        self._given_up.clear()
        self._count_missing()
        self.changed.emit()
