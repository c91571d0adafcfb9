"""On the clipboard: the selected characters; the lattice as text, as JSON, as SVG."""

from __future__ import annotations

import json

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QGuiApplication

from app.analysis import Analysis
from app.constraints import Solution
from app.session import Session
from app.views.explore.placing import shown_paths
from engine.display import plain
from engine.progress import Report


def selected_text(session: Session) -> str:
    """Return the characters of the text that are selected, as they are: no marks for whitespace.

    A stretch that cuts a character has none; then its bytes, two digits each.
    """
    span = session.selection.span
    if span is None or span[1] > session.text.n_bytes:
        return ""
    return plain(session.text.encoded[span[0] : span[1]])


def copy_selected(session: Session) -> None:
    """Put the selected characters on the clipboard."""
    text = selected_text(session)
    if text:
        QGuiApplication.clipboard().setText(text)


def lattice_text(analysis: Analysis, solution: Solution | None = None) -> str:
    """Return the best paths, one a line: probability, score, pieces.

    Without a law the path taken or, where constraints exclude it, others that are left.
    """
    paths = shown_paths(analysis, solution)
    if not analysis.lattice.has_law:
        return "\n".join(" ".join(path.pieces) for path in paths)
    return "\n".join(
        f"{path.probability:.6f}\t{path.score:.4f}\t{' '.join(path.pieces)}" for path in paths
    )


def lattice_document(
    analysis: Analysis, kind: str, scheme: str, solution: Solution | None = None
) -> str:
    """Return the lattice as `text`, `json` or `svg`.

    solution: what the analysis was solved from, where it is under constraints.
    """
    settings = analysis.settings
    constrained = None if solution is None else solution.constrained
    if kind == "json":
        from engine.lattice_document import describe, describe_constrained

        if constrained is None:
            document = describe(analysis.lattice, analysis.law, settings.unit, settings.nbest)
        else:
            document = describe_constrained(
                constrained, settings.theta, settings.unit, settings.nbest
            )
        return json.dumps(document, ensure_ascii=False, indent=1)
    if kind == "svg":
        from engine.svg import lattice_svg

        lattice = analysis.lattice if constrained is None else constrained.lattice
        return lattice_svg(
            lattice, settings.theta, settings.nbest, scheme, settings.unit, constrained
        )
    return lattice_text(analysis, solution)


def copy_lattice(session: Session, kind: str, scheme: str, title: str) -> None:
    """Put the current lattice on the clipboard; made in the background."""
    analysis, solution = session.constraints.shown, session.constraints.solution
    if analysis is None:
        return
    if solution is not None and solution.analysis is not analysis:
        solution = None

    def work(report: Report) -> str:
        return lattice_document(analysis, kind, scheme, solution)

    def done(document: str) -> None:
        data = QMimeData()
        data.setText(document)
        if kind == "svg":
            data.setData("image/svg+xml", document.encode())
        QGuiApplication.clipboard().setMimeData(data)

    session.jobs.start("copy", title, work, done)
