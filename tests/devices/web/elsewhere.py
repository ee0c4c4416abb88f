"""A host that a page tries to reach in every way that it has, and what arrives there."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Thread

__all__ = ["WAYS", "Elsewhere", "page_of_ways"]

HOST = "127.0.0.2"

WAYS = {
    "/image", "/style", "/frame", "/form", "/prefetch", "/fetch", "/beacon", "/events", "/ping",
    "/websocket", "/worker", "/service-worker", "/redirected", "stun", "turn",
}  # fmt: skip


# What stands in each message of STUN and TURN (https://www.rfc-editor.org/rfc/rfc8489#section-5).
_STUN_COOKIE = b"\x21\x12\xa4\x42"


class Elsewhere:
    """Listens on TCP and UDP; `arrived` are the paths that were asked for, "stun" and "turn".

    `connections` counts all that were accepted, also those that said nothing.
    """

    def __init__(self) -> None:
        self.arrived: set[str] = set()
        self.connections = 0
        self._tcp = socket.create_server((HOST, 0))
        self.address = f"{HOST}:{self._tcp.getsockname()[1]}"
        self._udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._udp.bind(self._tcp.getsockname())

    @contextmanager
    def listening(self) -> Iterator["Elsewhere"]:
        """Listen until the block ends."""
        threads = [Thread(target=self._accept), Thread(target=self._receive)]
        for thread in threads:
            thread.start()
        try:
            yield self
        finally:
            self._tcp.shutdown(socket.SHUT_RDWR)
            self._udp.sendto(b"", self._udp.getsockname())
            for thread in threads:
                thread.join()
            self._tcp.close()
            self._udp.close()

    def _accept(self) -> None:
        with suppress(OSError):  # shut down
            while True:
                connection, _ = self._tcp.accept()
                self.connections += 1
                Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            data = connection.recv(4096)
            if data[4:8] == _STUN_COOKIE:
                self.arrived.add("turn")
                return
            words = data.decode("latin-1").split(" ")
            if len(words) > 1:  # a connection ahead of need says nothing
                self.arrived.add(words[1])
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")

    def _receive(self) -> None:
        while self._udp.recv(4096):
            self.arrived.add("stun")


def page_of_ways(away: str, site: str = "") -> dict[str, str]:
    """The pages by path of a site at `site`; the first tries all `WAYS` to the host at `away`.

    It says "tried" when all are.
    """
    ask = f"fetch('http://{away}/%s', {{mode: 'no-cors'}}).catch(() => 0)"
    return {
        "/worker.js": ask % "worker" + ".then(() => postMessage(1))",
        "/service-worker.js": "onmessage = message => "
        + ask % "service-worker"
        + ".then(() => message.source.postMessage(1))",
        "/redirect": f"http://{away}/redirected",
        "/": _PAGE.replace("AWAY", away).replace("SITE", site),
    }


_PAGE = """<!doctype html><meta charset=utf-8>
<link rel=stylesheet href="http://AWAY/style">
<link rel=prefetch href="http://AWAY/prefetch">
<img src="http://AWAY/image"><img src="SITE/redirect">
<iframe src="http://AWAY/frame"></iframe><iframe name=sent></iframe>
<form action="http://AWAY/form" method=post target=sent></form>
<a href="#" ping="http://AWAY/ping">link</a>
<p>trying
<script>
  const heard = (target, names) => new Promise(done => names.forEach(name => target[name] = done))
  const service = async () => {
    await navigator.serviceWorker.register('/service-worker.js')
    const { active } = await navigator.serviceWorker.ready
    active.postMessage(1)
    await heard(navigator.serviceWorker, ['onmessage'])
  }
  const call = async () => {
    const peer = new RTCPeerConnection({ iceServers: [
      { urls: 'stun:AWAY' },
      { urls: ['turn:AWAY', 'turn:AWAY?transport=tcp'], username: 'u', credential: 'c' } ] })
    peer.createDataChannel('data')
    await peer.setLocalDescription(await peer.createOffer())
    const other = new RTCPeerConnection()
    await other.setRemoteDescription(peer.localDescription)
    await other.setLocalDescription(await other.createAnswer())
    await peer.setRemoteDescription(other.localDescription)
    const [host, port] = 'AWAY'.split(':')
    await peer.addIceCandidate({ candidate: `candidate:1 1 udp 2122260223 ${host} ${port} typ host`,
      sdpMLineIndex: 0 })
    await new Promise(done => setTimeout(done, 1000))
  }
  document.querySelector('form').submit()
  document.querySelector('a').click()
  navigator.sendBeacon('http://AWAY/beacon', 'x')
  const tries = [
    fetch('http://AWAY/fetch', { mode: 'no-cors' }),
    heard(new EventSource('http://AWAY/events'), ['onopen', 'onerror']),
    heard(new WebSocket('ws://AWAY/websocket'), ['onopen', 'onerror']),
    call(),
  ]
  if (location.protocol === 'http:')
    tries.push(heard(new Worker('/worker.js'), ['onmessage']), service())
  Promise.allSettled(tries).then(() => document.querySelector('p').textContent = 'tried')
</script>"""
