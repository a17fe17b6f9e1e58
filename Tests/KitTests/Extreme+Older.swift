import ExistKit
import Foundation
import PledgeTestSupport

/// The calls of version 1.
enum OlderExtremes: Extreme.Rows {
    @available(*, deprecated)  // As they are.
    static var rows: [String: Extreme.Call] {
        [
            "ExistAPI.attributes(names:limit:minDate:maxDate:)": { x in
                await Extreme.settle(Extreme.api.attributes(limit: x.int, minDate: x.date, maxDate: x.date))
            },
            "ExistAPI.averages(for:limit:pageIndex:minDate:maxDate:)": { x in
                await Extreme.settle(
                    Extreme.api.averages(limit: x.int, pageIndex: x.int, minDate: x.date, maxDate: x.date))
            },
            "ExistAPI.correlations(for:limit:pageIndex:minDate:maxDate:latest:)": { x in
                await Extreme.settle(
                    Extreme.api.correlations(
                        limit: x.int, pageIndex: x.int, minDate: x.date, maxDate: x.date, latest: true))
            },
            "ExistAPI.insights(limit:pageIndex:minDate:maxDate:)": { x in
                await Extreme.settle(
                    Extreme.api.insights(limit: x.int, pageIndex: x.int, minDate: x.date, maxDate: x.date))
            },
        ]
    }
}

extension Extreme {
    protocol Rows {
        static var rows: [String: Call] { get }
    }

    /// Found through the protocol, as only these are deprecated and not the test.
    static var older: [String: Call] { (OlderExtremes.self as any Rows.Type).rows }
}
