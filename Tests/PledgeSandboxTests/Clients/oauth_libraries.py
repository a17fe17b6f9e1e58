"""Signs in with Exist through two OAuth libraries with default settings.

Each library gets the user's consent, exchanges the code, uses the token, refreshes it, and uses the new token.
"""
import os
import sys

import requests
from authlib.integrations.base_client.errors import OAuthError
from authlib.integrations.requests_client import OAuth2Session as AuthlibSession
from oauthlib.oauth2 import OAuth2Error
from requests_oauthlib import OAuth2Session

base, client_id, client_secret = sys.argv[1:]
authorize_url, token_url = f"{base}oauth2/authorize", f"{base}oauth2/access_token"
redirect, scopes = "https://app.test/back", ["mood_read", "sleep_read"]
# Both libraries insist on TLS, which the server doesn't have.
os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"


def consent(url):
    return requests.get(url, allow_redirects=False).headers["Location"]


def attributes(session):
    return session.get(f"{base}api/2/attributes/")


def check(session, url, exchange, refresh, errors):
    answer = consent(url)
    first = dict(exchange(answer))
    assert attributes(session).status_code == 200
    second = dict(refresh(first["refresh_token"]))
    assert second["access_token"] != first["access_token"] and attributes(session).status_code == 200
    old = requests.get(f"{base}api/2/attributes/", headers={"Authorization": f"Bearer {first['access_token']}"})
    assert old.status_code == 401, old.status_code
    for again in (lambda: exchange(answer), lambda: refresh(first["refresh_token"])):
        try:
            again()
        except errors as error:
            assert "invalid_grant" in str(error), error
        else:
            raise AssertionError("a code or a refresh token was used twice")


session = OAuth2Session(client_id, redirect_uri=redirect, scope=scopes)
check(
    session, session.authorization_url(authorize_url)[0],
    lambda answer: session.fetch_token(token_url, authorization_response=answer, client_secret=client_secret),
    lambda token: session.refresh_token(
        token_url, refresh_token=token, client_id=client_id, client_secret=client_secret), OAuth2Error)
print("requests-oauthlib")

other = AuthlibSession(client_id, client_secret, redirect_uri=redirect, scope=" ".join(scopes))
check(
    other, other.create_authorization_url(authorize_url)[0],
    lambda answer: other.fetch_token(token_url, authorization_response=answer),
    lambda token: other.refresh_token(token_url, refresh_token=token), OAuthError)
print("Authlib")
