"""Servers of data on 127.0.0.1, with the faults that public ones have.

The hub's API as https://huggingface.co/docs/hub/api and huggingface_hub 2.4 have it: the files of a
revision, its tree, and /resolve/, which sends small files itself and redirects to another server
for large ones; and what is pushed: large files first, by their hash, then a commit that names them.
A body that is cut is refused, and so is a commit of a file that never came. Google Cloud Storage's
list of objects, and its objects. GitHub's archives.
"""

import gzip
import hashlib
import json
import threading
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

LARGE = 4000


@dataclass
class Fault:
    """What goes wrong with one request: a status, a body that is cut, or has `more` bytes."""

    status: int = 0
    cut: int = -1
    retry_after: str = ""
    more: int = 0
    wait: threading.Event | None = None


@dataclass
class Request:
    """A request as the server saw it."""

    server: str
    path: str
    authorization: str
    range: str


@dataclass
class Public:
    """What the servers have, what goes wrong next, and what was requested.

    `files` are those of the repositories, by name and path; `stated` are hashes that the hub states
    instead of the right ones. `faults` are met in their order by requests whose path ends so.
    """

    files: dict[str, dict[str, bytes]] = field(default_factory=dict)
    objects: dict[str, bytes] = field(default_factory=dict)
    archives: dict[str, bytes] = field(default_factory=dict)
    stated: dict[str, str] = field(default_factory=dict)
    faults: dict[str, list[Fault]] = field(default_factory=dict)
    gated: bool = False
    sizes_in_tree_only: bool = False
    requests: list[Request] = field(default_factory=list)
    uploads: dict[str, bytes] = field(default_factory=dict)
    private: set[str] = field(default_factory=set)
    hub: str = ""
    cdn: str = ""

    def next_fault(self, path: str) -> Fault:
        for ending, faults in self.faults.items():
            if path.endswith(ending) and faults:
                return faults.pop(0)
        return Fault()

    def asked(self, ending: str) -> list[Request]:
        """The requests whose path ends so."""
        return [one for one in self.requests if one.path.endswith(ending)]


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def git_blob(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "_Server"

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        public, path = self.server.public, unquote(urlsplit(self.path).path)
        public.requests.append(
            Request(
                self.server.name,
                path,
                self.headers.get("Authorization", ""),
                self.headers.get("Range", ""),
            )
        )
        fault = public.next_fault(path)
        if fault.status:
            headers = {"Retry-After": fault.retry_after} if fault.retry_after else {}
            self._send(fault.status, b"no", headers)
        elif path.startswith("/api/datasets/"):
            self._api(public, path.removeprefix("/api/datasets/"))
        elif path.startswith("/datasets/"):
            self._resolve(public, path.removeprefix("/datasets/"), fault)
        elif path.startswith("/cdn/"):
            data = next(
                data
                for files in public.files.values()
                for data in files.values()
                if _sha256(data) == path.removeprefix("/cdn/")
            )
            self._send_file(data, {}, fault)
        elif path.startswith("/storage/v1/b/"):
            self._list_objects(public)
        elif path.removeprefix("/gresearch/") in public.objects:
            self._send_file(public.objects[path.removeprefix("/gresearch/")], {}, fault)
        elif path in public.archives:
            self._send_file(public.archives[path], {}, fault)
        else:
            self._send(404, b"no", {})

    def do_PUT(self) -> None:
        self._take(self._put)

    def do_POST(self) -> None:
        self._take(self._post)

    def _take(self, answer: Callable[[Public, str, bytes], None]) -> None:
        public, path = self.server.public, unquote(urlsplit(self.path).path)
        authorization = self.headers.get("Authorization", "")
        public.requests.append(Request(self.server.name, path, authorization, ""))
        body = self._read_body()
        fault = public.next_fault(path)
        if fault.status:
            self._send(fault.status, b"{}", {})
        elif body is None:
            self._send(400, b"{}", {"X-Error-Message": "the body is cut"})
        else:
            answer(public, path, body)

    def _read_body(self) -> bytes | None:
        """The body; None when it ends before its length, or before the last of its chunks."""
        if self.headers.get("Transfer-Encoding") != "chunked":
            length = int(self.headers.get("Content-Length", "0"))
            body = self.rfile.read(length)
            return body if len(body) == length else None
        body = b""
        while (line := self.rfile.readline().strip()) and (size := int(line, 16)):
            part = self.rfile.read(size)
            if len(part) < size or not self.rfile.readline():
                return None
            body += part
        self.rfile.readline()
        return body if line else None

    def _put(self, public: Public, path: str, body: bytes) -> None:
        oid = path.rpartition("/")[2]
        if _sha256(body) != oid:
            self._send(400, b"{}", {"X-Error-Message": "not what was announced"})
            return
        public.uploads[oid] = body
        self._send(200, b"{}", {})

    def _post(self, public: Public, path: str, body: bytes) -> None:
        if path != "/api/validate-yaml" and self.headers.get("Authorization") != "Bearer writer":
            self._send(403, b"{}", {"X-Error-Message": "the token may not write"})
            return
        if path == "/api/repos/create":
            self._create(public, json.loads(body))
        elif path == "/api/validate-yaml":
            self._json({"errors": [], "warnings": []})
        elif path.endswith("/preupload/main"):
            name = path.removeprefix("/api/datasets/").removesuffix("/preupload/main")
            modes = [self._mode(public.files[name], one) for one in json.loads(body)["files"]]
            self._json({"files": modes})
        elif path.endswith(".git/info/lfs/objects/batch"):
            self._json(
                {"objects": [self._action(public, one) for one in json.loads(body)["objects"]]}
            )
        elif path.endswith("/commit/main"):
            repository = path.removeprefix("/api/datasets/").removesuffix("/commit/main")
            self._commit(public, repository, [json.loads(line) for line in body.splitlines()])
        else:
            self._send(404, b"{}", {})

    def _create(self, public: Public, wanted: Mapping[str, str]) -> None:
        name = f"{wanted['organization']}/{wanted['name']}"
        url = {"url": f"{public.hub}/datasets/{name}"}
        if name in public.files:
            self._send(409, json.dumps(url).encode(), {"Content-Type": "application/json"})
            return
        public.files[name] = {}
        if wanted.get("visibility") == "private":
            public.private.add(name)
        self._json(url)

    def _mode(self, repository: Mapping[str, bytes], one: Mapping[str, str]) -> dict[str, object]:
        here = repository.get(one["path"])
        oid = None if here is None else _sha256(here) if len(here) > LARGE else git_blob(here)
        mode = "lfs" if int(one["size"]) > LARGE else "regular"
        return {"path": one["path"], "uploadMode": mode, "shouldIgnore": False, "oid": oid}

    def _action(self, public: Public, one: Mapping[str, str]) -> dict[str, object]:
        known = {_sha256(data) for files in public.files.values() for data in files.values()}
        if one["oid"] in {*public.uploads, *known}:
            return {**one}
        return {**one, "actions": {"upload": {"href": f"{public.cdn}/upload/{one['oid']}"}}}

    def _commit(self, public: Public, name: str, lines: list[dict[str, Any]]) -> None:
        files = dict(public.files[name])
        for line in lines:
            value = line["value"]
            match line["key"]:
                case "file":
                    files[value["path"]] = b64decode(value["content"])
                case "lfsFile" if value["oid"] in public.uploads:
                    files[value["path"]] = public.uploads[value["oid"]]
                case "lfsFile":
                    self._send(400, b"{}", {"X-Error-Message": f"{value['path']} never came"})
                    return
                case "deletedFile" if value["path"] in files:
                    del files[value["path"]]
                case "deletedFile":
                    self._send(404, b"{}", {"X-Error-Message": f"{value['path']} is not there"})
                    return
        public.files[name] = files
        oid = hashlib.sha1(repr(sorted(files)).encode(), usedforsecurity=False).hexdigest()
        self._json({"commitUrl": f"{public.hub}/datasets/{name}/commit/{oid}", "commitOid": oid})

    def _json(self, value: object) -> None:
        self._send(200, json.dumps(value).encode(), {"Content-Type": "application/json"})

    def _api(self, public: Public, path: str) -> None:
        owner, name, kind, revision, *_ = [*path.split("/"), "", ""]
        files = public.files.get(f"{owner}/{name}")
        if public.gated and "Bearer secret" not in self.headers.get("Authorization", ""):
            self._send(401, b"{}", {"X-Error-Code": "GatedRepo"})
        elif files is None:
            self._send(404, b"{}", {"X-Error-Code": "RepoNotFound"})
        elif kind in ("", "revision"):
            entries = [self._entry(public, one, data) for one, data in files.items()]
            if public.sizes_in_tree_only:
                entries = [{"rfilename": one["rfilename"]} for one in entries]
            info = {"id": f"{owner}/{name}", "sha": revision or "0" * 40, "siblings": entries}
            self._send(200, json.dumps(info).encode(), {"Content-Type": "application/json"})
        else:
            tree = [
                {"type": "file", "path": one, "size": len(data), "oid": git_blob(data)}
                | ({"lfs": self._lfs(public, one, data)} if len(data) > LARGE else {})
                for one, data in files.items()
            ]
            self._send(200, json.dumps(tree).encode(), {"Content-Type": "application/json"})

    def _entry(self, public: Public, path: str, data: bytes) -> dict[str, object]:
        entry: dict[str, object] = {
            "rfilename": path,
            "size": len(data),
            "blobId": public.stated.get(path, git_blob(data)),
        }
        if len(data) > LARGE:
            lfs = self._lfs(public, path, data)
            entry["lfs"] = {"size": lfs["size"], "sha256": lfs["oid"], "pointerSize": 130}
        return entry

    def _lfs(self, public: Public, path: str, data: bytes) -> dict[str, object]:
        oid = public.stated.get(path, _sha256(data))
        return {"size": len(data), "oid": oid, "pointerSize": 130}

    def _resolve(self, public: Public, path: str, fault: Fault) -> None:
        name, _, rest = path.partition("/resolve/")
        commit, _, file = rest.partition("/")
        data = public.files[name][file]
        headers = {"X-Repo-Commit": commit, "ETag": f'"{_sha256(data)}"'}
        if len(data) > LARGE:
            size = {"X-Linked-Size": str(len(data)), "X-Linked-Etag": headers["ETag"]}
            target = f"{public.cdn}/cdn/{_sha256(data)}"
            self._send(302, b"", {**headers, **size, "Location": target})
        else:
            self._send_file(data, headers, fault)

    def _list_objects(self, public: Public) -> None:
        query = parse_qs(urlsplit(self.path).query)
        names = sorted(one for one in public.objects if one.startswith(query["prefix"][0]))
        start = int(query.get("pageToken", ["0"])[0] or 0)
        page: dict[str, object] = {
            "items": [
                {
                    "name": one,
                    "size": str(len(public.objects[one])),
                    "md5Hash": b64encode(
                        hashlib.md5(public.objects[one], usedforsecurity=False).digest()
                    ).decode(),
                }
                for one in names[start : start + 2]
            ]
        }
        if start + 2 < len(names):
            page["nextPageToken"] = str(start + 2)
        self._send(200, json.dumps(page).encode(), {"Content-Type": "application/json"})

    def _send_file(self, data: bytes, headers: Mapping[str, str], fault: Fault) -> None:
        start = int(self.headers.get("Range", "bytes=0-").removeprefix("bytes=").rstrip("-"))
        if start >= len(data) > 0:
            self._send(416, b"", {"Content-Range": f"bytes */{len(data)}"})
            return
        if "ETag" in headers and "gzip" in self.headers.get("Accept-Encoding", ""):
            packed = gzip.compress(data)
            self._send(200, packed, {**headers, "Content-Encoding": "gzip"})
            return
        body = data[start:] + b"x" * fault.more
        ranged = {"Content-Range": f"bytes {start}-{len(data) - 1}/{len(data)}"} if start else {}
        self.send_response(206 if start else 200)
        for key, value in {**headers, **ranged, "Content-Length": str(len(body))}.items():
            self.send_header(key, value)
        self.end_headers()
        if self.command == "HEAD":
            return
        if fault.cut < 0:
            self.wfile.write(body)
            return
        self.wfile.write(body[: fault.cut])
        self.wfile.flush()
        if fault.wait is not None:
            fault.wait.wait(60)
        self.close_connection = True

    def _send(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for key, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(key, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, name: str, public: Public) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.name, self.public = name, public
        self.address = f"http://127.0.0.1:{self.server_address[1]}"


@contextmanager
def serve(public: Public) -> Iterator[Public]:
    """Serve on two ports: the hub, and the server that it redirects to."""
    with _Server("hub", public) as hub, _Server("cdn", public) as cdn:
        public.hub, public.cdn = hub.address, cdn.address
        threads = [threading.Thread(target=one.serve_forever, args=(0.05,)) for one in (hub, cdn)]
        for thread in threads:
            thread.start()
        try:
            yield public
        finally:
            for one in (hub, cdn):
                one.shutdown()
            for thread in threads:
                thread.join()
