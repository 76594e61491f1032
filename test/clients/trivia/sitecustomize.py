"""Redirects the trivia bot's requests from its external service to the test's server. Python runs this file at its start."""

import os

import requests

service = "https://opentdb.com/"
original_get = requests.get


def get_from_test_server(url, *args, **options):
    return original_get(url.replace(service, os.environ["TRIVIA_SITE"], 1), *args, **options)


requests.get = get_from_test_server
