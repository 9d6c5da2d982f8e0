"""Draws a plugin's pairs and tokenises them once, into a cache folder that is named by a hash of its content."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Generator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.config import AUTO_SIZE, DatasetConfig
from core.data.cache import building_folder, is_intact, mark_used_and_evict, publish
from core.data.corpus_tokenizer import CorpusTokenizer
from core.data.leakage import Leaked, count_leaked_sources, leakage_notes
from core.data.local_options import resolve_local_options
from core.data.long_pairs import long_pair_notes
from core.data.misalignment import misalignment_notes
from core.data.pair_texts import pair_writer, read_pair_lines
from core.data.prepared_data import DOCUMENT, PreparedData
from core.data.space_marks import count_marked_targets, space_mark_notes
from core.data.splits import SPLITS
from core.data.subwords import SubwordModels, read_models, write_models
from core.data.subwords_per_side import learn_each_side
from core.data.tokenizer_settings import require_subwords, resolve_tokenizer, with_size
from core.data.tokenizers import make_tokenizer
from core.data.unchanged_files import compute_stamp, find_by_stamp, require_unchanged, stat_files, write_stamp
from core.data.unicode_forms import unicode_form_notes
from core.data.vocabulary import Vocabulary
from core.data.vocabulary_builder import Symbols, VocabularyBuilder, order_symbols
from core.events import Progress, Trouble
from core.machine.garbage_collection import gc_suspended
from core.plugins_host.host import PluginHost
from core.plugins_host.plugin_info import is_built_in
from core.plugins_host.split_drawing import draw_lines

_LAYOUT = 2  # version of the cache folders; increased when older ones would be misread
_SUBWORDS_SEPARATOR = "-"  # in the name of a folder whose subwords come from a run

ProgressWork = Generator[Progress, None, None]


def prepare_data(
    dataset: DatasetConfig,
    host: PluginHost,
    cache_dir: Path,
    known: PreparedData | None = None,
    local_options: dict[str, Any] | None = None,
) -> Generator[Progress | Trouble, None, PreparedData]:
    """Draw, tokenise and cache a dataset; if the same pairs were prepared the same way before, use the cached ones.

    For a run that goes on, `known` is what it knows of its data. Its subwords are used, which otherwise are learned
    from the train split, and its tokens, limits, examples and options as they were recorded: the plugin may give others
    today, or have more options. `local_options` give the pairs if the options of `dataset` no longer do, say because a
    corpus was moved; the fingerprint is still made with the recorded ones, so that it shows whether the pairs are the
    same. Pairs are drawn again, as only this shows whether a plugin still gives the same ones, unless they come from
    files that the plugin names and that are unchanged, or from a built-in plugin with the same code. Yields often, so
    that the caller can stop between two chunks; closing the generator leaves nothing behind. At the end, it yields as
    notes what a user should know about these pairs.

    Raises UserError for unusable options, plugins or pairs, and for a cache that cannot be written.
    """
    with building_folder(cache_dir) as building, gc_suspended():
        preparation = _Preparation(dataset, host, building, known, local_options)
        folder = preparation.find_unchanged_folder(cache_dir)
        if folder is None:
            yield from preparation.draw()
            folder = preparation.folder_in(cache_dir)
            if not is_intact(folder):
                yield from preparation.tokenise()
                PreparedData.open(building, dataset).require_lengths()  # refused data are not cached
                publish(building, folder)
            preparation.write_stamp(folder)
        data = PreparedData.open(folder, dataset)
        data.require_lengths()  # cached data may have been prepared with lengths that leave long pairs out
        mark_used_and_evict(cache_dir, folder)
        data = replace(
            data,
            alignments_fit=preparation.uses_plugin_tokenizer,
            text_form=preparation.text_form,  # the plugin's present one: an earlier version may have given less
            local_options=preparation.local_options,
        )
        yield from long_pair_notes(data, dataset)
        yield from leakage_notes(data)
        yield from space_mark_notes(data)
        yield from unicode_form_notes(data)
        yield from misalignment_notes(data, dataset.plugin)
        return data


class _Preparation:
    """Prepares one dataset in the folder `building`."""

    def __init__(
        self,
        dataset: DatasetConfig,
        host: PluginHost,
        building: Path,
        known: PreparedData | None,
        local_options: dict[str, Any] | None,
    ) -> None:
        self._host, self._building = host, building
        self._models: SubwordModels = known.subword_models if known else {}
        self._info = host.info(dataset.plugin)
        self._is_resumed = known is not None
        recorded = host.options(dataset.plugin, dataset.options, accepted=self._is_resumed)
        self.local_options = None if local_options is None else resolve_local_options(dataset, local_options, host)
        self._options = options = self.local_options or recorded
        self._config = resolve_tokenizer(dataset.tokenizer, self._info)
        if not self._is_resumed:  # a run that goes on was checked when it began
            require_subwords(self._config)
        if self._config.size == "auto" and not self._learns_subwords:
            self._config = with_size(self._config, AUTO_SIZE)
        named = known.dataset.options if known else recorded  # the plugin may have got more options since
        self._dataset = dataset.model_copy(update={"options": named, "tokenizer": self._config})
        self._symbols = self._listed_symbols(known.own_tokens if known else None)
        self._num_drawn: dict[str, int] = {}
        self._left_out: dict[str, int] = {}  # by split: pairs left out by the plugin, if any
        self._marked_targets: dict[str, int] = {}  # by split, if targets are cut into subwords
        self._corpus_tokenizer: CorpusTokenizer | None = None
        self._plugin_facts = {
            "endless": self._info.endless,
            "limits": known.limits if known else host.limits(dataset.plugin, options),
            "examples": known.examples if known else host.examples(dataset.plugin, options),
        }
        self.text_form = host.text_form(dataset.plugin, recorded)  # the options decide it
        self._content = self._recipe_hash()
        files = host.files(dataset.plugin, options)
        is_known = bool(files) or is_built_in(self._info)  # what decides the pairs; other code may depend on anything
        self._files = stat_files(files)
        # Pairs made with other options than the recorded ones must not be found by a new run.
        made_by = [self.fingerprint, options, host.code_hash(dataset.plugin), self._symbols]
        self._stamp = compute_stamp(made_by, self._files) if is_known else None

    def _recipe_hash(self) -> hashlib._Hash:
        """A hash of all that decides the result but the texts. The allowed lengths do not: they only select from it."""
        dataset = self._dataset.model_dump(exclude={"max_src_length", "max_tgt_length"})
        recipe = {**self._plugin_facts, "dataset": dataset}
        return hashlib.sha256(json.dumps([_LAYOUT, recipe], sort_keys=True).encode())

    @property
    def fingerprint(self) -> str:
        """A hash of everything that decides the result, including the texts; final once all pairs are drawn.

        If the number of subwords is auto, it changes when the number is found, to that of the same pairs with this
        number set.
        """
        return self._content.hexdigest()[:32]

    @property
    def uses_plugin_tokenizer(self) -> bool:
        """Whether texts are cut by the plugin's own tokenizers."""
        return (self._config.src, self._config.tgt) == self._info.tokenizer

    def find_unchanged_folder(self, cache_dir: Path) -> Path | None:
        """The folder prepared from the same files, judged by their metadata; None if the pairs must be drawn."""
        found = find_by_stamp(cache_dir, self._stamp) if self._stamp else []
        return next((folder for folder in found if self._has_its_subwords(folder) and is_intact(folder)), None)

    def _has_its_subwords(self, folder: Path) -> bool:
        return read_models(folder) == self._models if self._models else _SUBWORDS_SEPARATOR not in folder.name

    def write_stamp(self, folder: Path) -> None:
        """Store the metadata of the files this was made of, so that it is found again without reading them."""
        if self._stamp:
            write_stamp(folder, self._stamp)

    def folder_in(self, cache_dir: Path) -> Path:
        """The cache folder of this: a separate one if a run brings subwords that were not learned from these texts.

        In the usual folder, a new run would take them for the subwords of these texts.
        """
        folder = cache_dir / (self.fingerprint + self._extra_digest())
        if not self._models or read_models(folder) == self._models:
            return folder
        brought = hashlib.sha256(b"".join(self._models.values())).hexdigest()[:8]
        return folder.with_name(f"{folder.name}{_SUBWORDS_SEPARATOR}{brought}")

    def draw(self) -> ProgressWork:
        """Write every split's pairs as they come, and their ids too if no subwords must be learned first.

        Of endless training data, this is the first shard. While a chunk is processed here, the plugin's process draws
        the next. Raises UserError if a file has changed meanwhile: a plugin may read it again for each split.
        """
        if not self._learns_subwords:
            self._corpus_tokenizer = self._start_tokenising(self._models)
        for split in SPLITS:
            yield from self._draw_split(split)
        require_unchanged(self._files)

    def _draw_split(self, split: str) -> ProgressWork:
        dataset, ids = self._dataset, self._corpus_tokenizer
        drawing = draw_lines(self._host, dataset.plugin, self._options, dataset.seed, split, accepted=self._is_resumed)
        with pair_writer(self._stem(split)) as write, ids.split(split) if ids else nullcontext() as tokenise:
            drawn = 0
            for lines in drawing:
                if lines.left_out:
                    self._left_out[split] = lines.left_out
                if not lines:
                    continue  # the last chunk; going on lets the host check the split as a whole
                write(lines)
                self._content.update(lines.lines)
                if "tgt" in self._config.subwords:
                    self._marked_targets[split] = self._marked_targets.get(split, 0) + count_marked_targets(lines)
                if tokenise:
                    tokenise(lines)
                drawn += len(lines)
                total = round(drawn / lines.share_read) if lines.share_read else None
                yield Progress(stage=f"drawing {split} pairs", done=drawn, total=total)
        self._content.update(split.encode())
        self._num_drawn[split] = drawn

    @property
    def _learns_subwords(self) -> bool:
        return bool(self._config.subwords) and not self._models

    def _start_tokenising(self, models: SubwordModels) -> CorpusTokenizer:
        """Start tokenising with these subwords."""
        write_models(self._building, models)
        builder = VocabularyBuilder(
            plugin=self._dataset.plugin,
            config=self._config,
            src_tokenizer=make_tokenizer(self._config.src, models.get("src")),
            tgt_tokenizer=make_tokenizer(self._config.tgt, models.get("tgt")),
            symbols=self._symbols,
        )
        return CorpusTokenizer(self._building, builder)

    def tokenise(self) -> ProgressWork:
        """Finish new pairs: make their ids if that had to wait for the subwords, and choose the vocabularies."""
        if self._corpus_tokenizer is None:
            learning = learn_each_side(self._config, self._stem("train"), self._num_drawn["train"])
            models, self._config = yield from learning
            self._dataset = self._dataset.model_copy(update={"tokenizer": self._config})
            self._corpus_tokenizer = self._start_tokenising(models)
            self._content = self._recipe_hash()
            for split in SPLITS:
                yield from self._tokenise_split(split, self._corpus_tokenizer)
        src, tgt = yield from self._corpus_tokenizer.finish()
        self._write_document(src, tgt, (yield from count_leaked_sources(self._building)) if self._files else {})

    def _tokenise_split(self, split: str, ids: CorpusTokenizer) -> ProgressWork:
        done = 0
        with ids.split(split) as tokenise:
            for lines in read_pair_lines(self._stem(split)):
                tokenise(lines)
                self._content.update(lines.lines)
                done += len(lines)
                yield Progress(stage=f"tokenising {split} pairs", done=done, total=self._num_drawn[split])
        self._content.update(split.encode())

    def _listed_symbols(self, symbols: Symbols | None) -> Symbols | None:
        """The tokens of endless data: the run's own or the plugin's present ones; None if the plugin lists none.

        A side cut into subwords has an empty list: the texts decide its tokens, or the run's own models.
        """
        if not self._info.endless:
            return None
        symbols = symbols or self._host.symbols(self._dataset.plugin, self._options)
        if symbols is None:
            return None
        src, tgt = order_symbols(symbols, shared=self._config.shared)
        learned = self._config.subwords
        return [] if "src" in learned else src, [] if "tgt" in learned else tgt

    def _extra_digest(self) -> str:
        """A hash of the listed tokens and of the pairs left out, which the fingerprint does not cover."""
        extra = [one for one in (self._symbols, self._left_out) if one]
        return hashlib.sha256(json.dumps(extra).encode()).hexdigest()[:8] if extra else ""

    def _write_document(self, src: Vocabulary, tgt: Vocabulary, leaked: Leaked) -> None:
        document = self._plugin_facts | {
            "dataset": self._dataset.model_dump(mode="json"),
            "text_form": self.text_form,
            "src_tokens": src.own_tokens,
            "tgt_tokens": tgt.own_tokens,
            "fingerprint": self.fingerprint,
            "leaked": leaked,
            "plugin_left_out": self._left_out,
            "marked_targets": self._marked_targets,
        }
        (self._building / DOCUMENT).write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")

    def _stem(self, split: str) -> Path:
        return self._building / split
