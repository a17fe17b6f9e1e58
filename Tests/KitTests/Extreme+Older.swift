import ExistKit

extension Extreme {
    protocol Rows { static var rows: [String: Call] { get } }

    /// Calls from version 1 of the kit.
    private enum Older: Rows {
        @available(*, deprecated)  // Because the calls are deprecated.
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

    /// The calls are read through the protocol `Rows`, because reading `Older.rows` directly would give a deprecation
    /// warning.
    static var older: [String: Call] { (Older.self as any Rows.Type).rows }
}
