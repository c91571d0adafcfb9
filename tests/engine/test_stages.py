"""The stages of real and small models: texts, spans, what changed, what came back."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import engine
from engine import bundled
from engine.changes import Change, change_of
from engine.decoding import decoded_parts
from engine.errors import ParameterError
from engine.round_trip import cause_name, differences
from engine.stages import make_stages
from tests.engine.headless import document, fault

MODELS = {
    "gpt2": "huggingface/gpt2.tokenizer.json",
    "gte": "huggingface/gte_wordpiece.tokenizer.json",
    "xlnet_json": "huggingface/xlnet_cased.tokenizer.json",
    "xlnet": "sentencepiece/unigram_xlnet_cased_32k.model",
    "english": "sentencepiece/unigram_en_1k.model",
    "mistral": "sentencepiece/bpe_mistral_v1_32k.model",
}


@pytest.fixture(scope="module")
def model(shared):
    loaded = {}

    def get(name):
        if name not in loaded:
            loaded[name] = engine.load(shared / "data" / "models" / MODELS[name])
        return loaded[name]

    return get


@pytest.fixture(scope="module")
def bundled_models():
    paths = [m.path for m in bundled.models() if m.name.startswith("everyday")]
    loaded = [engine.load(path) for path in paths]
    return lambda: loaded  # hypothesis prints what it is given


def rows(stages, stage):
    """Return (piece, start, end, change) of each piece."""
    return [
        (
            stages.shown(stage, i),
            int(stage.source_start[i]),
            int(stage.source_end[i]),
            Change(stage.change[i]).words,
        )
        for i in range(len(stage))
    ]


def causes(stages):
    return [(d.start, d.end, cause_name(stages, d.cause)) for d in differences(stages)]


# Cases


@pytest.mark.parametrize("text", ["hello", " hello", "  hello"])
def test_dummy_prefix_and_leading_spaces_come_back(model, text):
    stages = make_stages(model("mistral"), text)
    first = rows(stages, stages.normalizer)[0]
    assert first == ("▁", 0, 0, "inserted")
    assert stages.normalizer.text == "▁" + text.replace(" ", "▁")
    assert stages.exact
    assert stages.decoder.text == text
    assert differences(stages) == ()


def test_removed_spaces_are_lost_by_design(model):
    stages = make_stages(model("english"), "  hello  world  ")
    assert rows(stages, stages.normalizer.joined) == [
        ("▁", 2, 2, "inserted"),
        ("hello", 2, 7, "same"),
        ("▁", 7, 9, "white space"),
        ("world", 9, 14, "same"),
    ]
    assert stages.normalizer.lost.tolist() == [[0, 2], [14, 16]]
    assert stages.decoder.text == "hello world"
    assert causes(stages) == [
        (0, 2, "remove_extra_whitespaces"),
        (7, 14, "remove_extra_whitespaces"),
        (14, 16, "remove_extra_whitespaces"),
    ]


@pytest.mark.parametrize(
    ("name", "separator", "decoded", "change"),
    [
        ("xlnet", "\t", "a b", "white space"),
        ("xlnet", "\u3000", "a b", "white space"),
        ("xlnet", "\u200b", "a b", "replaced"),
        ("english", "\u00a0", "a b", "white space"),
        ("english", "\t", "a ⁇ b", "same"),
        ("mistral", "\u2028", "a\u2028b", "same"),
        ("mistral", "\u0085", "a\u0085b", "same"),
    ],
)
def test_separators(model, name, separator, decoded, change):
    stages = make_stages(model(name), f"a{separator}b")
    size = len(separator.encode())
    found = [r for r in rows(stages, stages.normalizer) if r[1:3] == (1, 1 + size)]
    assert [r[3] for r in found] == [change]
    assert stages.decoder.text == decoded


def test_a_composed_and_a_spread_character(model):
    stages = make_stages(model("gte"), "Cafe\u0301 각")
    assert rows(stages, stages.normalizer.joined) == [
        ("c", 0, 1, "lower case"),
        ("af", 1, 3, "same"),
        ("e", 3, 6, "accents"),
        (" ", 6, 7, "same"),
        ("\u1100\u1161\u11a8", 7, 10, "decomposed"),
    ]
    # One character owns three tokens, two characters one piece of a token.
    spans = [(start, end) for _, start, end, _ in rows(stages, stages.tokens)]
    assert spans == [(0, 6), (7, 10), (7, 10), (7, 10)]
    assert stages.pre_tokenizer.lost.tolist() == [[6, 7]]


def test_tokens_inside_one_character(model):
    stages = make_stages(model("gpt2"), "x⭢y")
    assert [r[1:3] for r in rows(stages, stages.tokens)] == [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]
    assert rows(stages, stages.decoder) == [
        ("x", 0, 1, "same"), ("⭢", 1, 4, "same"), ("y", 4, 5, "same"),
    ]  # fmt: skip
    assert [stages.written(i) for i in range(3)] == ["x", "âŃ¢", "y"]
    stages = make_stages(model("mistral"), "中文")
    assert rows(stages, stages.tokens) == [
        ("▁", 0, 0, "same"), ("中", 0, 3, "same"), ("文", 3, 6, "same"),
    ]  # fmt: skip


def test_unknown_decodes_to_its_own_mark(model):
    stages = make_stages(model("english"), "Y今Y")
    assert stages.decoder.text == "Y ⁇ Y"
    assert ("<unk>", 1, 4, "unknown") in rows(stages, stages.tokens)
    assert (" ⁇ ", 1, 4, "unknown") in rows(stages, stages.decoder)
    assert causes(stages) == [(1, 4, "unknown")]


def test_compatibility_forms_overlap_as_unions(model):
    stages = make_stages(model("english"), "a ﬁn")
    assert ("fi", 2, 5, "compatible") in rows(stages, stages.normalizer)
    spans = [r[1:3] for r in rows(stages, stages.tokens)]
    assert (1, 5) in spans  # "▁f" has a part of the ligature
    assert (2, 6) in spans  # and "in" the other
    assert stages.decoder.text == "a fin"


def test_what_the_pre_tokenizer_drops_the_decoder_may_put_back(model):
    stages = make_stages(model("gte"), "one two")
    assert stages.pre_tokenizer.lost.tolist() == [[3, 4]]
    assert rows(stages, stages.decoder) == [("one", 0, 3, "same"), (" two", 3, 7, "same")]
    assert stages.exact
    stages = make_stages(model("gte"), "don't")
    assert stages.decoder.text == "don ' t"
    assert {cause for *_, cause in causes(stages)} == {"decoder"}


# Special strings


def test_three_readings_of_special_strings(model):
    text = "a<|endoftext|>"
    literal = make_stages(model("gpt2"), text)
    parsed = make_stages(model("gpt2"), text, "parse")
    assert len(literal.ids) == 8  # a and seven of the string
    assert parsed.ids.tolist() == [64, 50256]
    for stage in (parsed.normalizer.joined, parsed.pre_tokenizer, parsed.tokens):
        assert rows(parsed, stage)[1] == ("<|endoftext|>", 1, 14, "special")
    assert [(f.text, f.start_char) for f in literal.found] == [("<|endoftext|>", 1)]
    with pytest.raises(ParameterError, match="character 1"):
        make_stages(model("gpt2"), text, "forbid")


def test_a_control_piece_decodes_to_nothing(model):
    stages = make_stages(model("mistral"), "a<s>b", "parse")
    assert ("<s>", 1, 4, "special") in rows(stages, stages.tokens)
    assert [1, 4] in stages.decoder.lost.tolist()
    assert (1, 4, "special") in causes(stages)


# Properties


@settings(max_examples=60, deadline=None)
@given(text=st.text(alphabet=st.sampled_from(list("ab  .,É\u0301é今\t\nﬁ🌤नम")), max_size=24))
def test_stages_join_to_their_texts_and_cover_the_given_one(bundled_models, text):
    for one in bundled_models():
        stages = make_stages(one, text)
        assert stages.decoder.data == one.decode(stages.ids.tolist())
        assert stages.tokens.piece.tolist() == one.encode(text).ids.tolist()
        for stage in (stages.normalizer, stages.normalizer.joined, stages.decoder):
            assert b"".join(stage.bytes(i) for i in range(len(stage))) == stage.data
        for stage in (stages.normalizer, stages.decoder):
            covered = {
                byte
                for start, end in [
                    *zip(stage.source_start.tolist(), stage.source_end.tolist(), strict=True),
                    *stage.lost.tolist(),
                ]
                for byte in range(start, end)
            }
            assert covered == set(range(len(text.encode())))
        assert stages.exact == (differences(stages) == ())


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=8))
def test_parts_of_a_decoder_that_hangs_on_place(text):
    # Tokens are bytes; the decoder gives U+FFFD for what isn't whole, and drops a first space.
    def decode(ids):
        return bytes(ids).decode("utf-8", errors="replace").removeprefix(" ").encode()

    ids = list(text.encode())
    cuts, parts = decoded_parts(decode, ids, lambda _: b"?")
    assert b"".join(parts) == decode(ids)
    assert cuts[0] == 0
    assert cuts[-1] == len(ids)
    assert len(cuts) == len(parts) + 1


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        ("a", "a", Change.SAME),
        (" ", "▁", Change.SPACE),
        ("\t", " ", Change.WHITE_SPACE),
        ("a  b", "a▁b", Change.WHITE_SPACE),
        ("", "▁", Change.INSERTED),
        ("今", " 今 ", Change.SPACED),
        ("İ", "i̇", Change.LOWER_CASE),
        ("É", "e", Change.FOLDED),
        ("e\u0301", "é", Change.COMPOSED),
        ("각", "\u1100\u1161\u11a8", Change.DECOMPOSED),
        ("½", "1⁄2", Change.COMPATIBLE),
        ("``", '"', Change.REPLACED),
    ],
)
def test_names_of_changes(before, after, change):
    assert change_of(before.encode(), after.encode()) is change


# The command


def test_the_command_prints_the_contract(capsys, shared):
    path = str(shared / "data" / "models" / MODELS["gpt2"])
    found = document(capsys, "stages", path, "--text", "Ü<|endoftext|>", "--special", "parse")
    names = [stage["name"] for stage in found["stages"]]
    assert names == ["normalizer", "pre_tokenizer", "model", "decoder"]
    assert [stage["text"] for stage in found["stages"]] == ["Ü<|endoftext|>"] * 4
    pre_tokenizer, tokens = found["stages"][1]["pieces"], found["stages"][2]["pieces"]
    assert pre_tokenizer[0] == {
        "text": "Ü", "start_byte": 0, "end_byte": 2, "change": "same", "written": "Ãľ",
    }  # fmt: skip
    assert tokens[-1]["id"] == 50256
    assert found["round_trip"] == {"exact": True, "differences": []}
    assert found["special_found"] == [{"text": "<|endoftext|>", "start_char": 1}]


@pytest.mark.parametrize("command", ["stages", "encode", "lattice", "merges"])
def test_every_command_knows_the_readings(capsys, shared, command):
    path = str(shared / "data" / "models" / MODELS["gpt2"])
    text = ("--text", "a<|endoftext|>b")
    said = fault(capsys, command, path, *text, "--special", "forbid")
    assert "the text holds the special string '<|endoftext|>', character 1," in said
    document(capsys, command, path, *text, "--special", "parse")


def test_a_lattice_has_one_edge_for_a_parsed_token(model):
    text = "a<|endoftext|>"
    assert model("gpt2").lattice(text, "parse").n_edges == 2
    assert model("gpt2").lattice(text).n_edges > 13
