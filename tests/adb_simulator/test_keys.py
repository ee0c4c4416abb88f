import base64
import os
import struct

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa, utils

from tapwright_adb_simulator.keys import is_key, signed_by


@pytest.fixture(scope="module")
def key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(65537, 2048)


def public_line(key: rsa.RSAPrivateKey) -> bytes:
    numbers = key.public_key().public_numbers()
    modulus = numbers.n.to_bytes(256, "little")
    raw = struct.pack("<II", 64, 0) + modulus + bytes(256) + struct.pack("<I", numbers.e)
    return base64.b64encode(raw) + b" me@here\0"


def sign(key: rsa.RSAPrivateKey, token: bytes) -> bytes:
    return key.sign(token, padding.PKCS1v15(), utils.Prehashed(hashes.SHA1()))


def test_a_signature_counts_for_its_key_and_its_token_only(key: rsa.RSAPrivateKey) -> None:
    token, other = os.urandom(20), os.urandom(20)
    line, signature = public_line(key), sign(key, token)
    assert is_key(line)
    assert signed_by(line, token, signature)
    assert not signed_by(line, other, signature)
    assert not signed_by(line, token, signature[:-1])
    assert not signed_by(line, token, bytes(256))
    stranger = rsa.generate_private_key(65537, 2048)
    assert not signed_by(public_line(stranger), token, signature)


@pytest.mark.parametrize("line", [b"", b"no base64!", base64.b64encode(bytes(524)), b"QUJD me"])
def test_what_is_no_key_signs_nothing(line: bytes) -> None:
    assert not is_key(line)
    assert not signed_by(line, bytes(20), bytes(256))


def test_a_key_of_exponent_one_is_none(key: rsa.RSAPrivateKey) -> None:
    raw = bytearray(base64.b64decode(public_line(key).split()[0]))
    raw[-4:] = struct.pack("<I", 1)
    assert not is_key(base64.b64encode(bytes(raw)))
