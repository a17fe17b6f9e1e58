"""The job of `pledge export` as a plain aiohttp script: the yardstick of ExportBenchmarks.

    python3 export.py accounts.jsonl results.jsonl IN_FLIGHT FIRST LAST [json | orjson]

EXIST_BASE_URL is where Exist is. The same requests, one after another for each account, and the same fields out; one line
of JSON an account, written and synced.
"""

import asyncio
import json
import os
import sys
from datetime import datetime

import aiohttp

accounts, results, in_flight, first, last = sys.argv[1:6]
if "orjson" in sys.argv:
    import orjson

    loads, dumps = orjson.loads, orjson.dumps
else:
    loads = json.loads

    def dumps(value):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


async def get(session, token, path, **query):
    async with session.get(
        f"/api/2/{path}", params=query, headers={"Authorization": f"Bearer {token}", "Accept": "application/json"}
    ) as reply:
        reply.raise_for_status()
        return loads(await reply.read())


async def pages(session, token, path, **query):
    results, page = [], 1
    while True:
        answer = await get(session, token, path, page=page, limit=100, **query)
        results += answer["results"]
        if not answer["next"]:
            return results
        page += 1


PROFILE = (
    "username", "first_name", "last_name", "avatar", "timezone", "local_time", "imperial_distance", "imperial_weight",
    "imperial_energy", "imperial_liquid", "imperial_temperature", "trial", "delinquent",
)
DAYS = ("overall", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
CORRELATION = (
    "period", "offset", "attribute", "attribute2", "value", "p", "percentage", "stars", "second_person",
    "second_person_elements", "attribute_category", "strength_description", "stars_description", "description",
    "occurrence", "rating",
)


async def export(session, line, output):
    account = loads(line)
    token = account["token"]
    result = {"service": account["service"], "account": account["account"]}
    try:
        profile = await get(session, token, "accounts/profile/")
        result["profile"] = {key: profile[key] for key in PROFILE}
        result["profile"]["utc_offset"] = datetime.fromisoformat(profile["local_time"]).utcoffset().seconds
        attributes = await pages(session, token, "attributes/with-values/", days=7, date_max=last)
        result["values"] = [
            {"attribute": attribute["name"], "day": value["date"], "value": value["value"]}
            for attribute in attributes
            for value in attribute["values"]
            if value["value"] is not None
        ]
        result["attributes"] = [
            {
                "template": attribute["template"],
                "name": attribute["name"],
                "label": attribute["label"],
                "group": attribute["group"],
                "service": attribute.get("service"),
                "active": attribute["active"],
                "priority": attribute["priority"],
                "manual": attribute["manual"],
                "value_type": attribute["value_type"],
                "value_type_description": attribute["value_type_description"],
                "available_services": attribute.get("available_services", []),
            }
            for attribute in attributes
        ]
        result["averages"] = [
            {"attribute": average["user_attribute"], "day": average["date"], **{day: average[day] for day in DAYS}}
            for average in await pages(session, token, "averages/")
        ]
        result["correlations"] = [
            {"day": item["date"], **{key: item[key] for key in CORRELATION}}
            for item in await pages(session, token, "correlations/")
        ]
        result["insights"] = [
            {
                "created": item["created"],
                "target_day": item["target_date"],
                "type": item["type"],
                "html": item["html"],
                "text": item["text"],
            }
            for item in await pages(session, token, "insights/", date_min=first, date_max=last)
        ]
    except (aiohttp.ClientError, asyncio.TimeoutError, KeyError) as error:
        result = {"service": account["service"], "account": account["account"], "error": {"message": str(error)}}
    output.write(dumps(result) + b"\n")
    output.flush()
    os.fsync(output.fileno())


async def main():
    with open(accounts, encoding="utf-8") as lines, open(results, "wb") as output:
        connector = aiohttp.TCPConnector(limit=int(in_flight))
        async with aiohttp.ClientSession(os.environ["EXIST_BASE_URL"], connector=connector) as session:

            async def worker():
                for line in lines:
                    await export(session, line, output)

            await asyncio.gather(*(worker() for _ in range(int(in_flight))))


asyncio.run(main())
