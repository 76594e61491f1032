"""Uploads a file of the given size with the Python client; prints the reply as JSON."""

import io
import json
import sys

import zulip

given = json.load(sys.stdin)
client = zulip.Client(email=given["email"], api_key=given["api_key"], site=given["site"], client="ZulipTest/1.0")
tape = type("File", (io.BytesIO,), {"name": "tape.bin"})(bytes(given["bytes"]))
print(json.dumps(client.upload_file(tape)))
