"""The German-English grammar, compared with tables of this file: agreement, word order, alignments, splits."""

import random
import re
from functools import cache

import pytest

from core.plugin import Pair, Split, split_of
from plugins.toy_german_english import PLUGIN, ToyOptions, draw_clause, text_of

SPLITS: tuple[Split, ...] = ("train", "valid", "test")

# Deliberately written out again here, from a grammar book rather than from the plugin.
GENDERS = {
    "m": "Kaffee Tee Saft Apfel Kuchen Brief Tisch Hund Mann Lehrer Bruder",
    "f": "Cola Suppe Zeitung Lampe Tür Katze Frau Schwester",
    "n": "Bier Ei Buch Auto Fenster Kind",
    "pl": "Kinder Eltern",
}
GENDER_OF = {noun: gender for gender, nouns in GENDERS.items() for noun in nouns.split()}
# (article, adjective ending that must follow) -> the genders and cases they may stand for
PHRASES = {
    ("der", "e"): {"m nominative"},
    ("den", "en"): {"m accusative"},
    ("die", "e"): {"f nominative", "f accusative"},
    ("das", "e"): {"n nominative", "n accusative"},
    ("die", "en"): {"pl nominative", "pl accusative"},
    ("ein", "er"): {"m nominative"},
    ("einen", "en"): {"m accusative"},
    ("eine", "e"): {"f nominative", "f accusative"},
    ("ein", "es"): {"n nominative", "n accusative"},
    ("eine", "en"): {"pl nominative", "pl accusative"},
}
FINITE = {  # the endings of regular and the forms of irregular verbs, by subject
    "ich": r"\w+e|möchte|muss|kann|soll|darf",
    "du": r"\w+st",
    "er": r"\w+t|möchte|muss|kann|soll|darf",
    "wir": r"\w+en",
}
ADJECTIVE = re.compile(r"(kalt|heiß|gut|groß|klein|neu|alt|jung|nett)(e[rsn]?)$")
INFINITIVE = re.compile(r"(an|ab|mit|auf|zu|ein)?[a-zä]+en$")
MODAL = re.compile(r"(möcht|muss|müss|kann|könn|soll|darf|dürf)")


@cache
def corpus(split: Split = "train") -> list[Pair]:
    return list(PLUGIN(ToyOptions()).pairs(split, random.Random(0)))


def phrases(source: str) -> list[tuple[str, str | None, str]]:
    """The article, adjective ending and noun of each noun phrase."""
    tokens = source.replace("am Montag", "").replace("am Abend", "").split()
    found = []
    for index, token in enumerate(tokens):
        if token[0].isupper():
            adjective = ADJECTIVE.match(tokens[index - 1])
            found.append((tokens[index - 1 - bool(adjective)], adjective[2] if adjective else None, token))
    return found


def cases_of(article: str, ending: str | None, noun: str) -> set[str]:
    """The cases in which a noun may have this article and this adjective ending."""
    stem = re.sub(r"^(k|m)(?=ein)", "", article)
    return {
        reading.split()[1]
        for (table_article, table_ending), readings in PHRASES.items()
        if table_article == stem and ending in (None, table_ending)
        for reading in readings
        if reading.split()[0] == GENDER_OF[noun]
    }


def test_articles_and_adjectives_agree_with_gender_and_case() -> None:
    seen = set()
    for pair in corpus():
        found = phrases(pair.source)
        cases = [cases_of(*phrase) for phrase in found]
        if len(found) == 2:
            assert "nominative" in cases[0] and "accusative" in cases[1], pair
        assert all(cases), pair
        seen.update(found)
    assert {("ein", "es", "Bier"), ("einen", None, "Apfel"), ("das", None, "Buch")} <= seen


def test_objects_of_pronoun_subjects_are_accusative() -> None:
    for pair in corpus():
        if pair.source.split()[0] in ("ich", "du", "er", "wir", "sie"):
            assert all("accusative" in cases_of(*phrase) for phrase in phrases(pair.source)), pair


def test_the_verb_is_second_and_agrees_with_its_subject() -> None:
    for pair in corpus():
        tokens = pair.source.replace("am Montag", "heute").replace("am Abend", "heute").split()
        if tokens[0] in FINITE:
            assert re.fullmatch(FINITE[tokens[0]], tokens[1]), pair
        elif tokens[0] in ("heute", "morgen") and tokens[2] in FINITE:
            assert re.fullmatch(FINITE[tokens[2]], tokens[1]), pair
        elif tokens[0] == "sie":
            assert re.fullmatch(FINITE["wir" if pair.target.startswith("they") else "er"], tokens[1]), pair


def test_strong_verbs_change_their_vowel() -> None:
    words = {word for pair in corpus() for word in pair.source.split()}
    assert {"isst", "liest", "siehst", "sieht", "hast", "hat", "schläfst", "schläft"} <= words
    assert words.isdisjoint(["esst", "lest", "sehst", "seht", "habst", "habt", "schlafst", "schlaft"])


def test_a_modal_verb_puts_the_infinitive_at_the_end() -> None:
    seen = 0
    for pair in corpus():
        modal = next((token for token in pair.source.split() if MODAL.match(token)), None)
        if modal and not re.search(r"\b(wants?|not want) (a|an|any|the|my)\b", pair.target):
            assert INFINITIVE.match(pair.source.split()[-1]), pair
            seen += 1
    assert seen > 1000


@pytest.mark.parametrize(
    ("finite", "particle", "english"),
    [("mach", "auf", "open"), ("mach", "zu", "close"), ("ruf", "an", "call"), ("hol", "ab", "pick"),
     ("bring", "mit", "bring"), ("steh", "auf", "get"), ("kauf", "ein", "go")],
)  # fmt: skip
def test_separable_verbs_leave_their_particle_at_the_end(finite: str, particle: str, english: str) -> None:
    sources = [pair for pair in corpus() if re.search(rf"\b{finite}(e|e?st|e?t|en)\b.* {particle}$", pair.source)]
    assert len(sources) > 10
    assert all(re.search(rf"\b{english}(e?s)?\b", pair.target) for pair in sources)


def test_indefinite_objects_are_negated_with_kein_and_all_else_with_nicht() -> None:
    for pair in corpus():
        denied = re.search(r"\b(not|cannot)\b", pair.target) is not None
        has_kein, has_nicht = re.search(r"\bkein", pair.source), re.search(r"\bnicht\b", pair.source)
        assert denied == bool(has_kein or has_nicht) and not (has_kein and has_nicht), pair
        assert not (has_nicht and re.search(r"\b(ein|eine|einen) (\w+ )?[A-Z]\w*\b.* nicht", pair.source)) or re.match(
            r"((heute|morgen|am \w+) \w+ )?eine? ", pair.source
        ), pair


def test_english_articles_fit_the_next_word() -> None:
    for pair in corpus():
        assert not re.search(r"\ba [aeiou]|\ban [^aeiou]|\b(a|an) (\w+ )?(children|parents)\b", pair.target), pair


def test_every_content_word_is_aligned_within_range() -> None:
    for pair in corpus():
        source, target = pair.source.split(), pair.target.split()
        assert pair.alignment is not None and len(set(pair.alignment)) == len(pair.alignment)
        assert {j for _, j in pair.alignment} == set(range(len(target))), pair
        assert {i for i, _ in pair.alignment} == set(range(len(source))), pair


def test_alignments_join_words_with_the_same_meaning() -> None:
    dictionary = {"Bier": "beer", "Apfel": "apple", "Tür": "door", "ich": "i", "heute": "today", "neues": "new"}
    seen = set()
    for pair in corpus():
        assert pair.alignment is not None
        for i, j in pair.alignment:
            german = pair.source.split()[i]
            if german in dictionary:
                assert pair.target.split()[j] in (dictionary[german], "not"), pair
                seen.add(german)
    assert seen == set(dictionary)


def test_each_of_more_than_a_hundred_thousand_sentences_has_one_translation() -> None:
    rng = random.Random(1)
    translations: dict[str, str] = {}
    for _ in range(190_000):
        clause = draw_clause(rng)  # not its pair, whose alignment would take a third of the time
        translation = text_of(clause.english())
        assert translations.setdefault(clause.source(), translation) == translation
    assert len(translations) > 100_000


def test_the_splits_have_4000_1000_and_1000_sentences_and_do_not_overlap() -> None:
    sources = {split: [pair.source for pair in corpus(split)] for split in SPLITS}
    assert [len(set(sources[split])) for split in SPLITS] == [4000, 1000, 1000]
    assert all(split_of(source) == split for split in SPLITS for source in sources[split])


def test_sentences_and_vocabulary_are_small_and_every_word_is_trained_on() -> None:
    trained = {word for pair in corpus() for word in pair.source.split()}
    assert all(3 <= len(pair.source.split()) <= 9 for pair in corpus())
    assert len(trained) < 180 and len({word for pair in corpus() for word in pair.target.split()}) < 120
    assert {word for split in SPLITS for pair in corpus(split) for word in pair.source.split()} == trained
    assert {word for example in PLUGIN(ToyOptions()).examples() for word in example.split()} <= trained


def test_every_split_of_the_sentences_corpus_is_the_documents_three_sentences() -> None:
    for split in SPLITS:
        pairs = list(PLUGIN(ToyOptions(corpus="sentences")).pairs(split, random.Random(0)))
        assert [(pair.source, pair.target) for pair in pairs] == [
            ("ich mochte ein bier", "i want a beer ."),
            ("ich mochte ein cola", "i want a coke ."),
            ("ich mag das Buch", "i like the book ."),
        ]


def test_the_document_with_one_sentence_has_no_full_stop() -> None:
    plugin = PLUGIN(ToyOptions(corpus="sentences", num_sentences=1))
    assert [pair[:2] for pair in plugin.pairs("train", random.Random(0))] == [("ich mochte ein bier", "i want a beer")]
    assert plugin.examples() == ["ich mochte ein bier"]
