"""Makes everyday requests with the Python client; prints the replies and the events that a listener received as JSON."""

import io
import json
import sys
import threading
import time

import zulip


def client(person):
    return zulip.Client(email=person["email"], api_key=person["api_key"], site=given["site"], client="ZulipTest/1.0")


given = json.load(sys.stdin)
ada, grace = client(given["ada"]), client(given["grace"])
channel = given["channel"]
replies = {}
received_events = []
registered = threading.Event()


def listen():
    queue = grace.register(event_types=["message", "reaction", "subscription", "scheduled_messages"])
    replies["register"] = queue
    registered.set()
    last_event_id = queue["last_event_id"]
    while len([event for event in received_events if event["type"] == "message"]) < 4:
        reply = grace.get_events(queue_id=queue["queue_id"], last_event_id=last_event_id)
        if reply["result"] != "success":
            replies["events_error"] = reply
            return
        for event in reply["events"]:
            last_event_id = max(last_event_id, event["id"])
            if event["type"] != "heartbeat":
                received_events.append(event)


listener = threading.Thread(target=listen, daemon=True)
listener.start()
registered.wait(30)

replies["server_settings"] = ada.get_server_settings()
replies["subscribe"] = ada.add_subscriptions(
    [{"name": channel, "description": "Made by the Python client"}], principals=[given["ada"]["id"], given["grace"]["id"]]
)
replies["channel"] = ada.get_stream_id(channel)
replies["sent"] = ada.send_message({"type": "stream", "to": channel, "topic": "engines", "content": "**first**"})
replies["direct"] = ada.send_message({"type": "private", "to": [given["grace"]["email"]], "content": "directly"})
replies["reacted"] = ada.add_reaction({"message_id": replies["sent"]["id"], "emoji_name": "octopus"})
if "large_file_bytes" in given:
    tape = type("File", (io.BytesIO,), {"name": "tape.bin"})(bytes(given["large_file_bytes"]))
    replies["uploaded_large"] = ada.upload_file(tape)
replies["uploaded"] = ada.upload_file(type("File", (io.BytesIO,), {"name": "notes.txt"})(b"notes on the engine"))
replies["linked"] = ada.send_message(
    {"type": "stream", "to": channel, "topic": "engines", "content": "[notes](" + replies["uploaded"].get("uri", "") + ")"}
)
replies["scheduled"] = grace.call_endpoint(
    url="scheduled_messages",
    method="POST",
    request={
        "type": "direct",
        "to": [given["ada"]["id"]],
        "content": "later",
        "scheduled_delivery_timestamp": int(time.time()) + 86400,
    },
)
replies["unscheduled"] = grace.call_endpoint(
    url="scheduled_messages/%d" % replies["scheduled"].get("scheduled_message_id", 0), method="DELETE"
)
replies["edited"] = ada.update_message({"message_id": replies["direct"]["id"], "content": "directly, edited"})
replies["read"] = grace.update_message_flags({"messages": [replies["direct"]["id"]], "op": "add", "flag": "read"})
replies["presence"] = grace.update_presence({"status": "active", "ping_only": False, "new_user_input": True})
replies["typing"] = ada.set_typing_status({"op": "start", "to": [given["grace"]["id"]]})
replies["narrowed"] = grace.get_messages(
    {
        "anchor": "newest",
        "num_before": 10,
        "num_after": 0,
        "narrow": [{"operator": "channel", "operand": channel}, {"operator": "topic", "operand": "engines"}],
    }
)
replies["users"] = grace.get_members()
replies["created"] = ada.create_user(
    {"email": given["new_email"], "password": "what a difference engine", "full_name": "Charles"}
)
replies["unsubscribed"] = ada.remove_subscriptions([channel], principals=[given["grace"]["email"]])
replies["unknown_channel"] = grace.send_message({"type": "stream", "to": "no such channel", "topic": "t", "content": "x"})
replies["last"] = ada.send_message({"type": "private", "to": [given["grace"]["id"]], "content": "last"})

listener.join(60)
queue = replies["register"]["queue_id"]
replies["deregistered"] = grace.deregister(queue)
replies["deleted_queue"] = grace.get_events(queue_id=queue, last_event_id=-1)
json.dump({"replies": replies, "received_events": received_events}, sys.stdout)
