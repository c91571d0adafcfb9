"""Which characters a Unigram piece may hold together: scripts, digits, marks for spaces.

SentencePiece's constraints on pieces look at the characters of a piece one by one; here they say
between which neighbours no piece may stand. That is the same but for a mark of any script
(combining marks, say): it always goes with the character before it, in the library only if the
piece begins before it. Scripts: Unicode Standard Annex 24, from the `regex` library; Hiragana,
Katakana and the mark for long vowels count as Han, as in the library.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.pipelines.sentencepiece import SPACE

ANY, FOLLOWS, ALONE, DROPPED, SCRIPT = range(1, 6)
"""What a character is: fit to stand beside any script; of the script before it; a stretch of its
own; nothing that a piece may hold; from SCRIPT on, of a script."""

INHERITED = "Zinh"

_CODES = (
    "Zyyy Zzzz Latn Bopo Grek Copt Cyrl Armn Hebr Arab Syrc Thaa Nkoo Samr Mand Deva Beng Guru "
    "Gujr Orya Taml Telu Knda Mlym Sinh Thai Laoo Tibt Mymr Geor Hang Ethi Cher Cans Ogam Runr "
    "Tglg Hano Buhd Tagb Khmr Mong Limb Tale Talu Bugi Lana Bali Sund Batk Lepc Olck Brai Glag "
    "Tfng Hani Hira Kana Yiii Lisu Vaii Bamu Sylo Phag Saur Kali Rjng Java Cham Tavt Mtei Linb "
    "Lyci Cari Ital Goth Perm Ugar Xpeo Dsrt Shaw Osma Osge Elba Aghb Vith Todr Lina Cprt Armi "
    "Palm Nbat Hatr Phnx Lydi Sidt Mero Merc Khar Sarb Narb Mani Avst Prti Phli Phlp Orkh Hung "
    "Rohg Gara Yezi Sogo Sogd Ougr Chrs Elym Brah Kthi Sora Cakm Mahj Shrd Khoj Mult Sind Gran "
    "Tutg Newa Tirh Sidd Modi Takr Ahom Dogr Wara Diak Nand Zanb Soyo Pauc Sunu Bhks Marc Gonm "
    "Gong Tols Maka Kawi Xsux Pcun Cpmn Egyp Hluw Gukh Mroo Tnsa Bass Hmng Krai Medf Berf Miao "
    "Tang Nshu Kits Jurc Dupl Sgnw Hmnp Toto Wcho Nagm Onao Tayo Mend Adlm Hrkt"
)
CODES = tuple(_CODES.split())
"""Scripts by their ISO 15924 codes. Characters of a script that isn't here count as `Zzzz`."""

LIKE_HAN = {"Hira", "Kana", "Hrkt"}
LONG_VOWEL = 0x30FC
DIGITS = (range(0x30, 0x3A), range(0xFF10, 0xFF1A))


def script_classes(characters: NDArray[np.integer]) -> NDArray[np.int32]:
    """Return the script of each character, int32: SCRIPT + its place in `CODES`, or FOLLOWS.

    characters: code points, ascending.
    """
    import regex

    text = "".join(map(chr, characters.tolist()))
    found = np.full(len(characters), SCRIPT + CODES.index("Zzzz"), dtype=np.int32)
    for code in (*CODES, INHERITED):
        try:
            matches = regex.findall(rf"\p{{Script={code}}}", text)
        except regex.error:
            continue  # Newer than the library's Unicode.
        own = SCRIPT + CODES.index("Hani" if code in LIKE_HAN else code) if code in CODES else 0
        places = np.searchsorted(characters, np.array([ord(c) for c in matches], dtype=np.int64))
        found[places] = own or FOLLOWS
    found[characters == LONG_VOWEL] = SCRIPT + CODES.index("Hani")
    return found


class Constraints(NamedTuple):
    """What pieces may hold.

    by_space: a mark for a space at the beginning only, else anywhere but at the end. by_script:
    characters of one script. by_number: no digits beside letters, where by_script is.
    single_digits: no digit beside anything.
    """

    by_space: bool = True
    by_script: bool = True
    by_number: bool = True
    single_digits: bool = False


def character_classes(
    characters: NDArray[np.integer], constraints: Constraints
) -> NDArray[np.int32]:
    """Return what each character is, int32: one of the classes of this file.

    characters: code points, ascending.
    """
    if constraints.by_script:
        found = script_classes(characters)
    else:
        found = np.full(len(characters), ANY, dtype=np.int32)
    digits = np.isin(characters, [code for part in DIGITS for code in part])
    if not constraints.by_number:
        found[digits] = ANY
    if constraints.single_digits:
        found[digits] = ALONE
    # Where words begin with it, the mark stands beside any script; else it changes nothing.
    found[characters == ord(SPACE)] = FOLLOWS
    found[characters == 0] = DROPPED
    return found
