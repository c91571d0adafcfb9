"""The lattice on the clipboard: as text, as the JSON of `segscope lattice`, as SVG."""

from __future__ import annotations

import json

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QGuiApplication

from app.session import Analysis, Session
from engine.progress import Report

KINDS = ("text", "json", "svg")


def lattice_text(analysis: Analysis) -> str:
    """Return the best paths, one a line: probability, score, pieces."""
    paths = analysis.nbest or (analysis.best,)
    if not analysis.lattice.has_law:
        return " ".join(paths[0].pieces)
    return "\n".join(
        f"{path.probability:.6f}\t{path.score:.4f}\t{' '.join(path.pieces)}" for path in paths
    )


def lattice_document(analysis: Analysis, kind: str, scheme: str) -> str:
    """Return the lattice as `text`, `json` or `svg`."""
    settings = analysis.settings
    if kind == "json":
        from engine.commands.lattices import describe

        document = describe(analysis.lattice, analysis.law, settings.unit, settings.nbest)
        return json.dumps(document, ensure_ascii=False, indent=1)
    if kind == "svg":
        from engine.svg import lattice_svg

        return lattice_svg(analysis.lattice, settings.theta, settings.nbest, scheme, settings.unit)
    return lattice_text(analysis)


def copy_lattice(session: Session, kind: str, scheme: str, title: str) -> None:
    """Put the current lattice on the clipboard; made in the background."""
    analysis = session.analysis
    if analysis is None:
        return

    def work(report: Report) -> str:
        return lattice_document(analysis, kind, scheme)

    def done(document: str) -> None:
        data = QMimeData()
        data.setText(document)
        if kind == "svg":
            data.setData("image/svg+xml", document.encode())
        QGuiApplication.clipboard().setMimeData(data)

    session.jobs.start("copy", title, work, done)
