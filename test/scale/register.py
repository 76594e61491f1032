"""Registers with the Python client, which follows where the reply is kept, and prints what the state holds."""

import json
import sys

import zulip

given = json.load(sys.stdin)
client = zulip.Client(email=given["email"], api_key=given["api_key"], site=given["site"], client="ZulipTest/1.0")
state = client.register()
snippets = len(state.get("saved_snippets", []))
print(json.dumps({"result": state["result"], "msg": state["msg"], "snippets": snippets}))
