"""Whether a signature was made with a key that a phone trusts, as `adb` makes and sends them.

A public key is base64 of AOSP's `RSAPublicKey` struct: words of the modulus, two numbers for
Montgomery's multiplication, the modulus and the exponent, all little-endian.
https://android.googlesource.com/platform/system/core/+/refs/tags/android-13.0.0_r1/libcrypto_utils/android_pubkey.c
"""

import base64
import binascii
import struct
from hmac import compare_digest

__all__ = ["TOKEN_BYTES", "is_key", "signed_by"]

TOKEN_BYTES = 20
"""A token is signed as if it were a SHA-1 digest, so it is as long as one."""

_MODULUS_BYTES = 256
_KEY = struct.Struct(f"<II{_MODULUS_BYTES}s{_MODULUS_BYTES}sI")
# What PKCS #1 v1.5 puts before a SHA-1 digest (RFC 8017, section 9.2, note 1).
_SHA1_INFO = bytes.fromhex("3021300906052b0e03021a05000414")


def is_key(line: bytes) -> bool:
    """Whether `line` holds a public key, with or without a name after it."""
    return _numbers(line) is not None


def signed_by(line: bytes, token: bytes, signature: bytes) -> bool:
    """Whether `signature` is one of `token` by the public key in `line`."""
    numbers = _numbers(line)
    if numbers is None or len(signature) != _MODULUS_BYTES:
        return False
    modulus, exponent = numbers
    made = pow(int.from_bytes(signature, "big"), exponent, modulus)
    padding = b"\xff" * (_MODULUS_BYTES - 3 - len(_SHA1_INFO) - TOKEN_BYTES)
    expected = b"\x00\x01" + padding + b"\x00" + _SHA1_INFO + token
    return compare_digest(made.to_bytes(_MODULUS_BYTES, "big"), expected)


def _numbers(line: bytes) -> tuple[int, int] | None:
    """Modulus and exponent."""
    word = line.rstrip(b"\0").split(b" ", 1)[0].strip()
    try:
        raw = base64.b64decode(word, validate=True)
    except binascii.Error:
        return None
    if len(raw) != _KEY.size:
        return None
    words, _, modulus, _, exponent = _KEY.unpack(raw)
    value = int.from_bytes(modulus, "little")
    # A key of small numbers would make any signature good.
    if words * 4 != _MODULUS_BYTES or exponent not in (3, 65537) or not value >> 2040:
        return None
    return value, exponent
