"""Reads JSON with Python's readers, for DecodingBenchmarks: commands on standard input, CPU seconds on standard output."""
import sys
import time
from datetime import date, datetime
from json import loads
from typing import Optional, Union

readers = {"json": lambda key: loads}
try:
    import orjson

    readers["orjson"] = lambda key: orjson.loads
except ImportError:
    pass
try:
    import simdjson

    parser = simdjson.Parser()
    readers["simdjson"] = lambda key: lambda body: parser.parse(body) and None
except ImportError:
    pass
try:
    import msgspec

    class Group(msgspec.Struct):
        name: str
        label: str
        priority: int

    class Service(msgspec.Struct):
        name: str
        label: str

    class Value(msgspec.Struct):
        date: date
        value: Union[int, float, str, None]

    class Attribute(msgspec.Struct):
        template: Optional[str]
        name: str
        label: str
        group: Group
        service: Service
        active: bool
        priority: int
        manual: bool
        value_type: int
        value_type_description: str
        values: list[Value]

    class Average(msgspec.Struct):
        user_attribute: str
        date: date
        overall: float
        monday: float
        tuesday: float
        wednesday: float
        thursday: float
        friday: float
        saturday: float
        sunday: float

    class Rating(msgspec.Struct):
        positive: bool
        rating_type: int
        rating: str

    class Correlation(msgspec.Struct):
        date: date
        period: int
        offset: int
        attribute: str
        attribute2: str
        value: float
        p: float
        percentage: float
        stars: int
        second_person: str
        second_person_elements: list[str]
        attribute_category: Optional[str]
        strength_description: str
        stars_description: str
        description: Optional[str]
        occurrence: str
        rating: Optional[Rating]

    class InsightAttribute(msgspec.Struct):
        name: str
        label: str
        group: Group
        priority: int
        value_type: int
        value_type_description: str

    class InsightType(msgspec.Struct):
        name: str
        period: int
        priority: int
        attribute: InsightAttribute

    class Insight(msgspec.Struct):
        created: datetime
        target_date: Optional[date]
        type: InsightType
        html: str
        text: str

    class Source(msgspec.Struct):
        identifier: str
        properties: dict[str, str]

    class Point(msgspec.Struct):
        id: str
        namespace: str
        deviceDataContextID: Optional[str]
        insertedDate: datetime
        modifiedDate: datetime
        identifier: str
        type: str
        value: str
        units: str
        properties: dict[str, str]
        source: Source
        startDate: datetime
        observationDate: datetime

    def page(item):
        return msgspec.defstruct("Page", [("count", int), ("next", Optional[str]), ("results", list[item])])

    decoders = {
        "attributes": msgspec.json.Decoder(page(Attribute)).decode,
        "averages": msgspec.json.Decoder(page(Average)).decode,
        "correlations": msgspec.json.Decoder(page(Correlation)).decode,
        "insights": msgspec.json.Decoder(page(Insight)).decode,
        "deviceData": msgspec.json.Decoder(msgspec.defstruct("Points", [("deviceDataPoints", list[Point])])).decode,
    }
    readers["msgspec"] = decoders.get
except ImportError:
    pass

print(sys.executable, *readers, flush=True)
bodies = {}
while line := sys.stdin.buffer.readline().decode().split():
    if line[0] == "load":
        bodies[line[1]] = sys.stdin.buffer.read(int(line[2]))
    else:
        _, key, library, count = line
        read, body = readers[library](key), bodies[key]
        start = time.process_time()
        for _ in range(int(count)):
            read(body)
        print(time.process_time() - start, flush=True)
