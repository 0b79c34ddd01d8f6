"""Which language a call speaks, and that English costs nothing."""

from __future__ import annotations

import subprocess
import sys

import pytest

from grader.report import language


@pytest.mark.parametrize(
    ("words", "environment", "encoding", "expected"),
    [
        ([], {}, "utf-8", "en"),
        ([], {"LANG": "zh_CN.UTF-8"}, "utf-8", "zh"),
        ([], {"LANG": "zh_CN.GB18030"}, "gb18030", "zh"),
        ([], {"LANG": "zh_CN.UTF-8"}, "ascii", "en"),
        ([], {"LANG": "zh_CN.UTF-8"}, None, "en"),
        ([], {"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, "utf-8", "en"),
        ([], {"LANG": "en_US.UTF-8", "LC_MESSAGES": "zh_CN.UTF-8"}, "utf-8", "zh"),
        ([], {"LANG": "zh_CN.UTF-8", "LC_ALL": ""}, "utf-8", "zh"),
        ([], {"LANG": "zhuang"}, "utf-8", "en"),
        ([], {"LANG": "C", "GRADER_LANG": "zh"}, "ascii", "zh"),
        ([], {"LANG": "zh_CN.UTF-8", "GRADER_LANG": "en"}, "utf-8", "en"),
        (["hw1", "--lang", "zh"], {}, "ascii", "zh"),
        (["hw1", "--lang=zh"], {}, "utf-8", "zh"),
        (["hw1", "--lang", "en"], {"GRADER_LANG": "zh"}, "utf-8", "en"),
        (["hw1", "--", "--lang", "zh"], {}, "utf-8", "en"),
        (["hw1", "--lang"], {}, "utf-8", "en"),
    ],
)
def test_choice(words: list[str], environment: dict[str, str], encoding: str | None, expected: str) -> None:
    """`--lang` before GRADER_LANG before the locale; a locale counts only where Chinese can be shown."""
    assert expected == language.choose(words, environment, encoding)


@pytest.mark.parametrize(("lang", "loaded"), [("en", "[]"), ("zh", "['catalogue', 'translator']")])
def test_what_is_loaded(lang: str, loaded: str) -> None:
    """An English call loads no catalogue; a Chinese one loads that and no tool of contributors."""
    code = (
        "import sys; from grader.cli import main; code = main(['hw1', '/nowhere', '--lang', sys.argv[1]]);"
        "print(sorted(one.rpartition('.')[2] for one in sys.modules if one.startswith('grader.report.language.')))"
    )
    done = subprocess.run([sys.executable, "-c", code, lang], capture_output=True, text=True, check=True)

    assert loaded == done.stdout.strip()
