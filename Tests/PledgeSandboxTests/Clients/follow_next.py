"""A client of Exist that reads a month of every attribute, and follows the link `next` from each page to the next."""
import json
import sys
import urllib.request

base, token = sys.argv[1:]


def pages(url):
    while url:
        request = urllib.request.Request(url, headers={"Authorization": f"Bearer {token}"})
        with urllib.request.urlopen(request) as response:
            page = json.load(response)
        yield page
        url = page["next"]


found = list(pages(f"{base}api/2/attributes/with-values/?days=30&limit=10"))
attributes = [attribute for page in found for attribute in page["results"]]
assert len(found) > 1 and len(attributes) == found[0]["count"], len(attributes)
assert all(len(attribute["values"]) == 30 for attribute in attributes), "a page lost the number of days"
days = [day["date"] for page in pages(f"{base}api/2/attributes/values/?attribute=mood&limit=100") for day in page["results"]]
assert len(set(days)) == len(days) == 365, len(days)
print(len(attributes), "attributes,", len(days), "days")
