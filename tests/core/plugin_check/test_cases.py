"""Plugins with one fault each, kept in cases/: the check reports each with a sentence that helps its author.

The same engine checks them all, which shows that none affects the next.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.answers.plugin_report import Bounds
from core.engine import Engine
from core.requests import CheckPlugin
from tests.core.watcher import answered

CASES = Path(__file__).parent / "cases"
SHORT = Bounds(answer_seconds=1.0)
"""The bounds for plugins that hang."""

# file -> essential words of its findings, in this order
SENTENCES = {
    "alignment_beyond": ("Pair 1 of the train split has 6 source and 6 target tokens", "[(6, 6)]", "from 0"),
    "bad_default": ("default of dataset.options.length: expected a whole number from 1 to 9, given 99", "line 10"),
    "bad_name": ("needs a name of lower-case letters, digits and underscores", "line 9"),
    "changes_directory": ("changed the working directory to /; expected no change", "without os.chdir"),
    "constant_target": ("Every target of the train split is 'abc'", "Make the target from the source"),
    "crashes": ("crashed (SIGSEGV)", "line 20", "Let it raise an exception instead"),
    "draw_returns_none": ("draw_for was given a function that returned None, expected Pair(source, target)",),
    "duplicates": ("99.0 % of the pairs of the train split repeat an earlier pair", "more different pairs"),
    "exhausts_memory": ("MemoryError", "line 20", "Yield each pair as it is made instead of keeping all"),
    "empty_split": ("gives no pairs for its valid split", "at least one pair for each of train, valid and test"),
    "empty_target": ("Pair 7 of the train split has an empty target", "Leave such pairs out"),
    "undeclared_endless": (
        "does not end its train split within 5,000 pairs",
        "endless = True",
        "takes up to 50,000,000",
    ),
    "ends_process": ("ended its process (exit code 3)", "Let it raise an exception instead"),
    "endless_that_ends": ("says endless = True, but its train split ended after 1 pair (", "Remove endless = True"),
    "unreadable_example": ("The example 'xyz' has the token 'x'", "what a model of this data can read"),
    "endless_valid_split": ("does not end its valid split within 5,000 pairs", "1,000 pairs are enough", "endless = "),
    "exits": ("SystemExit: 3", "line 20", "instead of exiting"),
    "missing_files": ("files() names '/no/such/pairs.txt', which does not exist", "Name each in full"),
    "files_text": ("files() returned 'pairs.txt', expected a list of texts", "line 21", "Fix it"),
    "lone_surrogate": ("Pair 1 cannot be written as UTF-8 (surrogates not allowed)", "line 19"),
    "depends_on_hash": ("with the same seed in another process", "use split_of() or hashlib, and sorted()"),
    "ignores_rng": ("gives the same pairs whatever its rng", "remove endless = True"),
    "leaks": (
        "9 of the 90 different sources of the valid split are in the train split too",
        "split_of(source) == split",
    ),
    "late_leak": ("different sources of the valid split are in the train split too", "split_of(source) == split"),
    "endless_leak": (
        "Given the same rng, the train split and the valid split both have the source",
        "Draw with draw_for(split, ...)",
    ),
    "limit_in_percent": ("limits() gives 'valid/token_accuracy' as 97, which is impossible", "from 0 to 1"),
    "limit_nan": ("limits() gives 'valid/loss' as nan; expected a finite number", "Leave it out"),
    "limit_of_training": ("limits() names 'train/loss', which no validation has", "expected one of valid/loss"),
    "limit_per_pair": (
        "limits() gives 'valid/loss' as 9.7, but guessing by the frequency of target tokens alone",
        "number of target tokens",
    ),
    "limit_unknown": ("limits() names 'valid/los'", "expected one of valid/loss", "Correct the name"),
    "limit_without_prefix": (
        "limits() names 'first_right', which in curves and validations is 'valid/first_right'",
        "Write 'valid/first_right' in limits(); metrics() returns it without valid/",
    ),
    "loses_spaces": ("cut into tokens and joined again", "expected the same text", "Put one space between tokens"),
    "metrics_fall": ("'wer' falls as outputs get better, and is taken to rise", "Call it wer_error_rate"),
    "metrics_rise": ("'without_error' rises as outputs get better, and is taken to fall", "Name it differently"),
    "metrics_built_in": (
        *("metrics() returns 'bleu', which Headlight measures itself", "Name it differently"),
        "metrics() returns 'tokenized_bleu', which Headlight measures itself",
    ),
    "metrics_with_prefix": (
        "metrics() returns 'valid/letters', which in curves and validations is 'valid/valid/letters'",
        "Return it as 'letters'",
    ),
    "metrics_not_finite": ("metrics() gives 'a_share' as inf where all outputs are empty", "Return 0.0"),
    "metrics_raise": ("ZeroDivisionError: division by zero", "line 22", "Fix it"),
    "metrics_text": ("metrics() returned {'score': 'good'}, expected numbers by name",),
    "missing_module": ("No module named 'a_module_that_is_not_there'", "line 6", "install it beside Headlight"),
    "misspelled_member": ("Nothing uses 'example' (", "line 21); expected 'examples'", "Rename it, or remove it"),
    "much_padding": ("of a batch of the default size is padding", "training.batch_tokens"),
    "no_pairs": ("does not define pairs(self, split, rng)",),
    "no_plugin": ("does not define PLUGIN", "end it with `PLUGIN = YourClass`"),
    "no_title": ("needs a title",),
    "not_a_plugin": ("expected a class derived from DatasetPlugin",),
    "not_pairs": ("Pair 1 is (", "expected Pair(source, target)", "line 19"),
    "not_texts": ("expected a source and a target that are texts", "line 19"),
    "unsupported_option_type": (
        "Option 'shares' has a type that the window's form cannot hold",
        "line 10",
        "Make each option an int, float, bool, str, Literal",
        "Folder or File.",
    ),
    "option_minimum_fails": (
        "With the option longest = 1: ",
        "ValueError: empty range",
        "or narrow the range, or have check() refuse it",
    ),
    "prints_much": ("printed more than 1,000 lines, such as 'here'; ", "expected little", "Remove the print"),
    "prints_a_long_line": ("printed more than 1 MB, such as 'here here", "expected little or nothing"),
    "raises_late": ("ZeroDivisionError", "line 19"),
    "random_target": ("has not learned the first 32 training pairs", "make each target follow from its source"),
    "reads_the_clock": ("drawn twice with the same seed, pair 1 is", "the clock"),
    "keeps_state": ("drawn twice with the same seed, pair 1 is", "an earlier call left behind"),
    "returns_one_pair": ("pairs() returned one pair, expected it to yield Pair(source, target)",),
    "returns_nothing": ("pairs() returned None, expected it to yield Pair(source, target)",),
    "same_splits": ("100 of the 100 different sources of the test split", "declare splits_overlap = True"),
    "sleeps": ("gave no answer within 1 s", "line 20", "Let it answer without waiting"),
    "sleeps_on_import": ("gave no answer within 1 s", "line 9", "Let it answer without waiting"),
    "special_token": ("holds <pad>, a special token", "Write it differently"),
    "missing_symbols": ("The target token 'f'", "is not among those that symbols() lists", "Add it to symbols()"),
    "symbols_of_a_set": (
        "In another process, symbols() lists other source tokens, or in another order: token 0 is",
        "expected the same. hash() of a text and the order of a set",
        "sorted()",
    ),
    "syntax_error": ("SyntaxError", "line 6"),
    "text_form_text": ("text_form() returned 'lower', expected a TextForm", "line 21", "Fix it"),
    "thread_fails": (
        "printed LookupError: no such word",
        "line 11); expected no exception",
        "let pairs() raise it too",
    ),
    "too_large": ("Pair 1 has 10,000,006 characters, expected at most 1,000,000", "line 19"),
    "too_long": ("The longest source of the train split has 3,000 tokens; expected at most 1,000", "shorter"),
    "unknown_in_valid": (
        "100 % of the source tokens of the valid split are in no pair of the train split",
        "This check cuts them by the plugin's own tokenizer, characters; a run with another dataset.tokenizer",
    ),
    "options_of_another_class": ("Broken names Lengths in its brackets, expected a class derived from Options",),
    "unknown_tokenizer": ("has tokenizer 'words', expected 'characters', 'whitespace', 'subword', 'subword_unigram'",),
    "unseeded": ("drawn twice with the same seed, pair 1 is", "not from the module random"),
}
BOUNDS = {
    "undeclared_endless": Bounds(max_pairs=5000),
    "endless_valid_split": Bounds(max_pairs=5000),
    "random_target": Bounds(learn_seconds=1.0),
    "sleeps": SHORT,
    "sleeps_on_import": SHORT,
}

REPORTED_ONCE = {
    "alignment_beyond",
    "depends_on_hash",
    "loses_spaces",
    "unsupported_option_type",
    "metrics_with_prefix",
    "missing_symbols",
    "symbols_of_a_set",
    "unseeded",
}
"""The cases that several checks could report."""
HARMS_ITS_PROCESS = {
    *("crashes", "ends_process", "exhausts_memory", "sleeps", "sleeps_on_import"),
    *("changes_directory", "prints_a_long_line", "prints_much", "thread_fails"),
}
"""The cases whose checks need their own processes."""
ONLY_ON_LINUX = {"crashes", "exhausts_memory"}  # other systems report other signals and do not limit memory
CASES_HERE = sorted(SENTENCES if sys.platform == "linux" else set(SENTENCES) - ONLY_ON_LINUX)


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine() as engine:
        engine.plugins()  # starts its plugin process
        yield engine


def test_every_case_has_its_sentence() -> None:
    assert sorted(path.stem for path in CASES.glob("*.py")) == sorted(SENTENCES)


@pytest.mark.usefixtures("check_hosts")
@pytest.mark.parametrize("case", CASES_HERE)
def test_the_findings_say_what_to_fix(engine: Engine, case: str, request: pytest.FixtureRequest) -> None:
    if case not in HARMS_ITS_PROCESS:
        request.getfixturevalue("checks_share_hosts")
    check = CheckPlugin(
        plugin=str(CASES / f"{case}.py"), with_learning=case == "random_target", bounds=BOUNDS.get(case, Bounds())
    )
    report = answered(engine, check)
    assert not report.is_clean
    reported = "\n".join(map(str, report.findings))
    for words in SENTENCES[case]:
        assert words in reported
        reported = reported[reported.index(words) :]
    assert case not in REPORTED_ONCE or len(report.findings) == 1


def test_the_valid_names_of_limits_are_listed_once_each(engine: Engine, tmp_path: Path) -> None:
    written = (CASES / "metrics_built_in.py").read_text(encoding="utf-8")
    limits = "    def limits(self) -> Mapping[str, float]:\n        return {'valid/los': 0.5}\n\n\nPLUGIN ="
    plugin = tmp_path / "limited.py"
    plugin.write_text(written.replace("\nPLUGIN =", limits), encoding="utf-8")
    report = answered(engine, CheckPlugin(plugin=str(plugin), with_learning=False))
    (reported,) = (str(finding) for finding in report.findings if finding.check == "limits")
    assert reported.count("valid/bleu") == 1 and "train/loss" not in reported


def test_a_good_plugin_is_clean_after_all_faulty_ones(engine: Engine) -> None:
    report = answered(engine, CheckPlugin(plugin="copy_task", bounds=Bounds(shards_seconds=0.0)))
    assert report.is_clean and report.findings == ()
    assert report.learnability is not None and report.learnability.is_learned
