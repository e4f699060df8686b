# SPDX-License-Identifier: Apache-2.0
"""The packaged vector files: shape, completeness, access."""

import re

import pytest

from modeloom import vectors

COUNTS = {
    "aes_botan": 1353,
    "aes_cavp": 1822,
    "aes_fips197": 4,
    "ccm_wycheproof": 316,
    "deoxys_i": 4,
    "deoxys_ii": 4,
    "eme2_gladman": 96,
    "eme_aes256": 2,
    "gcm_botan": 47,
    "gcm_cavp_decrypt": 3148,
    "gcm_cavp_encrypt": 1575,
    "gcm_cavp_iv96": 375,
    "gcm_gladman": 88,
    "gcm_siv_wycheproof": 99,
    "gcm_sm4": 3,
    "gcm_wycheproof": 316,
    "gmac_botan": 143,
    "gmac_wycheproof": 414,
    "hctr2_aes128": 200,
    "hctr2_aes256": 175,
    "hctr_sm4": 2,
    "led128": 2,
    "led64": 2,
    "ocb3_botan": 42,
    "polyval": 45,
    "polyval_rfc8452": 51,
    "xcb_1619": 5,
    "xctr_aes128": 50,
    "xctr_aes192": 40,
    "xctr_aes256": 90,
    "xts_botan": 223,
    "xts_gladman": 185,
    "xts_sm4_gb": 2,
    "xts_sm4_ieee": 1,
}
VALUES = {"key", "tweak", "nonce", "pt", "ct", "msg", "hash", "aad", "tag"}


def test_all_files_are_there():
    assert set(COUNTS) <= set(vectors.names())
    assert list(vectors.names()) == sorted(vectors.names())


@pytest.mark.parametrize(("name", "number"), COUNTS.items())
def test_number_of_tests(name, number):
    assert vectors.load(name)["numberOfTests"] == number


@pytest.mark.parametrize("name", vectors.names())
def test_shape(name):
    file = vectors.load(name)
    cipher = ["cipher"] if "cipher" in file else []
    assert list(file) == ["algorithm", *cipher, "source", "licence", "schema", "notes", "numberOfTests", "tests"]
    assert all(file[member] for member in ("algorithm", "source", "licence", "schema", "tests"))
    tests = file["tests"]
    assert file["numberOfTests"] == len(tests)
    assert [test["tcId"] for test in tests] == list(range(1, len(tests) + 1))
    assert {flag for test in tests for flag in test["flags"]} == set(file["notes"])
    for test in tests:
        assert list(test)[:3] == ["tcId", "comment", "flags"]
        assert list(test)[-1] == "result"
        assert test["comment"]
        assert test["flags"]
        assert test["result"] in ("valid", "invalid")
        values = list(test)[3:-1]
        assert "key" in values
        assert set(values) <= VALUES
        for value in values:
            assert re.fullmatch(r"(?:[0-9a-f]{2})*", test[value]), (name, test["tcId"], value)


def test_vectors_of_a_mode():
    assert vectors.count("hctr2") == 375
    tests = vectors.for_mode("hctr2")
    assert len(tests) == 375
    assert {len(test["key"]) // 2 for test in tests} == {16, 32}
    assert {len(test["tweak"]) // 2 for test in tests} == {0, 1, 16, 32, 47}
    assert {len(test["pt"]) // 2 for test in tests} == {16, 17, 31, 48, 128, 255, 512}


@pytest.mark.parametrize(
    ("mode", "number", "key_bytes", "tweak_bytes"),
    [
        ("eme", 2, {32}, {16}),
        ("eme2", 96, {48, 64}, set(range(32))),
        ("xcb-1619", 5, {16, 32}, {0, 16}),
        ("xts", 408, {32, 64}, {16}),
    ],
)
def test_vectors_are_keyed_as_modeloom_does(mode, number, key_bytes, tweak_bytes):
    tests = vectors.for_mode(mode)
    assert vectors.count(mode) == len(tests) == number
    assert {len(test["key"]) // 2 for test in tests} == key_bytes
    assert {len(test["tweak"]) // 2 for test in tests} == tweak_bytes
    assert all(len(test["pt"]) == len(test["ct"]) >= 32 for test in tests)
    assert all(test["result"] == "valid" for test in tests)


def test_no_vector_of_xts_has_equal_keys():
    keys = {test["key"] for test in vectors.for_mode("xts")}
    assert all(key[: len(key) // 2] != key[len(key) // 2 :] for key in keys)


def test_vectors_of_gcm():
    """GMAC and both ciphers are among them. What must be refused has no plaintext if its source gives none."""
    names = [name for name in COUNTS if name.startswith(("gcm", "gmac")) and name != "gcm_siv_wycheproof"]
    tests = vectors.for_mode("gcm")
    assert vectors.count("gcm") == sum(COUNTS[name] for name in names) == 6109
    assert tests == [test for name in names if name != "gcm_sm4" for test in vectors.load(name)["tests"]]
    assert vectors.for_mode("gcm", "sm4") == vectors.load("gcm_sm4")["tests"]
    for test in tests:
        values = ["key", "nonce", "aad", "pt", "ct", "tag"]
        assert list(test)[3:-1] == [name for name in values if name != "pt" or "Fail" not in test["flags"]]
        assert (test["result"] == "invalid") == bool({"Fail", "ModifiedTag", "ZeroLengthIv"} & set(test["flags"]))
        assert len(test.get("pt", test["ct"])) == len(test["ct"])
        assert ("EmptyText" in test["flags"]) == (not test["ct"])
        assert ("HashedNonce" in test["flags"]) == (len(test["nonce"]) != 24)
        assert ("ShortTag" in test["flags"]) == (len(test["tag"]) != 32)
    assert len([test for test in tests if test["result"] == "invalid"]) == 1575 + 87 + 324


@pytest.mark.parametrize(
    ("mode", "cipher", "number", "refused", "key_bytes", "tag_bytes"),
    [
        ("ccm", "aes", 316, 88, {16, 24, 32}, {2, 5, 6, 9, 10, 12, 13, 14, 16}),
        ("deoxys-i", "deoxys-bc", 4, 0, {16}, {16}),
        ("deoxys-ii", "deoxys-bc", 4, 0, {16}, {16}),
        ("gcm-siv", "aes", 99, 32, {16}, {16}),
        ("ocb3", "aes", 42, 0, {16}, {12, 16}),
    ],
)
def test_vectors_of_other_aeads(mode, cipher, number, refused, key_bytes, tag_bytes):
    """What must be refused has a text all the same: its source gives it."""
    tests = vectors.for_mode(mode, cipher)
    assert len(tests) == vectors.count(mode) == number
    assert len([test for test in tests if test["result"] == "invalid"]) == refused
    assert {len(test["key"]) // 2 for test in tests} == key_bytes
    assert {len(test["tag"]) // 2 for test in tests} == tag_bytes
    for test in tests:
        assert list(test)[3:-1] == ["key", "nonce", "aad", "pt", "ct", "tag"]
        assert len(test["pt"]) == len(test["ct"])
        assert ("NoText" in test["flags"]) == (not test["ct"]) and ("EmptyAd" in test["flags"]) == (not test["aad"])
        assert ("ShortTag" in test["flags"]) == (len(test["tag"]) != 32)


def test_the_test_cases_of_the_specification():
    cases = [test for test in vectors.load("gcm_gladman")["tests"] if "Specification" in test["flags"]]
    assert [test["comment"] for test in cases] == [f"gcm.1, VEC {n}, test case {n} of the specification" for n in range(1, 19)]
    values = [tuple(test[name] for name in ("key", "nonce", "aad", "pt", "ct", "tag")) for test in cases]
    others = [test for test in vectors.load("gcm_botan")["tests"] if "Specification" in test["flags"]]
    assert values == [tuple(test[name] for name in ("key", "nonce", "aad", "pt", "ct", "tag")) for test in others]


def test_vectors_of_another_cipher():
    # A core with AES must not be checked with them, though their lengths fit.
    assert vectors.count("hctr") == 2
    assert vectors.for_mode("hctr") == []
    assert vectors.for_mode("hctr", "sm4") == vectors.load("hctr_sm4")["tests"]
    assert vectors.for_mode("hctr2", "sm4") == []
    assert len(vectors.for_mode("xts-gb", "sm4")) == 2 and len(vectors.for_mode("xts-ieee", "sm4")) == 1
    assert vectors.for_mode("xts", "sm4") == vectors.for_mode("xts-gb") == []


@pytest.mark.parametrize("mode", ["heh-brw", "heh-brw-pi", "a-mode-of-a-user"])
def test_mode_without_vectors(mode):
    assert vectors.count(mode) == 0
    assert vectors.for_mode(mode) == []


def test_what_is_refused():
    with pytest.raises(ValueError, match="no vector file 'nonesuch'"):
        vectors.load("nonesuch")
    with pytest.raises(ValueError, match="no vector file"):
        vectors.load("../vectors/polyval")
    with pytest.raises(TypeError, match="must be a str"):
        vectors.load(3)
