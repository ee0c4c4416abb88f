"""A site of this machine that stands for the sites of a suite."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


@contextmanager
def serve(answer: Callable[[str], tuple[str, bytes]]) -> Iterator[str]:
    """Serve the kind and the content that `answer` has for a path; yields the site's address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            kind, content = answer(self.path)
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
