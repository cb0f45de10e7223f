"""Speaks to the server as the published Python client does, with the standard library only.

Its habits, which the server has to suit: every success must say `success`, empty fields are sent as null, a run is
followed by server-sent events or by NDJSON until a status of 10 or more, files go up by their presigned address.
Prints one JSON line with what each step saw.
"""

import json
import sys
import urllib.error
import urllib.request

BASE, KEY = sys.argv[1], sys.argv[2]
COMPLETED, FAILED, CANCELLED = 10, 11, 12


class Refused(Exception):
    def __init__(self, status, detail):
        super().__init__(f"HTTP {status}: {detail}")
        self.status = status


def open_request(method, path, data=None, headers=None):
    body = None if data is None else json.dumps(data).encode()
    given = {
        "Content-Type": "application/json",
        "Authorization": f"Bearer {KEY}",
        "User-Agent": "inference-sdk-py/0.6.32",
        **(headers or {}),
    }
    request = urllib.request.Request(BASE + path, data=body, method=method, headers=given)
    try:
        return urllib.request.urlopen(request, timeout=60)
    except urllib.error.HTTPError as error:
        problem = json.loads(error.read() or b"{}")
        raise Refused(error.code, problem.get("detail") or problem.get("title")) from error


def call(method, path, data=None):
    with open_request(method, path, data) as answer:
        text = answer.read()
        if answer.status == 204 or not text:
            return None
        payload = json.loads(text)
    if not isinstance(payload, dict) or not payload.get("success", False):
        raise RuntimeError(f"{method} {path} did not say success: {payload}")
    return payload.get("data")


def events(task_id):
    """Server-sent events, as the older client reads them."""
    headers = {"Accept": "text/event-stream", "Cache-Control": "no-cache", "Accept-Encoding": "identity"}
    with open_request("GET", f"/tasks/{task_id}/stream", headers=headers) as answer:
        for line in answer:
            if line.startswith(b"data:"):
                yield json.loads(line[5:])


def lines(task_id):
    """NDJSON, as the newer client reads it."""
    with open_request("GET", f"/tasks/{task_id}/stream", headers={"Accept": "application/x-ndjson"}) as answer:
        for line in answer:
            if line.strip():
                yield json.loads(line)


def follow(task_id, source):
    for update in source(task_id):
        if not isinstance(update, dict) or update.get("type") == "heartbeat":
            continue
        task = update["data"] if "data" in update and "fields" in update else update
        status = task.get("status")
        if isinstance(status, int) and status >= COMPLETED:
            return call("GET", f"/tasks/{task_id}")
    return call("GET", f"/tasks/{task_id}")


def run(params, source=events):
    return follow(call("POST", "/apps/run", params)["id"], source)


def upload(content, filename):
    wanted = {"uri": "", "filename": filename, "content_type": "text/plain", "path": None, "size": len(content), "public": None}
    stored = call("POST", "/files", {"files": [wanted]})[0]
    put = urllib.request.Request(
        stored["upload_url"], data=content, method="PUT", headers={"Content-Type": "text/plain"}
    )
    urllib.request.urlopen(put, timeout=30).read()
    return stored


def refusal(action):
    try:
        action()
    except Refused as error:
        return error.status
    return None


def session_of_counter():
    first = run({"app": "millrace/echo", "input": {"n": 1}, "session": "new"})
    session = first["session_id"]
    second = run({"app": "millrace/echo", "input": {"n": 2}, "session": session})
    kept = call("POST", f"/sessions/{session}/keepalive")
    listed = [held["id"] for held in call("GET", "/sessions")]
    call("DELETE", f"/sessions/{session}")
    return {
        "same": second["session_id"] == session,
        "kept": kept["status"],
        "listed": session in listed,
        "after": call("GET", f"/sessions/{session}")["status"],
    }


def main():
    echo = "millrace/echo"
    started = call("POST", "/apps/run", {"app": echo, "function": "sleep", "input": {"ms": 60000}, "setup": None})
    call("POST", f"/tasks/{started['id']}/cancel")
    stored = upload(b"one two\nthree\n", "words.txt")
    page = call("GET", "/tasks?limit=2")
    print(
        json.dumps(
            {
                "me": bool(call("GET", "/me")),
                "events": run({"app": echo, "input": {"a": 1}})["output"],
                "lines": run({"app": echo, "function": "count", "input": {"to": 3, "delay_ms": 5}}, lines)["output"],
                "failed": run({"app": echo, "function": "fail", "input": {"message": "as asked"}})["error"],
                "cancelled": follow(started["id"], lines)["status"],
                "file": {"filename": stored["filename"], "size": stored["size"]},
                "counted": run({"app": "millrace/word-count", "input": {"file": stored["uri"]}})["output"]["words"],
                "page": len(page["items"]),
                "missing_app": refusal(lambda: call("POST", "/apps/run", {"app": "nobody/nothing@xyz12345", "input": {}})),
                "missing_task": refusal(lambda: call("GET", "/tasks/nothing")),
                "session": session_of_counter(),
            }
        )
    )


main()
