"""Who asks, and for which rows. Read by Schemathesis (schemathesis.toml)."""

import os
import zlib

import requests
import schemathesis

URL = os.environ["VIGIE_URL"]
CREDENTIALS = {"email": os.environ["VIGIE_EMAIL"], "password": os.environ["VIGIE_PASSWORD"]}
# The demo data has rows with the first ids in every table. The accounts that ask are younger than those of the demo data, so that
# they do not delete themselves.
KNOWN_IDS = 4


class Session:
    """One session for all requests; a new one when a request ended it."""

    token = None


@schemathesis.auth()
class SignedIn:
    def get(self, case, context):
        if Session.token is None:
            answer = requests.post(f"{URL}/api/UserAccounts/login", json=CREDENTIALS, timeout=60)
            answer.raise_for_status()
            Session.token = answer.json()["id"]
        return Session.token

    def set(self, case, data, context):
        case.headers["Authorization"] = data


@schemathesis.hook
def after_call(context, case, response):
    if response.status_code == 401:
        Session.token = None


@schemathesis.hook
def map_path_parameters(context, path_parameters):
    """Half of the ids are of rows that are there; an id made at random never is."""
    for name in ("id", "fk"):
        drawn = zlib.crc32(repr((path_parameters or {}).get(name)).encode())
        if path_parameters and name in path_parameters and drawn % 2:
            path_parameters[name] = str(drawn // 2 % KNOWN_IDS + 1)
    return path_parameters
