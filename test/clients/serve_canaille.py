"""
Runs Canaille (https://canaille.readthedocs.io), an identity provider, on this machine, with one person in one group. Reads who
they are and prints its address; then reads the redirect address of its client, and serves.
"""

import datetime
import json
import sys

from canaille import create_app
from canaille.app import models
from joserfc.jwk import RSAKey
from werkzeug.serving import make_server

given = json.loads(sys.stdin.readline())
apps = []
server = make_server("127.0.0.1", 0, lambda *request: apps[0](*request), threaded=True)
address = f"127.0.0.1:{server.server_port}"
key = RSAKey.generate_key(2048, {"alg": "RS256", "use": "sig"}, auto_kid=True)
app = create_app(
    {
        "SECRET_KEY": "a secret of the tests",
        "SERVER_NAME": address,
        "PREFERRED_URL_SCHEME": "http",
        "CANAILLE": {"DATABASE": "memory", "JAVASCRIPT": False, "HTMX": False},
        "CANAILLE_OIDC": {"ACTIVE_JWKS": [key.as_dict(private=True)]},
    }
)
# Canaille verifies addresses, but has no setting for the claim.
app.config["CANAILLE_OIDC"]["USERINFO_MAPPING"]["EMAIL_VERIFIED"] = "true"
print(f"http://{address}", flush=True)
redirect_uri = json.loads(sys.stdin.readline())
with app.app_context():
    user = models.User(
        user_name=given["user_name"],
        family_name=given["name"],
        formatted_name=given["name"],
        emails=[given["email"]],
        password=given["password"],
    )
    client = models.Client(
        client_id="skein",
        client_secret=given["client_secret"],
        client_id_issued_at=datetime.datetime.now(datetime.timezone.utc),
        client_name="Skein",
        redirect_uris=[redirect_uri],
        grant_types=["authorization_code"],
        response_types=["code"],
        scope=["openid", "email", "profile", "groups"],
        token_endpoint_auth_method="client_secret_basic",
    )
    app.backend.save(user)
    app.backend.save(models.Group(display_name=given["group"], members=[user]))
    app.backend.save(client)
    client.audience = [client]
    app.backend.save(client)
apps.append(app)
server.serve_forever()
