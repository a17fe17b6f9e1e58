#if os(Linux)
    import Foundation
    import FoundationNetworking
    import PledgeTestSupport
    import Testing

    @testable import PledgeHTTP

    @Suite("The proxy that URLSession uses on Linux")
    struct DelegatedSessionsTests {
        @Test(
            "On Linux, URLSession uses the environment's proxy for the URL's scheme, except for hosts that libcurl excludes",
            arguments: [
                ("http://a.example/", "http://plain:1"), ("https://a.example/", "http://secure:2"),
                ("http://b.example/", nil), ("https://b.example/", nil), ("https://c.example/", "http://secure:2"),
            ] as [(String, String?)])
        func rule(url: String, proxy: String?) throws {
            let environment = [
                "http_proxy": "http://plain:1", "HTTPS_PROXY": "http://secure:2", "NO_PROXY": "b.example *.c.example",
            ]
            let url = try #require(URL(string: url))
            let found = try DelegatedSessions.rule(isPlain: url.scheme == "http", in: environment).choice(for: url)
            #expect(found == proxy.flatMap { URL(string: $0) })
        }

        @Test("A redirect is declined unless its exchange was stopped, because declining it then would end the process")
        func stopped() throws {
            let request = OutgoingRequest(url: try #require(URL(string: "http://localhost:1/")))
            let session = try DelegatedSessions(.ephemeral, proxy: .environment).session(for: request)
            let declined = Counter()
            let exchange = SessionExchange(request, on: session, seal: Promise<RawResponse>.pending().resolver)
            for _ in 1...2 {
                exchange.refuseRedirect { _ in declined.increment() }
                exchange.stop(nil)
            }
            #expect(declined.value == 1)
        }
    }

    @Suite("A bounded operation queue", .serialized)
    struct BoundedOperationQueueTests {
        @Test(
            "A full bounded queue blocks additions for at most its `patience`, and keeps their order",
            arguments: [3, 10])
        func bounded(added: Int) async throws {
            let queue = BoundedOperationQueue(room: 3, patience: added == 3 ? .never : .milliseconds(1))
            queue.isSuspended = true
            let (count, run) = (Counter(), Recorder<Int>())
            Thread.detachNewThread {
                for number in 0..<10 {
                    queue.addOperation { run.append(number) }
                    count.increment()
                }
            }
            await Wait.until { count.value == added }
            #expect(queue.operationCount == added)
            queue.isSuspended = false
            await Wait.until { run.count == 10 }
            #expect(run.all == Array(0..<10))
        }
    }
#endif
