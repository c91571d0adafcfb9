"""The table of a vocabulary: columns against the vocabulary, searches and orders against a plain
reading of the definitions.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import engine
from engine.errors import ParameterError
from engine.model import Model
from engine.piece_table import COLUMNS, PieceTable, piece_table
from engine.pieces import PieceKind


@pytest.fixture(scope="module")
def table(bpe: Model) -> PieceTable:
    return piece_table(bpe)


def found(table: PieceTable, query: str) -> list[str]:
    return [table.texts[row] for row in table.filter(query).tolist()]


def row_of(table: PieceTable, text: str) -> int:
    return table.texts.index(text)


def test_columns_are_those_of_the_vocabulary(bpe: Model, table: PieceTable) -> None:
    assert len(table) == len(bpe.vocabulary)
    assert table.ids.tolist() == list(range(len(table)))
    the = row_of(table, " the")
    assert (table.n_bytes[the], table.n_chars[the]) == (4, 4)
    assert table.scripts[table.script[the]] == "Latin"
    assert np.isnan(table.score[the])
    merges = bpe.segmenter
    rank = int(np.flatnonzero(merges.result == table.ids[the])[0])  # type: ignore[attr-defined]
    assert table.rank[the] == merges.rank[rank]  # type: ignore[attr-defined]
    assert not table.has_rank(row_of(table, "e"))


def test_scores_continuations_and_bytes(unigram: Model, wordpiece: Model) -> None:
    table = piece_table(unigram)
    assert table.score.tolist() == unigram.vocabulary.score.tolist()
    kinds = {int(table.kind[row]) for row in table.filter("kind:byte").tolist()}
    assert kinds <= {PieceKind.BYTE}
    pieces = piece_table(wordpiece)
    inner = [text for text in pieces.texts if text.startswith("##")]
    marked = wordpiece.vocabulary.continuation
    assert marked is not None
    assert len(inner) == int(marked.sum()) > 100


def test_scripts(table: PieceTable) -> None:
    def script(text: str) -> str:
        return table.scripts[table.script[row_of(table, text)]]

    assert [script(text) for text in ("e", "0", " ", "и", "ा")] == [
        "Latin", "Common", "Common", "Cyrillic", "Common",
    ]  # fmt: skip
    assert {table.scripts[s] for s in table.script[table.filter("script:Hangul")]} == {"Hangul"}
    stray = [row for row in range(len(table)) if "\ufffd" in table.texts[row]]
    assert stray
    assert {table.scripts[table.script[row]] for row in stray} == {"Not UTF-8"}


def test_rows_of_ids_where_the_vocabulary_has_holes(shared: Path) -> None:
    path = shared / "data" / "models" / "huggingface" / "qwen3.tokenizer.json"
    model = engine.load(path)
    table = piece_table(model)
    kinds = model.vocabulary.kind
    assert len(table) == int((kinds != PieceKind.HOLE).sum())
    assert table.row_of(len(kinds)) == -1
    hole = np.flatnonzero(kinds == PieceKind.HOLE)
    assert all(table.row_of(int(piece)) == -1 for piece in hole[:5])
    assert [table.ids[table.row_of(piece)] for piece in (0, 220, 151_643)] == [0, 220, 151_643]


def test_a_part_of_a_piece(table: PieceTable) -> None:
    assert found(table, "ing") == [t for t in table.texts if "ing" in t.lower()] != []
    assert found(table, "The") == [t for t in table.texts if "The" in t] != []
    assert set(found(table, "the")) > set(found(table, "The"))
    assert found(table, "␣the") == [t for t in table.texts if " the" in t.lower()] != []
    assert found(table, '" th"') == [t for t in table.texts if " th" in t.lower()] != []
    assert found(table, "") == table.texts
    assert found(table, "no piece is like this") == []


def test_terms_narrow_each_other(table: PieceTable) -> None:
    assert (
        found(table, "he len>2 len<=4")
        == [
            t
            for t, size in zip(table.texts, table.n_bytes.tolist(), strict=True)
            if "he" in t.lower() and 2 < size <= 4
        ]
        != []
    )
    long = found(table, "chars>=8 script:latin")
    assert long
    assert min(len(t) for t in long) == 8
    assert table.filter("id=7").tolist() == [7]
    first = table.filter("rank<3")
    assert sorted(table.rank[first].tolist()) == [0, 1, 2]
    # Pieces that no merge makes have no rank, not a high one.
    assert all(table.has_rank(row) for row in table.filter("rank>=0").tolist())


def test_regular_expressions(table: PieceTable) -> None:
    assert (
        found(table, "/^ .e$/")
        == [t for t in table.texts if len(t) == 3 and t[0] == " " and t[2] == "e"]
        != []
    )
    with pytest.raises(ParameterError, match=r"/\(/ can't be read"):
        table.filter("/(/")
    with pytest.raises(ParameterError, match="no piece has the script 'Klingon'"):
        table.filter("script:Klingon")


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("column", COLUMNS)
def test_every_order(unigram: Model, bpe: Model, column: str, descending: bool) -> None:
    for model in (unigram, bpe):
        table = piece_table(model)
        rows = table.filter("e")
        keys = {
            "id": table.ids.tolist(),
            "text": table.texts,
            "bytes": table.n_bytes.tolist(),
            "chars": table.n_chars.tolist(),
            "script": [table.scripts[s] for s in table.script],
            "kind": table.kind.tolist(),
            "score": table.score.tolist(),
            "rank": table.rank.tolist(),
            "canonical": table.canonical.tolist(),
        }[column]
        absent = [
            (column == "rank" and not table.has_rank(row))
            or (column == "canonical" and keys[row] < 0)
            or keys[row] != keys[row]
            for row in range(len(table))
        ]
        known = sorted(
            (row for row in rows.tolist() if not absent[row]),
            key=lambda row: keys[row],
            reverse=descending,
        )
        rest = [row for row in rows.tolist() if absent[row]]
        assert table.sort(rows, column, descending).tolist() == known + rest


def test_a_piece_that_no_merge_gives_back_is_not_canonical(bpe: Model, unigram: Model) -> None:
    table = piece_table(bpe)
    for row in range(0, len(table), 37):
        piece = int(table.ids[row])
        word = bpe.segmenter.first_symbols(bpe.vocabulary.bytes(piece))  # type: ignore[attr-defined]
        left = [symbol[0] for symbol in bpe.segmenter.merged(word)]  # type: ignore[attr-defined]
        assert table.canonical[row] in (-1, left == [piece])
    assert np.count_nonzero(table.canonical == 1) > 1000
    assert (piece_table(unigram).canonical == -1).all()
    segmenter = bpe.segmenter
    highest = int(np.argmax(segmenter.rank))  # type: ignore[attr-defined]
    lost = int(segmenter.result[highest])  # type: ignore[attr-defined]
    kept = np.arange(len(segmenter.rank)) != highest  # type: ignore[attr-defined]
    columns = {name: getattr(segmenter, name)[kept] for name in ("left", "right", "result", "rank")}
    fewer = piece_table(replace(bpe, segmenter=replace(segmenter, **columns)))  # type: ignore[type-var]
    assert fewer.filter("canonical:no").tolist() == [fewer.row_of(lost)]
    with pytest.raises(ParameterError, match="no piece has the answer"):
        fewer.filter("canonical:perhaps")


def test_texts_alike_at_their_start_are_told_apart() -> None:
    from engine.piece_table import _alphabetic

    texts = [
        "a" * 13, "a" * 12, "a" * 12 + "\0", "", "\0", "b", "a" * 13, "\U0010ffff", "é",
        "a" * 11 + "b", "日本", "日", "a" * 40 + "z", "a" * 40 + "y",
    ]  # fmt: skip
    places = {text: place for place, text in enumerate(sorted(set(texts)))}
    assert _alphabetic(texts).tolist() == [places[text] for text in texts]
    assert _alphabetic([]).tolist() == []


def test_pieces_that_contain_a_text(table: PieceTable) -> None:
    inside = [table.texts[row] for row in table.containing("he").tolist()]
    assert inside == [t for t in table.texts if "he" in t] != []
    assert {*found(table, "he")} >= {*inside}
    upper = [table.texts[row] for row in table.containing("I").tolist()]
    assert upper == [t for t in table.texts if "I" in t] != []
    assert [table.texts[row] for row in table.containing("i").tolist()] != found(table, "i")
    assert table.containing('"').tolist() == [i for i, t in enumerate(table.texts) if '"' in t]


def test_progress_is_reported(bpe: Model) -> None:
    seen: list[tuple[int, int]] = []
    piece_table(bpe, lambda done, total: seen.append((done, total)))
    assert seen == [(0, 3), (1, 3), (2, 3), (3, 3)]
