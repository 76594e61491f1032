"""Reads times as Zulip does, with dateutil, and writes what each of them means: an ISO time in UTC, or null."""

import datetime
import json
import sys
import warnings

from dateutil.parser import UnknownTimezoneWarning, parse

# An unknown time zone is an error, where Zulip takes the time to be in UTC.
warnings.simplefilter("error", UnknownTimezoneWarning)

request = json.load(sys.stdin)
zones = {name: minutes * 60 for name, minutes in request["zones"].items()}
today = datetime.datetime.fromisoformat(request["today"])


def meaning(text):
    try:
        time = parse(text, default=today, tzinfos=zones)
    except (ValueError, OverflowError, UnknownTimezoneWarning):
        try:
            time = datetime.datetime.fromtimestamp(float(text), tz=datetime.timezone.utc)
        except (ValueError, OverflowError):
            return None
    try:
        if time.tzinfo is None:
            time = time.replace(tzinfo=datetime.timezone.utc)
        return time.astimezone(datetime.timezone.utc).isoformat().replace("+00:00", "Z")
    except (ValueError, OverflowError):
        return None


json.dump([meaning(text) for text in request["texts"]], sys.stdout)
