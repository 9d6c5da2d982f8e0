"""Draws a plugin's pairs and tokenises them once, into a folder of the cache that is found again by its content."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Generator, Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from core.config import AUTO_SIZE, Auto, DatasetConfig, SubwordName, TokenizerConfig
from core.data.cache import building_folder, is_whole, publish, tidy
from core.data.choosing_tokens import Symbols, TokenChoice, listed
from core.data.far_longer import told_of_far_longer
from core.data.leaked import Leaked, leaked_sources, told_of_leaked
from core.data.learning_subwords import Sides, SizeTooSmall, learn_subwords, require_size, sizes_given
from core.data.misaligned import told_of_misaligned
from core.data.pair_texts import growing_texts, read_pair_lines
from core.data.prepared_data import DOCUMENT, PreparedData
from core.data.splits import SPLITS
from core.data.subwords import SubwordModels, models_in, write_models
from core.data.tokenising import Tokenising
from core.data.tokenizers import make_tokenizer
from core.data.unchanged_files import find_unchanged, look_at, remember, require_unchanged, stamp_of
from core.data.vocabulary import Vocabulary
from core.errors import UserError
from core.events import Progress, Trouble
from core.machine.garbage import no_collections
from core.plugins_host.host import PluginHost
from core.plugins_host.info import PluginInfo, is_built_in
from core.settings.errors import first_error

_LAYOUT = 2  # of the cache's folders; grows when an older one would be misread
_APART = "-"  # in the name of a folder with the subwords that a run brought

Working = Generator[Progress, None, None]


def prepare_data(
    dataset: DatasetConfig,
    host: PluginHost,
    cache_dir: Path,
    models: SubwordModels | None = None,
    options_here: dict[str, Any] | None = None,
    symbols: Symbols | None = None,
) -> Generator[Progress | Trouble, None, PreparedData]:
    """Draw, tokenise and keep a dataset; found again where the same pairs were prepared the same way before.

    `models` are the subwords of a run that goes on; without them, they are learned from the train split. `symbols` are
    its tokens: of endless data the plugin lists them, and may list others today, or in another order. `options_here`
    give the pairs where those of `dataset` no longer do, since a corpus was moved; fingerprint and data are still those
    of `dataset`, so that whether the pairs are the same ones is seen by the fingerprint. The pairs are
    drawn anew, since only they tell whether a plugin still gives the same, but for those of files that a plugin names
    and nobody has touched since, and those of a plugin of ours whose code is the same. Yields often, so that whoever
    drives it can stop between two chunks; closed half-way, it leaves nothing behind. At the end, what a person should
    know of these pairs is yielded as a note.
    Raises UserError for options, plugins or pairs that will not do, and for a cache that cannot be written.
    """
    with building_folder(cache_dir) as building, no_collections():
        preparation = _Preparation(dataset, host, building, models or {}, options_here, symbols)
        folder = preparation.unchanged_in(cache_dir)
        if folder is None:
            yield from preparation.draw()
            folder = preparation.folder_in(cache_dir)
            if not is_whole(folder):
                yield from preparation.tokenise()
                PreparedData.open(building, dataset).require_lengths()  # what is refused is not kept
                publish(building, folder)
            preparation.remember(folder)
        data = PreparedData.open(folder, dataset)
        data.require_lengths()  # it may have been kept when lengths were set that leave long pairs out
        tidy(cache_dir, folder)
        data = replace(
            data,
            alignments_fit=preparation.has_the_plugins_tokens,
            text_form=preparation.text_form,  # the plugin's of today: an earlier one may have told less of it
            options_here=preparation.options_here,
        )
        yield from told_of_far_longer(data, dataset)
        yield from told_of_leaked(data)
        yield from told_of_misaligned(data, dataset.plugin)
        return data


class _Preparation:
    """One dataset on its way into `building`."""

    def __init__(
        self,
        dataset: DatasetConfig,
        host: PluginHost,
        building: Path,
        models: SubwordModels,
        options_here: dict[str, Any] | None,
        symbols: Symbols | None,
    ) -> None:
        self._host, self._building, self._models = host, building, models
        self._info = host.info(dataset.plugin)
        self._has_begun = symbols is not None
        recorded = host.options(dataset.plugin, dataset.options, accepted=self._has_begun)
        self.options_here = None if options_here is None else _set_here(dataset, options_here, host)
        self._options = options = self.options_here or recorded
        self._config = _tokenizer(dataset.tokenizer, self._info)
        if not self._has_begun:  # of a run that goes on, whoever began it has decided
            _require_subwords(self._config)
        if self._config.size == "auto" and not self._learns:
            self._config = _of_size(self._config, AUTO_SIZE)
        self._dataset = dataset.model_copy(update={"options": recorded, "tokenizer": self._config})
        self._symbols = self._listed(symbols)
        self._drawn: dict[str, int] = {}
        self._left_out: dict[str, int] = {}  # by the plugin, of the splits of which it has
        self._tokenising: Tokenising | None = None
        self._told = {
            "endless": self._info.endless,
            "limits": host.limits(dataset.plugin, options),
            "examples": host.examples(dataset.plugin, options),
        }
        self.text_form = host.text_form(dataset.plugin, recorded)  # the options say it
        self._content = self._without_texts()
        files = host.files(dataset.plugin, options)
        is_known = bool(files) or is_built_in(self._info)  # what decides the pairs: of another's code, nobody knows
        self._files = look_at(files)
        # Others than the recorded options may have given these pairs: a new run must not find them.
        made_by = [self.fingerprint, options, host.code(dataset.plugin), self._symbols]
        self._stamp = stamp_of(made_by, self._files) if is_known else None

    def _without_texts(self) -> hashlib._Hash:
        """Of what else decides the result. The allowed lengths do not: they choose from it when it is opened."""
        recipe = {**self._told, "dataset": self._dataset.model_dump(exclude={"max_src_length", "max_tgt_length"})}
        return hashlib.sha256(json.dumps([_LAYOUT, recipe], sort_keys=True).encode())

    @property
    def fingerprint(self) -> str:
        """Of everything that decides the result, the texts included; known once all pairs are drawn.

        Where the number of subwords was left to the texts, it is another one once it is found: that of the same pairs
        with just this number.
        """
        return self._content.hexdigest()[:32]

    @property
    def has_the_plugins_tokens(self) -> bool:
        """Whether texts are cut as the plugin has them cut where nobody says otherwise."""
        return (self._config.src, self._config.tgt) == self._info.tokenizer

    def unchanged_in(self, cache_dir: Path) -> Path | None:
        """Where this was prepared from the same files, as far as the system tells; None where it must be drawn."""
        found = find_unchanged(cache_dir, self._stamp) if self._stamp else []
        return next((folder for folder in found if self._has_its_subwords(folder)), None)

    def _has_its_subwords(self, folder: Path) -> bool:
        return models_in(folder) == self._models if self._models else _APART not in folder.name

    def remember(self, folder: Path) -> None:
        """Note of what files this was made, to be found again without them."""
        if self._stamp:
            remember(folder, self._stamp)

    def folder_in(self, cache_dir: Path) -> Path:
        """Where this is kept: apart, where a run brings its subwords, unless just those were learned here.

        Under the plain name a new run would take them for what is learned of these texts.
        """
        folder = cache_dir / (self.fingerprint + self._digest_of_what_texts_do_not_tell())
        if not self._models or (is_whole(folder) and models_in(folder) == self._models):
            return folder
        brought = hashlib.sha256(b"".join(self._models.values())).hexdigest()[:8]
        return folder.with_name(f"{folder.name}{_APART}{brought}")

    def draw(self) -> Working:
        """Write every split's pairs as they come, and their ids where nothing is to be learned of all pairs first.

        Of endless training data, the first shard. While a chunk is worked on here, the plugin's process draws the next.
        Raises UserError where a file has changed meanwhile: a plugin may read it for each split anew.
        """
        if not self._learns:
            self._tokenising = self._started(self._models)
        for split in SPLITS:
            yield from self._draw_split(split)
        require_unchanged(self._files)

    def _draw_split(self, split: str) -> Working:
        dataset, ids = self._dataset, self._tokenising
        drawing = self._host.lines(dataset.plugin, self._options, dataset.seed, split, accepted=self._has_begun)
        with growing_texts(self._stem(split)) as keep, ids.split(split) if ids else nullcontext() as cut:
            drawn = 0
            for lines in drawing:
                if lines.left_out:
                    self._left_out[split] = lines.left_out
                if not lines:
                    continue  # at the end, where the host may have something to say of them all
                keep(lines)
                self._content.update(lines.lines)
                if cut:
                    cut(lines)
                drawn += len(lines)
                total = round(drawn / lines.share) if lines.share else None
                yield Progress(stage=f"drawing {split} pairs", done=drawn, total=total)
        self._content.update(split.encode())
        self._drawn[split] = drawn

    @property
    def _learns(self) -> bool:
        return bool(self._config.subwords) and not self._models

    def _started(self, models: SubwordModels) -> Tokenising:
        """Cutting into tokens, with these subwords."""
        write_models(self._building, models)
        choice = TokenChoice(
            config=self._config,
            src_tokenizer=make_tokenizer(self._config.src, models.get("src")),
            tgt_tokenizer=make_tokenizer(self._config.tgt, models.get("tgt")),
            symbols=self._symbols,
        )
        return Tokenising(self._building, choice)

    def tokenise(self) -> Working:
        """What is left where the pairs are new: make ids of them if that had to wait, and choose the vocabularies."""
        if self._tokenising is None:
            self._tokenising = self._started((yield from self._learned_subwords()))
            self._content = self._without_texts()
            for split in SPLITS:
                yield from self._tokenise_split(split, self._tokenising)
        src, tgt = yield from self._tokenising.finish()
        self._write_document(src, tgt, (yield from leaked_sources(self._building)) if self._files else {})

    def _tokenise_split(self, split: str, ids: Tokenising) -> Working:
        done = 0
        with ids.split(split) as cut:
            for lines in read_pair_lines(self._stem(split)):
                cut(lines)
                self._content.update(lines.lines)
                done += len(lines)
                yield Progress(stage=f"tokenising {split} pairs", done=done, total=self._drawn[split])
        self._content.update(split.encode())

    def _learned_subwords(self) -> Generator[Progress, None, SubwordModels]:
        """Those of each side. Of a size that is too small for several, the one refusal that holds for all is raised."""
        models, refusals = dict[str, bytes](), list[SizeTooSmall]()
        for sides, name in self._to_learn():
            try:
                learning = learn_subwords(name, self._stem("train"), self._drawn["train"], sides, self._config.size)
                models[sides] = yield from learning
            except SizeTooSmall as error:
                refusals.append(error)
        if refusals:
            raise max(refusals, key=lambda error: error.needed)
        if self._config.size == "auto":
            self._config = _of_size(self._config, max(sizes_given(models).values()))
            self._dataset = self._dataset.model_copy(update={"tokenizer": self._config})
        else:
            require_size(models, self._config.size)
        return dict.fromkeys(("src", "tgt"), models["both"]) if "both" in models else models

    def _to_learn(self) -> Iterator[tuple[Sides, SubwordName]]:
        if self._config.shares_subwords:
            yield "both", self._config.subwords["src"]
        else:
            yield from self._config.subwords.items()

    def _listed(self, symbols: Symbols | None) -> Symbols | None:
        """The tokens of endless data: the run's own, or those that the plugin lists today; none where it lists none.

        Subwords are what the texts decide, or the run's own models.
        """
        if not self._info.endless:
            return None
        symbols = symbols or self._host.symbols(self._dataset.plugin, self._options)
        if symbols is None:
            return None
        src, tgt = listed(symbols, shared=self._config.shared)
        learned = self._config.subwords
        return [] if "src" in learned else src, [] if "tgt" in learned else tgt

    def _digest_of_what_texts_do_not_tell(self) -> str:
        """By the fingerprint alone, one list of tokens or one number of pairs left out would be found for another."""
        told = [one for one in (self._symbols, self._left_out) if one]
        return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:8] if told else ""

    def _write_document(self, src: Vocabulary, tgt: Vocabulary, leaked: Leaked) -> None:
        document = self._told | {
            "dataset": self._dataset.model_dump(mode="json"),
            "text_form": self.text_form,
            "src_tokens": src.own_tokens,
            "tgt_tokens": tgt.own_tokens,
            "fingerprint": self.fingerprint,
            "leaked": leaked,
            "plugin_left_out": self._left_out,
        }
        (self._building / DOCUMENT).write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")

    def _stem(self, split: str) -> Path:
        return self._building / split


def _set_here(dataset: DatasetConfig, options_here: dict[str, Any], host: PluginHost) -> dict[str, Any]:
    """The options of a run that goes on, some set anew; what its plugin refuses today of its own is none of these."""
    refused = _refusal(dataset.options, dataset, host)
    is_known = refused is not None and _refusal(options_here, dataset, host) == refused
    return host.options(dataset.plugin, options_here, accepted=is_known)


def _refusal(options: dict[str, Any], dataset: DatasetConfig, host: PluginHost) -> str | None:
    try:
        host.options(dataset.plugin, options)
    except UserError as error:
        return str(error)
    return None


def _tokenizer(asked: Auto | TokenizerConfig, info: PluginInfo) -> TokenizerConfig:
    """What was chosen, and the plugin's own where nobody did."""
    chosen = TokenizerConfig() if asked == "auto" else asked
    sides = {"src": (chosen.src, info.tokenizer[0]), "tgt": (chosen.tgt, info.tokenizer[1])}
    found = {side: own if name == "auto" else name for side, (name, own) in sides.items()}
    try:
        return TokenizerConfig.model_validate(chosen.model_dump() | found)
    except ValidationError as error:  # only with the plugin's own do the chosen keys contradict each other
        _, sentence = first_error(error, TokenizerConfig)
        raise UserError(
            f"dataset.tokenizer.{sentence}",
            f"Plugin {info.name!r} has {' and '.join(info.tokenizer)} where src and tgt are auto: choose both.",
        ) from None


def _require_subwords(config: TokenizerConfig) -> None:
    """Raise UserError where a number of subwords was chosen and no side has any: AUTO_SIZE is what a run spells out."""
    if config.size not in ("auto", AUTO_SIZE) and not config.subwords:
        raise UserError(
            f"dataset.tokenizer.size = {config.size:,} has no effect: src is {config.src} and tgt is {config.tgt}.",
            "Set src, tgt or both to subword or subword_unigram, or size to auto.",
        )


def _of_size(config: TokenizerConfig, size: int) -> TokenizerConfig:
    return config.model_copy(update={"size": size})
