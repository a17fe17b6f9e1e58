import ExistKit
import Foundation

extension Extreme {
    static let exist: [String: Call] = [
        "AttributeIncrement.init(name:by:day:)": { x in
            await increment([.init(name: "a", by: x.int, day: nil), .init(name: "a", by: x.double, day: nil)])
        },
        "Average.init(attribute:day:overall:weekdays:)": {
            show(Average(attribute: "a", day: day, overall: $0.double, weekdays: [.monday: $0.double]))
        },
        "ExistAPI.attributes(names:days:from:through:)": { x in
            await settle(api.attributes(days: x.int))
            await settle(api.attributes(days: x.int, from: ExistDay(x.date), through: ExistDay(x.date)))
        },
        "ExistAPI.averages(for:includeHistorical:limit:page:from:through:)": { x in
            await settle(api.averages(includeHistorical: true, limit: x.int, page: x.int, from: ExistDay(x.date)))
        },
        "ExistAPI.correlations(for:strong:confident:limit:page:)": { x in
            await settle(api.correlations(strong: true, limit: x.int, page: x.int))
        },
        "ExistAPI.init(token:timeout:kind:baseURL:timeZone:options:)": { x in
            await settle(ExistAPI(token: "t", timeout: x.double, options: options).user())
        },
        "ExistAPI.insights(days:)": { await settle(api.insights(days: $0.int)) },
        "ExistAPI.insights(limit:page:from:through:)": { x in
            await settle(api.insights(limit: x.int, page: x.int, from: ExistDay(x.date)))
        },
        "ExistDay.advanced(by:)": { x in
            for days in [ExistDay(x.date), day] {
                let moved = days.advanced(by: x.int)
                show([moved, moved.advanced(by: x.int)])
                show([moved.weekday, moved.date(in: .gmt), moved.distance(to: days)] as [Any])
            }
        },
        "ExistDay.init(_:in:)": { x in
            for seconds in [-50_400, 0, 50_400] {
                show(ExistDay(x.date, in: TimeZone(secondsFromGMT: seconds) ?? .gmt))
            }
        },
        "ExistDay.init(year:month:day:)": { show(ExistDay(year: $0.int, month: $0.int, day: $0.int) as Any) },
        "ExistQuery.attributes(groups:names:excludeCustom:manual:includeInactive:includeLowPriority:owned:limit:page:)":
            {
                await walk(.attributes(limit: $0.int, page: $0.int))
            },
        "ExistQuery.attributesWithValues(groups:names:templates:manual:days:through:limit:page:)": {
            await walk(.attributesWithValues(days: $0.int, through: ExistDay($0.date), limit: $0.int, page: $0.int))
        },
        "ExistQuery.insights(from:through:priority:limit:page:)": {
            await walk(.insights(priority: $0.int, limit: $0.int, page: $0.int))
        },
        "TimeOfDay.init(hour:minute:)": { show(TimeOfDay(hour: $0.int, minute: $0.int) as Any) },
        "TimeOfDay.init(minutesFromMidday:)": { show(TimeOfDay(minutesFromMidday: $0.int) as Any) },
        "TimeOfDay.init(minutesFromMidnight:)": { show(TimeOfDay(minutesFromMidnight: $0.int) as Any) },
        "ValueUpdate.init(name:date:value:in:)": { x in
            await settle(
                api.update(attributes: [
                    IntAttributeUpdate(name: "a", date: x.date, value: x.int, in: .gmt),
                    FloatAttributeUpdate(name: "a", date: x.date, value: x.double, in: .gmt),
                ]))
        },
    ]

    static let day = ExistDay(Date(timeIntervalSince1970: 0), in: .gmt)

    private static let options = ExistAPI.defaultOptions.with {
        $0.transport = CannedTransport(json: #"{"username":"u","count":0,"results":[],"success":[],"failed":[]}"#)
        $0.clock = clock()
    }

    static let api = ExistAPI(token: "t", options: options)

    static func settle<Value>(_ promise: Promise<Value>) async { show(await promise.settled().value) }

    static func increment(_ items: [AttributeIncrement]) async { await settle(api.increment(attributes: items)) }

    /// Fetches a page, and derives the query for the next page.
    private static func walk<Item>(_ query: ExistQuery<Item>) async {
        await settle(api.page(query))
        show(query.page(after: ExistPage(totalCount: 0, next: "x", results: [])) as Any)
    }
}
