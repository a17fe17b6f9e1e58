import ExistKit

extension Extreme {
    protocol Rows { static var rows: [String: Call] { get } }

    /// The calls of version 1.
    private enum Older: Rows {
        @available(*, deprecated)  // As they are.
        static var rows: [String: Call] {
            [
                "ExistAPI.attributes(names:limit:minDate:maxDate:)": { x in
                    await settle(api.attributes(limit: x.int, minDate: x.date, maxDate: x.date))
                },
                "ExistAPI.averages(for:limit:pageIndex:minDate:maxDate:)": { x in
                    await settle(api.averages(limit: x.int, pageIndex: x.int, minDate: x.date, maxDate: x.date))
                },
                "ExistAPI.correlations(for:limit:pageIndex:minDate:maxDate:latest:)": { x in
                    await settle(api.correlations(limit: x.int, pageIndex: x.int, minDate: x.date, maxDate: x.date))
                },
                "ExistAPI.insights(limit:pageIndex:minDate:maxDate:)": { x in
                    await settle(api.insights(limit: x.int, pageIndex: x.int, minDate: x.date, maxDate: x.date))
                },
            ]
        }
    }

    /// Found through the protocol, as only these are deprecated and not the test.
    static var older: [String: Call] { (Older.self as any Rows.Type).rows }
}
