"""A client of Exist that creates an attribute, writes ninety days of it in requests of 35, and reads them back."""
import datetime
import json
import sys
import urllib.request

base, token = sys.argv[1:]


def call(path, items=None):
    data = None if items is None else json.dumps(items).encode()
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(f"{base}api/2/{path}", data, headers)) as response:
        return response.status, json.load(response)


status, response = call(
    "attributes/create/", [{"label": "Pages written", "group": "productivity", "value_type": 0, "manual": False}])
assert status == 200 and not response["failed"], response
name = response["success"][0]["name"]
today = datetime.date.fromisoformat(call("accounts/profile/")[1]["local_time"][:10])
values = {str(today - datetime.timedelta(days=number)): number * 3 for number in range(90)}
items = [{"name": name, "date": day, "value": value} for day, value in values.items()]
for first in range(0, len(items), 35):
    status, response = call("attributes/update/", items[first:first + 35])
    assert status == 200 and len(response["success"]) == len(items[first:first + 35]), response
stored = call(f"attributes/values/?attribute={name}&limit=100")[1]["results"]
assert {day["date"]: day["value"] for day in stored if day["value"] is not None} == values, stored[:3]
status, response = call("attributes/update/", [items[0], {**items[1], "value": "many"}, {**items[2], "name": "nothing"}])
assert status == 202 and len(response["success"]) == 1 and len(response["failed"]) == 2, response
print(len(values), "days")
