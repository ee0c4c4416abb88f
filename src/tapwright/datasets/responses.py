"""What a server's refusal means, and how long to wait before the next request.

A server says with "Retry-After" when it wants to be asked again, in seconds (RFC 9110, 10.2.3); a
longer pause than two minutes is not waited for. After five failures in a row it is left alone.
"""

from http import HTTPStatus

from tapwright.datasets.errors import GATED_DATASET, RATE_LIMIT, DownloadError

__all__ = ["LONGEST_PAUSE_S", "pause_after_failure", "pause_after_status"]

LONGEST_PAUSE_S = 120.0
_FAILURES = 5
_REFUSED = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
_MISSING = (HTTPStatus.NOT_FOUND, HTTPStatus.GONE)


def pause_after_status(
    where: str, status: int, retry_after: str | None, failures: int, *, gate: str = ""
) -> float:
    """How many seconds to wait after an answer that is no success; `failures` before it in a row.

    `gate` is the page where a licence is accepted.

    Raises:
        DownloadError: the server wants a token, or the acceptance of a licence.
        DownloadError: it wants a longer pause than is waited for, or refuses again and again.
        DownloadError: there is no such file, or the server fails.
    """
    if status in _REFUSED:
        raise GATED_DATASET(
            f"{where}: access is refused (HTTP {status})",
            hint=f"sign in and accept the licence at {gate}, make a token at "
            f"{_origin(gate)}/settings/tokens, and set HF_TOKEN to it"
            if gate
            else "the file is not public, or no longer",
        )
    if status in _MISSING:
        raise DownloadError(
            f"{where}: there is no such data (HTTP {status})",
            hint="it was moved or withdrawn; --data names a directory that has it",
        )
    if status != HTTPStatus.TOO_MANY_REQUESTS and status < HTTPStatus.INTERNAL_SERVER_ERROR:
        raise DownloadError(f"{where}: HTTP {status}; expected 200 or 206")
    wanted = _seconds(retry_after)
    if failures >= _FAILURES or (wanted or 0.0) > LONGEST_PAUSE_S:
        pause = "" if wanted is None else f", and asks for a pause of {wanted:g} s"
        raise RATE_LIMIT(
            f"{where}: HTTP {status}{pause}",
            hint="what was downloaded is kept: repeat the command later"
            + ("; a token (HF_TOKEN) has a higher limit" if gate else ""),
        )
    return 2.0**failures if wanted is None else wanted


def pause_after_failure(where: str, error: Exception, failures: int) -> float:
    """How many seconds to wait after a broken connection; `failures` before it in a row.

    Raises:
        DownloadError: it broke again and again.
    """
    if failures >= _FAILURES:
        raise DownloadError(
            f"{where}: the connection broke {failures + 1} times: "
            f"{str(error) or type(error).__name__}",
            hint="what was downloaded is kept: repeat the command to continue",
        ) from error
    return float(2**failures - 1)


def _seconds(retry_after: str | None) -> float | None:
    text = (retry_after or "").strip()
    return float(text) if text.isascii() and text.isdigit() else None


def _origin(page: str) -> str:
    scheme, _, rest = page.partition("://")
    return f"{scheme}://{rest.partition('/')[0]}"
