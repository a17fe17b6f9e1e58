"""The job of `pledge export` as a plain aiohttp script: the yardstick of ExportBenchmarks.

    python3 export.py accounts.jsonl results.jsonl IN_FLIGHT    # EXIST_BASE_URL is where Exist is

Five calls an account, decoded; one line of JSON an account, written and synced. On standard error it says how many
requests it sent, and how many seconds of CPU that took.
"""

import asyncio
import json
import os
import sys
import time

import aiohttp


async def get(session, token, path, **query):
    async with session.get(
        f"/api/2/{path}", params=query, headers={"Authorization": f"Bearer {token}", "Accept": "application/json"}
    ) as reply:
        reply.raise_for_status()
        return await reply.json()


async def pages(session, token, path, counter, **query):
    results, page = [], 1
    while True:
        answer = await get(session, token, path, page=page, limit=100, **query)
        counter["requests"] += 1
        results += answer["results"]
        if not answer["next"]:
            return results
        page += 1


async def export(session, line, output, counter):
    account = json.loads(line)
    token = account["token"]
    result = {"service": account["service"], "account": account["account"]}
    try:
        profile = await get(session, token, "accounts/profile/")
        counter["requests"] += 1
        result["profile"] = {key: profile[key] for key in ("username", "first_name", "last_name", "timezone")}
        attributes = await pages(session, token, "attributes/with-values/", counter, days=7)
        result["values"] = [
            {"attribute": attribute["name"], "day": value["date"], "value": value["value"]}
            for attribute in attributes
            for value in attribute["values"]
            if value["value"] is not None
        ]
        result["attributes"] = [
            {
                "name": attribute["name"],
                "label": attribute["label"],
                "group": attribute["group"]["name"],
                "value_type": attribute["value_type"],
                "service": (attribute.get("service") or {}).get("name"),
            }
            for attribute in attributes
        ]
        days = ("overall", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
        result["averages"] = [
            {"attribute": average["user_attribute"], "day": average["date"], **{day: average[day] for day in days}}
            for average in await pages(session, token, "averages/", counter)
        ]
        result["correlations"] = [
            {
                "attribute": item["attribute"],
                "attribute2": item["attribute2"],
                "day": item["date"],
                "value": item["value"],
                "p": item["p"],
                "stars": item["stars"],
                "sentence": item["second_person"],
            }
            for item in await pages(session, token, "correlations/", counter)
        ]
        today = profile["local_time"][:10]
        first = time.strftime("%Y-%m-%d", time.gmtime(time.mktime(time.strptime(today, "%Y-%m-%d")) - 6 * 86400))
        result["insights"] = [
            {"day": item["target_date"], "created": item["created"], "type": item["type"]["name"], "text": item["text"]}
            for item in await pages(session, token, "insights/", counter, date_min=first)
        ]
    except (aiohttp.ClientError, asyncio.TimeoutError, KeyError) as error:
        result = {"service": account["service"], "account": account["account"], "error": {"message": str(error)}}
    output.write(json.dumps(result, ensure_ascii=False, separators=(",", ":")) + "\n")
    output.flush()
    os.fsync(output.fileno())


async def main(accounts, results, in_flight):
    counter = {"requests": 0}
    with open(accounts, encoding="utf-8") as lines, open(results, "w", encoding="utf-8") as output:
        connector = aiohttp.TCPConnector(limit=in_flight)
        async with aiohttp.ClientSession(os.environ["EXIST_BASE_URL"], connector=connector) as session:

            async def worker():
                for line in lines:
                    await export(session, line, output, counter)

            await asyncio.gather(*(worker() for _ in range(in_flight)))
    used = time.process_time()
    print(json.dumps({"requests": counter["requests"], "cpu": used}), file=sys.stderr)


asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
