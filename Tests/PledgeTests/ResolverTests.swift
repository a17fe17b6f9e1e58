import Pledge
import PledgeTestSupport
import Testing

@Suite("A resolver")
struct ResolverTests {
    @Test(
        "A resolver takes a Result or a completion handler's value and error; errors win, and later calls do nothing"
    )
    func calls() {
        let (none, some): (Int?, Int?) = (nil, 1)
        let (fault, noFault): (Fault?, Fault?) = (.one, nil)
        let rows: [(what: String, call: @Sendable (Resolver<Int>) -> Void, outcome: String)] = [
            ("a value", { $0.resolve(Result<Int, Fault>.success(1)) }, "success(1)"),
            ("an error of one type", { $0.resolve(Result<Int, Fault>.failure(.one)) }, "failure(one)"),
            ("any error", { $0.resolve(Result<Int, any Error>.failure(Fault.one)) }, "failure(one)"),
            ("a value, no error", { $0.resolve(some, noFault) }, "success(1)"),
            ("no error, a value", { $0.resolve(noFault, some) }, "success(1)"),
            ("no value, an error", { $0.resolve(none, fault) }, "failure(one)"),
            ("an error, no value", { $0.resolve(fault, none) }, "failure(one)"),
            ("a certain value, no error", { $0.resolve(1, nil) }, "success(1)"),
            ("a certain value, an error", { $0.resolve(1, Fault.one) }, "failure(one)"),
            ("both", { $0.resolve(some, fault) }, "failure(one)"),
            (
                "neither", { $0.resolve(none, nil) },
                "failure(A completion handler was called with neither a value nor an error.)"
            ),
        ]
        for row in rows {
            let source = Source(Int.self)
            row.call(source.seal)
            source.seal.resolve(Result<Int, Fault>.failure(.two))
            source.seal.resolve(3, nil)
            source.seal.reject(Fault.two)
            source.seal.fulfill(2)
            #expect(source.promise.result.map { "\($0)" } == row.outcome, "\(row.what)")
        }
    }

    @Test("The resolver of a promise without a value needs no value, and accepts an optional error")
    func void() {
        for (call, error) in [({ $0.fulfill() }, nil), ({ $0.resolve(Fault.one) }, .one), ({ $0.resolve(nil) }, nil)]
            as [((Resolver<Void>) -> Void, Fault?)]
        {
            let source = Source(Void.self)
            call(source.seal)
            #expect(source.promise.isResolved && source.promise.error as? Fault == error)
        }
    }

    @Test("If a resolver is released without being used, the error of its promise names where the promise was created")
    func dropped() async throws {
        _ = LogCapture.shared
        let line = #line + 1
        let promise = Promise<Int>.pending().promise
        let error = try #require(await promise.failure())
        #expect(error as? PromiseError == .dropped(file: #fileID, line: UInt(line)))
        #expect(
            "\(error)" == "The promise made at PledgeTests/ResolverTests.swift:\(line) can never settle, because its "
                + "resolver was released unused: keep the resolver until you call fulfill or reject.")
    }
}
