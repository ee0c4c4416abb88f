import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapwright.errors import TapwrightError
from tapwright.formats.exporters.weights import (
    WeightRule,
    find_weights,
    read_paraphrases,
    read_weights,
)

RULES = (
    WeightRule("target", "^Delete", {"weight": 10, "grounder": 20}),
    WeightRule("target", "e", {"weight": 2}),
)


@given(st.text())
def test_the_first_rule_that_fits_decides(target: str) -> None:
    found = find_weights({"target": target}, RULES)
    expected = RULES[0] if target.startswith("Delete") else RULES[1] if "e" in target else None
    assert found == (expected.weights if expected else {})


def test_rules_and_paraphrases_are_read(tmp_path: Path) -> None:
    path = tmp_path / "rules.json"
    path.write_text('[{"field": "target", "pattern": "^Delete", "weight": 10, "grounder": 20}]')
    assert read_weights(path) == RULES[:1]
    path.write_text('{"t": ["Do it", "Make it so"]}')
    assert read_paraphrases(path) == {"t": ("Do it", "Make it so")}


@pytest.mark.parametrize(
    ("rules", "problem"),
    [
        ("{", "not JSON"),
        ("{}", "not a list of rules"),
        ('[{"field": "target"}]', "rule 0: expected"),
        ('[{"field": "colour", "pattern": "x", "weight": 1}]', "unknown field 'colour'"),
        ('[{"field": "target", "pattern": "(x", "weight": 1}]', "rule 0: pattern"),
        ('[{"field": "target", "pattern": "x", "weight": -1}]', "weight is -1"),
        ('[{"field": "target", "pattern": "x", "weight": true}]', "weight is True"),
        ('[{"field": "target", "pattern": "x", "weight": 1, "grounder": "2"}]', "grounder is '2'"),
    ],
)
def test_what_is_no_list_of_rules_is_told(tmp_path: Path, rules: str, problem: str) -> None:
    path = tmp_path / "rules.json"
    path.write_text(rules)
    with pytest.raises(TapwrightError) as caught:
        read_weights(path)
    assert "rules.json" in str(caught.value)
    assert problem in str(caught.value)


@pytest.mark.parametrize("texts", [[], {"t": "Do it"}, {"t": []}, {"t": [" "]}, {"t": [1]}])
def test_what_is_no_list_of_texts_is_told(tmp_path: Path, texts: object) -> None:
    path = tmp_path / "texts.json"
    path.write_text(json.dumps(texts))
    with pytest.raises(TapwrightError, match=r"texts\.json"):
        read_paraphrases(path)
    with pytest.raises(TapwrightError, match="cannot be read"):
        read_paraphrases(tmp_path / "none.json")
