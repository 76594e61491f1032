"""Registers with the Python client, which follows the redirect to the stored reply, and prints the number of snippets in it."""

import json
import sys

import zulip

options = json.load(sys.stdin)
client = zulip.Client(email=options["email"], api_key=options["api_key"], site=options["site"], client="ZulipTest/1.0")
state = client.register()
snippets = len(state.get("saved_snippets", []))
print(json.dumps({"result": state["result"], "msg": state["msg"], "snippets": snippets}))
