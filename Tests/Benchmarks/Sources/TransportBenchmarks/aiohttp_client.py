"""For each input line "requests in_flight", sends that many requests with aiohttp, and prints the CPU seconds and seconds."""

import asyncio
import resource
import sys
import time

try:
    import aiohttp
except ImportError:
    sys.exit("aiohttp is not installed, so it does not take part (PYTHON=... names another Python).")


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


async def run(session, url, expected, requests, in_flight):
    left = iter(range(requests))

    async def work():
        for _ in left:
            async with session.get(url) as reply:
                body = await reply.read()
                if reply.status != 200 or len(body) != expected:
                    sys.exit(f"{reply.status} with {len(body)} bytes")

    before, start = cpu_seconds(), time.monotonic()
    await asyncio.gather(*(work() for _ in range(in_flight)))
    return cpu_seconds() - before, time.monotonic() - start


async def main(url, expected):
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        print("ready", flush=True)
        # Nothing else runs in this process while it waits for a line, so this may block the event loop.
        for line in sys.stdin:
            requests, in_flight = map(int, line.split())
            cpu, seconds = await run(session, url, expected, requests, in_flight)
            print(cpu, seconds, flush=True)


asyncio.run(main(sys.argv[1], int(sys.argv[2])))
