"""The tables of docs/lesson.md: `python -m benchmarks.lesson` trains what the lesson trains.

The sentence is the first that probes of `toy_german_english` follow. What a head does is that of one seed and one
machine.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.command_line import evaluate, headlight, run_quietly, set_options
from core.answers.anatomy import AttentionKind
from core.answers.head_ablation import HeadAblation, HeadId
from core.engine import Engine
from core.requests import LeaveOutHeads, OpenRun
from core.run_folder import RunFolder

PRESET = "toy_german_english"
STEPS = (0, 50, 100, 150, 200, 250, 300)
WORDS = ("cannot", "see")  # of the reference
HEADS_OFF: dict[str, AttentionKind] = {
    "encoder self-attention": "encoder_self",
    "decoder self-attention": "decoder_self",
    "cross-attention": "cross",
}
SEEDS = (0, 1, 2)
FAST = "training.optimizer.learning_rate=0.01"
NO_WARMUP = "training.schedule.warmup_steps=0"
POST_NORM = "model.norm_first=false"
RECIPES = {
    "pre-norm, warm-up of 200 steps": (),
    "pre-norm, no warm-up": (NO_WARMUP,),
    "post-norm, warm-up of 200 steps": (POST_NORM,),
    "post-norm, no warm-up": (POST_NORM, NO_WARMUP),
}


def train(folder: Path, *settings: str) -> RunFolder:
    """Train the preset with these settings, on the processor, and return its run."""
    given = set_options(["training.device=cpu", *settings])
    run_quietly(headlight("train", PRESET, *given, "--run-dir", str(folder)))
    return RunFolder.open(folder)


def outputs(run: RunFolder, steps: Sequence[int] = STEPS) -> Iterator[str]:
    """What the model writes by itself and what it expects after each word of the reference, early in its training."""
    yield from ("| step | it writes by itself | fed the reference, it expects |", "|---|---|---|")
    for step in steps:
        sentence = run.probe(step).sentences[0]
        assert sentence.by_reference is not None
        expected = " ".join(token for token in sentence.by_reference.predicted if token != "<eos>")
        yield f"| {step} | {_cut(sentence.output)} | {_cut(expected)} |"


def _cut(text: str) -> str:
    """A text as Markdown; if it ends with the same word again and again, up to its second time."""
    words = text.split()
    whole = len(words)
    while len(words) > 2 and words[-1] == words[-2] == words[-3]:
        words.pop()
    return _escaped(" ".join(words) + " …" * (len(words) < whole))


def _escaped(text: str) -> str:
    return text.replace("<", "\\<")  # a bare <eos> would be HTML


def readings(run: RunFolder, steps: Sequence[int] = STEPS[2:]) -> Iterator[str]:
    """Which source word each head of cross-attention reads most, where it is to write one of `WORDS`."""
    yield f"| step | {' | '.join(f'for “{word}”' for word in WORDS)} |"
    yield f"|---|{'---|' * len(WORDS)}"
    for step in steps:
        sentence = run.probe(step).sentences[0]
        assert sentence.by_reference is not None
        read = sentence.by_reference.cross.argmax(-1)  # [L, H, T]
        cells = []
        for word in WORDS:
            row = sentence.by_reference.tgt_output.index(word)
            counts = Counter(sentence.src_tokens[index] for index in read[:, :, row].flatten())
            cells.append(_escaped(", ".join(f"{name} {count}" for name, count in counts.most_common())))
        yield f"| {step} | {' | '.join(cells)} |"


def without_heads(run: RunFolder) -> Iterator[str]:
    """The output and the loss of the trained model without all heads of one kind."""
    yield from ("| switched off | it writes | loss of 64 validation pairs |", "|---|---|---|")
    sentence, model = run.probe(run.probe_steps()[-1]).sentences[0], run.config().model
    with Engine([]) as engine:
        engine.ask(OpenRun(run=run.path)).result()

        def ask(heads: tuple[HeadId, ...]) -> HeadAblation:
            source, reference = sentence.source, sentence.reference
            return engine.ask(LeaveOutHeads(source=source, reference=reference, heads=heads)).result()

        complete = ask(()).complete
        yield f"| nothing | {complete.sentence.output} | {complete.valid_loss:.2f} |"
        for name, kind in HEADS_OFF.items():
            layers = model.num_encoder_layers if kind == "encoder_self" else model.num_decoder_layers
            heads = tuple(HeadId(kind, layer, head) for layer in range(layers) for head in range(model.num_heads))
            without = ask(heads).without
            yield f"| all {len(heads)} heads of {name} | {without.sentence.output} | {without.valid_loss:.2f} |"


def recipes(folder: Path) -> Iterator[str]:
    """How many validation sentences are right with and without warm-up, by the place of the norm."""
    yield f"| learning rate 0.01 | exact match, seeds {', '.join(map(str, SEEDS))} | loss |"
    yield "|---|---|---|"
    for number, (name, settings) in enumerate(RECIPES.items()):
        records = []
        for seed in SEEDS:
            run = train(folder / f"{number}_{seed}", FAST, f"seed={seed}", *settings)
            records.append(evaluate(run.path, "--checkpoint", "last"))
        exact, loss = (
            ", ".join(format(record[key], digits) for record in records)
            for key, digits in (("exact_match", ".3f"), ("loss", ".2f"))
        )
        yield f"| {name} | {exact} | {loss} |"


def main() -> None:
    """Print the tables."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        run = train(folder / "lesson")
        for table in (outputs(run), readings(run), without_heads(run), recipes(folder)):
            print("\n".join(table), end="\n\n", flush=True)


if __name__ == "__main__":
    main()
