"""Makes the requests that it reads as lines of JSON with the Python client, and writes each reply as a line."""

import json
import sys

import zulip

given = json.loads(sys.stdin.readline())
client = zulip.Client(email=given["email"], api_key=given["api_key"], site=given["site"], client="ZulipTest/1.0")

for line in sys.stdin:
    method, path, params = json.loads(line)
    if (method, path) == ("POST", "/register"):
        reply = client.register(**params)
    elif (method, path) == ("GET", "/events"):
        reply = client.get_events(**params)
    elif (method, path) == ("DELETE", "/events"):
        reply = client.deregister(**params)
    else:
        reply = client.call_endpoint(url=path.lstrip("/"), method=method, request=params)
    print(json.dumps(reply), flush=True)
