import Foundation
import Testing

@testable import PledgeHTTP

@Suite("How long a service asks to wait")
struct RetryAfterTests {
    /// Tue, 24 Nov 2026 10:00:00 GMT
    private let now = Date(timeIntervalSince1970: 1_795_514_400)

    private func seconds(_ headers: HeaderFields, status: Int = 429) -> TimeInterval? {
        let response = RawResponse(url: URL(fileURLWithPath: "/"), status: status, headers: headers)
        return RetryAfter.seconds(in: response, RateLimit(headers, now: now), now: now)
    }

    @Test(
        "Retry-After and RateLimit-Reset are read in every form that services use",
        arguments: [
            "Tue, 24 Nov 2026 11:00:00 GMT", "Tuesday, 24-Nov-26 11:00:00 GMT", "Tue Nov 24 11:00:00 2026",
            "Tue, 24 Nov 2026 11:00:00 UTC", "Tue, 24 Nov 2026 11:00:00 +0000", "Tue, 24 Nov 2026 10:59:60 GMT", "3600",
            "3600.0", "1795518000", "1795518000000",
        ])
    func hour(text: String) {
        #expect(seconds(["Retry-After": text]) == 3600)
        if !text.contains("Nov") {
            #expect(seconds(["RateLimit-Reset": text]) == 3600)
            #expect(RateLimit(["RateLimit-Reset": text], now: now)?.resetsAt == now + 3600)
        }
    }

    @Test(
        "Retry-After is ignored if it isn't a number or a date, or if the date doesn't exist or isn't in UTC",
        arguments: [
            "", "soon", "1e3", "0x10", "nan", "inf", "1 hour", "1.2.3", "Tue, 24 Nov 2026 11:00:00 EST",
            "Tue, 24 Nov 2026 11:00:00 +0100", "Tue, 31 Nov 2026 11:00:00 GMT", "Tue, 24 Nov 2026 24:00:00 GMT",
            "Tue, 24 Nov 2026 10:60:00 GMT", "Tue, 24 Nov 2026 10:59:61 GMT",
            "Tue Nov 24 11:00 2026", "Tue, 24 Nov 2026",
        ])
    func none(text: String) { #expect(seconds(["Retry-After": text]) == nil) }

    @Test("A two-digit year means the latest year with these digits that is at most fifty years ahead")
    func century() {
        #expect(HTTPDate.parse("Sunday, 06-Nov-94 08:49:37 GMT", now: now) == Date(timeIntervalSince1970: 784_111_777))
        #expect(HTTPDate.parse("Sun Nov  6 08:49:37 1994", now: now) == Date(timeIntervalSince1970: 784_111_777))
        let near = HTTPDate.parse("Monday, 23-Nov-76 22:00:00 GMT", now: now)
        #expect(near == Date(timeIntervalSince1970: 3_373_394_400))
        let far = HTTPDate.parse("Wednesday, 24-Nov-77 10:00:00 GMT", now: now)
        #expect(far == Date(timeIntervalSince1970: 249_213_600))
        #expect(HTTPDate.parse("Tue, 24 Nov 2026 23:00:00 GMT", now: now) == now + 46_800)
    }

    @Test("Any single rate limit header is enough to announce a limit; Retry-After alone isn't")
    func announced() {
        #expect(RateLimit(["RateLimit-Limit": "7"], now: now)?.limit == 7)
        #expect(RateLimit(["RateLimit-Remaining": "7"], now: now)?.remaining == 7)
        #expect(RateLimit(["Retry-After": "7"], now: now) == nil)
        let all = RateLimit(["RateLimit-Limit": "2", "RateLimit-Remaining": "1", "RateLimit-Reset": "9"], now: now)
        #expect(all == RateLimit(limit: 2, remaining: 1, resetsAt: now + 9))
    }

    @Test("A requested wait is limited to the range from zero to about three decades")
    func bounds() {
        #expect(seconds(["Retry-After": "-5"]) == 0)
        #expect(seconds(["Retry-After": "Tue, 24 Nov 2026 09:00:00 GMT"]) == 0)
        #expect(seconds(["Retry-After": "999999999"]) == 999_999_999)
        let past = ["1000000000", "1700000000", "1000000000000"]
        #expect(
            past.allSatisfy { seconds(["Retry-After": $0]) == 0 } && seconds(["Retry-After": "999999999999"]) == 1e9)
        #expect(seconds(["Retry-After": String(repeating: "9", count: 400)]) == 1e9)
        #expect(seconds(["RateLimit-Reset": "60"], status: 503) == nil)
    }
}
