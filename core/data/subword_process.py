"""The process that learns subwords: `python -m core.data.subword_process TYPE PAIRS STRIDE SIDES SIZE MODEL`.

It imports only what it needs: for small data, imports take most of its time. It ends with its standard input, which the
application holds open: learning may take minutes more, and memory, after an application that was killed.
"""

import io
import json
import os
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from threading import Thread

from sentencepiece import SentencePieceTrainer

from core.data.special_tokens import BOS_ID, EOS_ID, PAD_ID, SPECIAL_TOKENS, UNK_ID

_CHUNK_SIZE = 10_000  # pairs, before each of which it logs how many it has read


def main(model_type: str, pairs: str, stride: str, sides: str, size: str, model: str) -> None:
    """Learn and write the model; a failure is a traceback on stderr."""
    written = io.BytesIO()
    pad, bos, eos, unk = SPECIAL_TOKENS
    SentencePieceTrainer.train(
        sentence_iterator=_texts(Path(pairs), int(stride), sides),
        model_writer=written,
        model_type=model_type,
        vocab_size=int(size),
        hard_vocab_limit=False,  # fewer if the texts do not give so many
        character_coverage=1.0,
        max_sentence_length=2**30,
        # The texts as they are: lower-casing and the like is up to the dataset, and joining must restore every space.
        normalization_rule_name="identity",
        remove_extra_whitespaces=False,
        num_threads=1,
        minloglevel=0,  # log the progress too
        pad_id=PAD_ID, bos_id=BOS_ID, eos_id=EOS_ID, unk_id=UNK_ID,
        pad_piece=pad, bos_piece=bos, eos_piece=eos, unk_piece=unk,
    )  # fmt: skip
    Path(model).write_bytes(written.getvalue())


def _texts(pairs: Path, stride: int, sides: str) -> Iterator[str]:
    """The texts in a file of `core.data.pair_texts`: a line of JSON has a pair's source, target and alignment."""
    num_read = 0
    with pairs.open("rb") as lines:
        chosen = islice(lines, 0, None, stride)
        while some := list(islice(chosen, _CHUNK_SIZE)):
            print(f"read {num_read}", file=sys.stderr)
            for source, target, _ in json.loads(b"[" + b",".join(some) + b"]"):
                if sides != "tgt":
                    yield source
                if sides != "src":
                    yield target
            num_read += len(some)


def _end_with_input() -> None:
    os.read(0, 1)  # not through sys.stdin, whose lock this thread would keep at the exit
    os._exit(1)


if __name__ == "__main__":
    Thread(target=_end_with_input, daemon=True).start()
    main(*sys.argv[1:])
