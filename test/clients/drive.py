"""What people do with the Python client, as one run: prints what the server answered and what a listener heard."""

import io
import json
import sys
import threading
import time

import zulip


def client(who):
    return zulip.Client(email=who["email"], api_key=who["api_key"], site=given["site"], client="ZulipTest/1.0")


given = json.load(sys.stdin)
ada, grace = client(given["ada"]), client(given["grace"])
channel = given["channel"]
told = {}
heard = []
registered = threading.Event()


def listen():
    def keep(event):
        heard.append(event)

    queue = grace.register(event_types=["message", "reaction", "subscription", "scheduled_messages"])
    told["register"] = queue
    registered.set()
    last = queue["last_event_id"]
    while len([e for e in heard if e["type"] == "message"]) < 4:
        reply = grace.get_events(queue_id=queue["queue_id"], last_event_id=last)
        if reply["result"] != "success":
            told["events_error"] = reply
            return
        for event in reply["events"]:
            last = max(last, event["id"])
            if event["type"] != "heartbeat":
                keep(event)


listener = threading.Thread(target=listen, daemon=True)
listener.start()
registered.wait(30)

told["server_settings"] = ada.get_server_settings()
told["subscribe"] = ada.add_subscriptions(
    [{"name": channel, "description": "Made by the Python client"}], principals=[given["ada"]["id"], given["grace"]["id"]]
)
told["channel"] = ada.get_stream_id(channel)
told["sent"] = ada.send_message({"type": "stream", "to": channel, "topic": "engines", "content": "**first**"})
told["direct"] = ada.send_message({"type": "private", "to": [given["grace"]["email"]], "content": "directly"})
told["reacted"] = ada.add_reaction({"message_id": told["sent"]["id"], "emoji_name": "octopus"})
told["uploaded"] = ada.upload_file(type("File", (io.BytesIO,), {"name": "notes.txt"})(b"notes on the engine"))
told["linked"] = ada.send_message(
    {"type": "stream", "to": channel, "topic": "engines", "content": "[notes](" + told["uploaded"].get("uri", "") + ")"}
)
told["scheduled"] = grace.call_endpoint(
    url="scheduled_messages",
    method="POST",
    request={
        "type": "direct",
        "to": [given["ada"]["id"]],
        "content": "later",
        "scheduled_delivery_timestamp": int(time.time()) + 86400,
    },
)
told["unscheduled"] = grace.call_endpoint(
    url="scheduled_messages/%d" % told["scheduled"].get("scheduled_message_id", 0), method="DELETE"
)
told["edited"] = ada.update_message({"message_id": told["direct"]["id"], "content": "directly, edited"})
told["read"] = grace.update_message_flags({"messages": [told["direct"]["id"]], "op": "add", "flag": "read"})
told["presence"] = grace.update_presence({"status": "active", "ping_only": False, "new_user_input": True})
told["typing"] = ada.set_typing_status({"op": "start", "to": [given["grace"]["id"]]})
told["narrowed"] = grace.get_messages(
    {
        "anchor": "newest",
        "num_before": 10,
        "num_after": 0,
        "narrow": [{"operator": "channel", "operand": channel}, {"operator": "topic", "operand": "engines"}],
    }
)
told["users"] = grace.get_members()
told["created"] = ada.create_user(
    {"email": given["new_email"], "password": "what a difference engine", "full_name": "Charles"}
)
told["unsubscribed"] = ada.remove_subscriptions([channel], principals=[given["grace"]["email"]])
told["refused"] = grace.send_message({"type": "stream", "to": "no such channel", "topic": "t", "content": "x"})
told["last"] = ada.send_message({"type": "private", "to": [given["grace"]["id"]], "content": "last"})

listener.join(60)
queue = told["register"]["queue_id"]
told["deregistered"] = grace.deregister(queue)
told["gone"] = grace.get_events(queue_id=queue, last_event_id=-1)
json.dump({"told": told, "heard": heard}, sys.stdout)
