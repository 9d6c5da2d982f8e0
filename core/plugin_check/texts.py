"""Checks each pair on its own: its texts are not empty and survive their tokenizer, its alignment points at tokens."""

from __future__ import annotations

from collections.abc import Iterator

from core.answers.plugin_report import Finding
from core.data.special_tokens import SPECIAL_TOKENS
from core.data.tokenizers import Tokenizer
from core.plugin_check.sample import Sample, SplitSample, Tokens, part_looked_at
from core.short_repr import short_repr

MAX_TOKENS = 1000
"""In tokens. Attention's cost grows with the square of the length: a batch of such texts takes a laptop minutes."""


def check_texts(sample: Sample) -> Iterator[Finding]:
    """Find for each side an empty text, one that its tokenizer changes, and the longest if it is too long.

    Only the first split with such texts is reported.
    """
    for side, tokenizer in (("source", sample.src_tokenizer), ("target", sample.tgt_tokenizer)):
        found = (list(_check_side(name, side, split, tokenizer)) for name, split in sample.splits.items())
        yield from next(filter(None, found), [])  # the other splits mostly have the same fault


def _check_side(name: str, side: str, split: SplitSample, tokenizer: Tokenizer) -> Iterator[Finding]:
    is_source = side == "source"
    texts = [pair.source if is_source else pair.target for pair in split.pairs]
    tokens = split.src_tokens if is_source else split.tgt_tokens
    yield from _first_empty(name, side, tokens)
    yield from _first_changed(name, side, texts, tokens, tokenizer)
    yield from _too_long(part_looked_at(name, len(tokens), split.num_pairs), side, tokens)


def _first_empty(split: str, side: str, tokens: Tokens) -> Iterator[Finding]:
    number = next((number for number, one in enumerate(tokens, start=1) if not one), None)
    if number is not None:
        yield Finding(
            check="texts",
            sentence=f"Pair {number:,} of the {split} split has an empty {side}; expected at least one token.",
            advice="Leave such pairs out.",
        )


def _first_changed(split: str, side: str, texts: list[str], tokens: Tokens, tokenizer: Tokenizer) -> Iterator[Finding]:
    for number, (text, own) in enumerate(zip(texts, tokens, strict=True), start=1):
        location = f"{side} {short_repr(text, 80)} (pair {number:,} of the {split} split)"
        special = set(own).intersection(SPECIAL_TOKENS)
        if special:
            yield Finding(
                check="tokenizer",
                sentence=f"The {location} holds {special.pop()}, a special token, which stands for no "
                "text; expected other tokens.",
                advice="Write it differently.",
            )
            return
        if own and tokenizer.join(own) != text:
            yield Finding(
                check="tokenizer",
                sentence=f"The {location}, cut into tokens and joined again, is {short_repr(tokenizer.join(own), 80)}; "
                "expected the same text.",
                advice='Put one space between tokens and none around them, or use tokenizer = "characters".',
            )
            return


def _too_long(where: str, side: str, tokens: Tokens) -> Iterator[Finding]:
    longest = max(map(len, tokens))
    if longest > MAX_TOKENS:
        yield Finding(
            check="lengths",
            sentence=f"The longest {side} of {where} has {longest:,} tokens; expected at most {MAX_TOKENS:,}.",
            advice="Make texts shorter, or cut them into fewer tokens: attention grows with the square of the length.",
        )


def check_alignments(sample: Sample) -> Iterator[Finding]:
    """Find the first alignment that points beyond the tokens of its pair."""
    for name, split in sample.splits.items():
        pairs_with_lengths = zip(split.pairs, map(len, split.src_tokens), map(len, split.tgt_tokens), strict=True)
        for number, (pair, num_src, num_tgt) in enumerate(pairs_with_lengths, start=1):
            if beyond := [(src, tgt) for src, tgt in pair.alignment or () if src >= num_src or tgt >= num_tgt]:
                yield Finding(
                    check="alignment",
                    sentence=f"Pair {number:,} of the {name} split has {num_src} source and {num_tgt} target tokens, "
                    f"but alignment {beyond}; expected (source, target) indices of its tokens.",
                    advice="Count tokens, as the tokenizer cuts them, from 0.",
                )
                return
