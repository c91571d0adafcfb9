"""The table of edges: sorted by piece, it keeps its order until the lattice is another."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from app.models.edges import EdgeTableModel
from engine.lattice import Lattice

DOWN = Qt.SortOrder.DescendingOrder


@pytest.fixture
def table(theme):
    return EdgeTableModel(theme)


def show(table, lattice, theta=1.0):
    table.set_lattice(lattice, lattice.law(theta), lattice.viterbi(theta), (), "byte")


def by_bytes(lattice, descending=False):
    return sorted(range(lattice.n_edges), key=lattice.bytes, reverse=descending)


def shown(table):
    return [table.edge(row) for row in range(table.rowCount())]


def test_pieces_sort_by_their_bytes(table, models):
    lattice = models["toy-watching"].lattice("watchingwatch")
    show(table, lattice)
    column = table.columns.index("piece")
    table.sort(column, Qt.SortOrder.AscendingOrder)
    assert shown(table) == by_bytes(lattice)
    assert shown(table) != list(range(lattice.n_edges))
    table.sort(column, DOWN)
    assert shown(table) == by_bytes(lattice, descending=True)
    assert [table.row_of(edge) for edge in shown(table)] == list(range(lattice.n_edges))


def test_the_order_is_kept_for_another_theta_and_not_for_another_text(table, models, monkeypatch):
    model = models["toy-watching"]
    lattice, other = model.lattice("watching"), model.lattice("watch")
    show(table, lattice)
    table.sort(table.columns.index("piece"), DOWN)
    wanted, wanted_of_other = by_bytes(lattice, True), by_bytes(other, True)
    with monkeypatch.context() as patch:
        patch.setattr(Lattice, "bytes", lambda *_: pytest.fail("the pieces are read again"))
        show(table, lattice, 0.25)
    assert shown(table) == wanted
    show(table, other)
    assert shown(table) == wanted_of_other
    assert len(wanted) != len(wanted_of_other)
