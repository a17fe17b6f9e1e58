"""A service account of MyDataHelps that lists the participants of its project and reads the steps of each."""
import base64
import json
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
import uuid

base, account, project = sys.argv[1:]
token_url = f"{base}identityserver/connect/token"


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=")


def signed(claims):
    text = b".".join(encoded(json.dumps(part).encode()) for part in ({"alg": "RS256", "typ": "JWT"}, claims))
    with tempfile.NamedTemporaryFile() as key:
        subprocess.run(["openssl", "genrsa", "-out", key.name, "2048"], check=True, capture_output=True)
        signature = subprocess.run(
            ["openssl", "dgst", "-sha256", "-sign", key.name], input=text, check=True, capture_output=True).stdout
    return (text + b"." + encoded(signature)).decode()


def token(**fields):
    with urllib.request.urlopen(token_url, urllib.parse.urlencode(fields).encode()) as response:
        return json.load(response)["access_token"]


def get(path, token, **query):
    url = f"{base}{path}?{urllib.parse.urlencode(query)}"
    headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers)) as response:
        return json.load(response)


service = token(
    scope="api", grant_type="client_credentials",
    client_assertion_type="urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion=signed({
        "iss": account, "sub": account, "aud": token_url, "exp": time.time() + 200, "jti": str(uuid.uuid4()),
    }))
people = []
while True:
    page = get(
        f"api/v1/administration/projects/{project}/participants", service, pageNumber=len(people) // 200, pageSize=200)
    people += page["participants"]
    if len(people) >= page["totalParticipants"] or not page["participants"]:
        break
assert len({person["id"] for person in people}) == page["totalParticipants"] > 200
for person in people[-12:]:
    own = token(
        scope="api", grant_type="delegated_participant", participant_id=person["id"],
        client_id="MyDataHelps.DelegatedParticipant", client_secret="secret", token=service)
    assert get("api/v1/delegated/participant", own)["participantIdentifier"] == person["participantIdentifier"]
    points, page = [], {"nextPageID": None}
    while not points or page["nextPageID"]:
        more = {"pageID": page["nextPageID"]} if page["nextPageID"] else {}
        page = get("api/v1/delegated/devicedata", own, namespace="Fitbit", type="Steps", limit=25, **more)
        points += page["deviceDataPoints"]
    assert len({point["id"] for point in points}) == len(points) > 25
print(len(people), "people,", len(points), "points each")
