"""Leads the requests of the trivia bot, which are for a service of the outside world, to a stand-in for it."""

import os

import requests

service = "https://opentdb.com/"
ask = requests.get


def ask_stand_in(url, *rest, **options):
    return ask(url.replace(service, os.environ["TRIVIA_SITE"], 1), *rest, **options)


requests.get = ask_stand_in
