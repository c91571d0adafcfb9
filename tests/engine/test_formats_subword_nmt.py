"""subword-nmt codes of both versions, their ids, and the vocabulary filter."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from engine.errors import ModelError, ParameterError
from engine.explain import explain_edge
from engine.formats import load, recognised
from engine.model import Model
from engine.pieces import PieceKind
from engine.pipelines.subword_nmt import SubwordNmtPipeline


def write(folder: Path, text: str | bytes, name: str = "codes") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def written(model: Model, text: str) -> list[str]:
    """Return the pieces of a text as subword-nmt writes them."""
    assert isinstance(model.pipeline, SubwordNmtPipeline)
    return model.pipeline.written(model.encode(text).ids.tolist())


@pytest.fixture(scope="module")
def reference(shared: Path) -> Model:
    return load(shared / "data" / "models" / "subword-nmt" / "bpe.ref")


def test_the_librarys_own_corpus_is_cut_as_it_is_there(shared: Path, reference: Model) -> None:
    folder = shared / "data" / "models" / "subword-nmt"
    lines = (folder / "corpus.en").read_text(encoding="utf-8").split("\n")
    wanted = (folder / "corpus.bpe.ref.en").read_text(encoding="utf-8").split("\n")
    assert len(lines) == len(wanted) == 1016
    batch = reference.encode_lines(lines)
    known = 0
    for number, (line, pieces) in enumerate(zip(lines, wanted, strict=True)):
        encoding = reference.encode(line)
        assert batch[number].tolist() == encoding.ids.tolist()
        spelled = [
            encoding.text.encoded[token.start_byte : token.end_byte].decode()
            + ("" if token.text.endswith("</w>") else "@@")
            for token in encoding.tokens
        ]
        assert spelled == pieces.split()
        if not {0, 1}.intersection(encoding.ids.tolist()):
            known += 1
            assert reference.decode(encoding.ids.tolist()).decode() == line.strip()
    assert known > 900


def test_what_inspect_says(reference: Model) -> None:
    facts = reference.inspect()
    assert (facts["format"], facts["algorithm"], facts["merges"]) == ("subword-nmt", "bpe", 1000)
    assert (facts["version"], facts["separator"]) == ("0.2", "@@")
    assert (facts["byte_level"], facts["warnings"], facts["holes"]) == (False, [], 0)
    said = {rule["topic"]: rule["sentence"] for rule in facts["rules"]}
    assert "all places of the pair" in said["merging"]


def test_all_places_of_a_pair_merge_before_the_next(tmp_path: Path) -> None:
    # One place at a time, ab + a would take the second a before its own pair could merge.
    model = load(write(tmp_path, "#version: 0.2\nab a\na b\n"))
    assert written(model, "ababx") == ["ab@@", "ab@@", "x"]


def test_ids_are_unknowns_characters_then_merges(tmp_path: Path) -> None:
    model = load(write(tmp_path, "#version: 0.2\né b\néb c</w>\n"))
    text = [model.vocabulary.text(i) for i in range(len(model.vocabulary))]
    ascii_characters = [chr(code) for code in range(0x21, 0x7F)]
    assert text[:2] == ["<unk>", "<unk></w>"]
    assert text[2:97] == [*ascii_characters, "é"]
    assert text[97:192] == [f"{char}</w>" for char in [*ascii_characters, "é"]]
    assert text[192:] == ["éb", "ébc</w>"]
    assert model.vocabulary.kind[:2].tolist() == [PieceKind.UNKNOWN] * 2
    assert model.encode("ébc").ids.tolist() == [193]


@pytest.mark.parametrize(
    "header", ["#version: 0.2\n", "#version: 0.2.0\n", "\ufeff#version: 0.2\n"]
)
def test_in_version_0_2_the_mark_is_glued_to_the_last_character(
    tmp_path: Path, header: str
) -> None:
    model = load(write(tmp_path, f"{header}l o\nw e\nr</w> x\nlo w</w>\n"))
    assert written(model, "low lower") == ["low", "lo@@", "we@@", "r"]
    assert model.settings["version"] == "0.2"
    # The last symbol carries the mark, so l + o doesn't fit there.
    assert written(model, "lo") == ["l@@", "o"]


@pytest.mark.parametrize("header", ["", "#version: 0.1\n"])
def test_in_version_0_1_the_mark_is_a_symbol_of_its_own(tmp_path: Path, header: str) -> None:
    model = load(write(tmp_path, f"{header}l o\nlo w\nlow </w>\ne r\n"))
    assert model.settings["version"] == "0.1"
    assert written(model, "lo low lower") == ["lo", "low", "low@@", "er"]
    assert any("tell no version" in text for text in model.warnings) == (not header)
    assert model.decode(model.encode("lo  low\nlower").ids.tolist()) == b"lo low lower"
    # The steps show the mark: l + o, lo + w, low + mark.
    trace = model.merges("low")
    assert [int(rank) for rank in trace.steps.rank] == [0, 1, 2]
    assert [model.vocabulary.text(int(i)) for i in trace.steps.right] == ["o", "w", "</w>"]


def test_crlf_blank_ends_and_separators_of_unicode(tmp_path: Path) -> None:
    # C16: the library reads two merges here, too.
    model = load(write(tmp_path, "#version: 0.2\r\na \u2028\r\na\u2028 b</w>\r\n\r\n"))
    assert model.inspect()["merges"] == 2
    assert written(model, "a\u2028b a") == ["a\u2028b", "a"]


def test_words_end_at_spaces_and_line_feeds_only(reference: Model) -> None:
    text = "the\tof a\u2028b  x\x85y\r\n\n the"
    prepared = reference.prepare(text)
    cuts = prepared.cuts.tolist()
    data = prepared.data.tobytes()
    words = [data[a:b].decode() for a, b in pairwise(cuts)]
    assert words == ["the\tof", "a\u2028b", "x\x85y", "the"]
    lines = text.split("\n")
    batch = reference.encode_lines(lines)
    assert len(batch) == 3  # as many as line feeds, and the rest
    assert batch.ids.tolist() == reference.encode(text).ids.tolist()


def test_unknown_characters_keep_their_place_and_the_ends_of_words(reference: Model) -> None:
    encoding = reference.encode("the 今 x今")
    assert [token.text for token in encoding.tokens] == [
        "the</w>", "<unk></w>", "x", "<unk></w>",
    ]  # fmt: skip
    assert [(t.start_char, t.end_char) for t in encoding.tokens] == [
        (0, 3), (4, 5), (6, 7), (7, 8),
    ]  # fmt: skip
    lattice = reference.lattice("the 今 x今")
    assert [int(lattice.start[edge]) for edge in lattice.taken] == [0, 3, 6, 7]
    assert reference.decode(encoding.ids.tolist()) == b"the <unk> x<unk>"


@pytest.mark.parametrize("version", ["0.1", "0.2"])
def test_spans_spell_the_pieces_and_the_path_is_in_the_lattice(
    tmp_path: Path, version: str
) -> None:
    model = load(write(tmp_path, f"#version: {version}\na b\nab c\nc d\n"))
    text = " abc  ébcd\nab\r\nd"
    encoding = model.encode(text)
    lattice = model.lattice(text)
    path = [int(lattice.piece[edge]) for edge in lattice.taken]
    assert len(path) == len(encoding)
    for token, piece in zip(encoding.tokens, path, strict=True):
        spelled = text.encode()[token.start_byte : token.end_byte].decode()
        if token.id > 1:
            assert spelled == token.text.removesuffix("</w>")
            assert piece == token.id
        else:
            assert spelled == "é"


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("#version: 0.2\na b\nc\n", 3, "'c' isn't two symbols"),
        ("#version: 0.2\na b\n\na b\n", 3, "'' isn't two symbols"),
        ("#version: 0.2\na b c\n", 2, "'a b c' isn't two symbols"),
        ("#version: 0.3\na b\n", 1, "version '0.3' of the codes isn't known"),
        ("#version: 0.2 byte\na b\n", 1, "version '0.2 byte' of the codes isn't known"),
        ("#version:\na b\n", 1, "version '' of the codes isn't known"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, text: str, line: int, said: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(ModelError) as caught:
        load(path)
    assert said in caught.value.what
    assert caught.value.where == f"{path}: line {line}"
    assert caught.value.remedy


def test_other_faults_are_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="the codes hold no merges"):
        load(write(tmp_path, "#version: 0.2\n\n"))
    with pytest.raises(ModelError, match="codes of fastBPE have a third column"):
        load(write(tmp_path, "#version: 0.2\na b 12\n"))


def test_codes_are_told_from_texts(tmp_path: Path) -> None:
    for text, is_one in (
        ("#version: 0.2\na b\n", True), ("a b\nab c\n", True), ("t h</w>\n", True),
        ("a b\nab c\nabc", True), ("Hello world\nGood morning\n", False), ("a b\nc d\n", False),
        ("a b\nab c\nabc\n", False), ("", False),
    ):  # fmt: skip
        assert recognised(text.encode()) == is_one, text
    # What is opened as a model and can be nothing else is read all the same.
    assert load(write(tmp_path, "a b\n")).format == "subword-nmt"
    with pytest.raises(ModelError, match="this is a text file"):
        load(write(tmp_path, "Hello world\n"))


@pytest.mark.parametrize(
    "text", ["1 9\n", "1 9\n19 5\n", "1 9\nt h\n", "a 1\nYg== 1\nY g\ng =\nYg =\nYg= =\n"]
)
def test_codes_that_begin_with_a_digit_to_merge_are_no_ranks(tmp_path: Path, text: str) -> None:
    model = load(write(tmp_path, text))
    assert model.format == "subword-nmt"
    assert model.inspect()["merges"] == text.count("\n")


def test_repeated_and_idle_merges_are_told(tmp_path: Path) -> None:
    model = load(write(tmp_path, "#version: 0.2\na b\nb c\na b\nxyz q\n"))
    said = " ".join(model.warnings)
    assert "1 merge listed again; the first listing counts" in said
    assert "1 merge of a symbol that no merge makes, the first is 'xyz' in line 5" in said
    # Of the two, the earlier listing of a + b decides against b + c.
    assert written(model, "abcx") == ["ab@@", "c@@", "x"]
    lost = load(write(tmp_path, "t h\nth e</w>\ne r</w>\n"))
    assert any("version 0.2 that lost their first line" in text for text in lost.warnings)


# The vocabulary filter

CODES = "#version: 0.2\nl o\nlo w</w>\nlo w\ne r</w>\nlow er</w>\n"


def test_a_filter_undoes_merges_that_lead_out_of_it(tmp_path: Path) -> None:
    path = write(tmp_path, CODES)
    assert written(load(path), "lower low") == ["lower", "low"]
    chosen = write(tmp_path, "low 7\nlow@@ 3\ner 2\nlo@@ 1\n", "words")
    model = load(path, vocabulary=chosen)
    assert written(model, "lower low") == ["low@@", "er", "low"]
    assert model.settings["vocabulary_filter"] == str(chosen)
    assert model.settings["vocabulary_filter_size"] == 4
    # At three or more, er goes: its characters can't be taken apart further.
    high = load(path, vocabulary=chosen, threshold=3)
    assert written(high, "lower low") == ["low@@", "e@@", "r", "low"]
    assert written(load(path, vocabulary=str(chosen), threshold=7), "lower") == [
        "l@@", "o@@", "w@@", "e@@", "r",
    ]  # fmt: skip
    assert len(model.lattice("lower low").taken) == 3


@pytest.mark.parametrize("name", ["bpe.codes.vocab", "bpe.vocab"])
def test_a_filter_beside_the_codes_is_used_and_told(tmp_path: Path, name: str) -> None:
    path = write(tmp_path, CODES, "bpe.codes")
    write(tmp_path, "low@@ 3\r\ner 2\r\n\r\n", name)
    model = load(path)
    assert written(model, "lower") == ["low@@", "er"]
    assert any(f"the vocabulary filter {name} beside" in text for text in model.warnings)
    free = load(path, vocabulary="none")
    assert written(free, "lower") == ["lower"]
    assert free.warnings == ()
    assert "vocabulary_filter" not in free.settings


def test_faults_of_a_filter_are_named(tmp_path: Path) -> None:
    path = write(tmp_path, CODES)
    for text, said in (
        ("low 3\ner\n", "line 2"), ("low 3\n\ner 2\n", "line 2"), ("low x\n", "line 1"),
        ("low 3 4\n", "line 1"), ("", "the file is empty"),
    ):  # fmt: skip
        chosen = write(tmp_path, text, "words")
        with pytest.raises(ModelError) as caught:
            load(path, vocabulary=chosen)
        assert said in str(caught.value)
        assert str(chosen) in caught.value.where
    with pytest.raises(ModelError, match="no such file"):
        load(path, vocabulary=tmp_path / "gone")
    with pytest.raises(ModelError, match="no piece has a count of 9 or more"):
        load(path, vocabulary=write(tmp_path, "low 3\n", "words"), threshold=9)
    with pytest.raises(ParameterError, match="no vocabulary filter"):
        load(path, threshold=3)


def sentences(model: Model, text: str) -> dict[str, str]:
    """Return why each edge of a text's lattice is, or isn't, on the path, by its piece."""
    lattice = model.lattice(text)
    return {
        lattice.edge_text(edge): explain_edge(lattice, None, edge).sentence
        for edge in range(lattice.n_edges)
    }


def test_what_the_filter_does_is_said(tmp_path: Path) -> None:
    path = write(tmp_path, CODES)
    model = load(path, vocabulary=write(tmp_path, "low@@ 3\n", "words"))
    assert written(model, "lower") == ["low@@", "e@@", "r"]
    said = sentences(model, "lower")
    assert "doesn't hold it: it is taken apart" in said["lower</w>"]
    assert "the vocabulary filter undoes that merge" in said["low"]
    assert "the vocabulary filter undoes that merge" in said["e"]
    note = model.merges("lower").notes[0]
    assert (note.rule, model.vocabulary.text(note.piece)) == ("filter", "lower</w>")
    assert load(path, vocabulary="none").merges("lower").notes == ()


def test_a_mark_that_merges_with_nothing_is_said(tmp_path: Path) -> None:
    model = load(write(tmp_path, "l o\nlo w\n"))
    assert "Rule 1 makes it from lo + w" in sentences(model, "low")["low</w>"]
    note = model.merges("low").notes[0]
    assert (note.rule, model.vocabulary.text(note.piece)) == ("mark", "</w>")
    # With a rule for the mark it is an end as any other.
    assert load(write(tmp_path, "l o\nlo </w>\n")).merges("lo").notes == ()


def test_a_folder_for_a_filter_is_told_to_be_none(tmp_path: Path) -> None:
    with pytest.raises(ModelError) as caught:
        load(write(tmp_path, "#version: 0.2\na b\n"), vocabulary=tmp_path)
    assert "this is a folder" in caught.value.what
    assert caught.value.where == str(tmp_path)
    assert "choose a vocabulary filter" in caught.value.remedy
