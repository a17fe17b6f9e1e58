import Foundation
import PledgeHTTP
import Testing

@Suite("The rate limit that headers announce")
struct RateLimitTests {
    /// Tue, 24 Nov 2026 10:00:00 GMT
    private let now = Date(timeIntervalSince1970: 1_795_514_400)

    @Test(
        "A rate limit is read from each usual family of response headers",
        arguments: [
            (["RateLimit-Limit": "100", "RateLimit-Remaining": "0", "RateLimit-Reset": "30"], (100, 0, 30)),
            (["RateLimit-Limit": "100, 100;w=60", "RateLimit-Remaining": "7"], (100, 7, nil)),
            (
                ["X-RateLimit-Limit": "60", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1795514430"],
                (60, 0, 30)
            ),
            (["x-ratelimit-remaining": "1"], (nil, 1, nil)),
            (["X-Rate-Limit-Limit": "15", "X-Rate-Limit-Reset": "1795514430000"], (15, nil, 30)),
            ([#"RateLimit"#: #""default";r=50;t=30"#, "RateLimit-Policy": #""default";q=100;w=60"#], (100, 50, 30)),
            (["RateLimit": "default;r=0"], (nil, 0, nil)),
            (
                [
                    "RateLimit": #""day";r=900, "hour"; r=0; t=60, "minute";r=0;t=30"#,
                    "RateLimit-Policy": #""minute";q=10, "hour";q=100, "day";q=1000"#,
                ], (100, 0, 60)
            ),
            (["RateLimit": "limit=100, remaining=0, reset=30", "RateLimit-Policy": "100;w=60"], (100, 0, 30)),
            // The standard's `RateLimit` header takes precedence over the other two.
            (["X-RateLimit-Remaining": "9", "RateLimit-Remaining": "8", "RateLimit": "a;r=7"], (nil, 7, nil)),
            (["X-RateLimit-Remaining": "9", "RateLimit": "none"], (nil, 9, nil)),
        ] as [(HeaderFields, (Int?, Int?, Double?))])
    func families(headers: HeaderFields, numbers: (limit: Int?, remaining: Int?, seconds: Double?)) {
        let found = RateLimit(headers, now: now)
        let resetsAt = numbers.seconds.map { now + $0 }
        #expect(
            found == RateLimit(limit: numbers.limit, remaining: numbers.remaining, resetsAt: resetsAt), "\(headers)")
    }

    @Test(
        "The rate limit is nil if the headers contain no number that can be read",
        arguments: [
            [:], ["Retry-After": "7"], ["RateLimit": ""], ["RateLimit": ";=,\"\";r=x"], ["RateLimit-Policy": "a;q=7"],
            ["X-RateLimit-Limit": "many"],
        ] as [HeaderFields])
    func none(headers: HeaderFields) { #expect(RateLimit(headers, now: now) == nil) }
}
