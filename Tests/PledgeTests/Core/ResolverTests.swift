import Foundation
import Pledge
import PledgeTestSupport
import Testing

@Suite("A resolver")
struct ResolverTests {
    private let source = Source(Int.self)

    private var outcome: Result<Int, any Error>? { source.promise.result }

    @Test("accepts a result with any type of error")
    func result() throws {
        source.seal.resolve(Result<Int, Fault>.success(1))
        #expect(try outcome?.get() == 1)
        let failed = Source(Int.self)
        failed.seal.resolve(Result<Int, Fault>.failure(.one))
        #expect(throws: Fault.one) { try failed.promise.result?.get() }
        let anyError = Source(Int.self)
        anyError.seal.resolve(Result<Int, any Error>.failure(Fault.two))
        #expect(throws: Fault.two) { try anyError.promise.result?.get() }
    }

    @Test("accepts a completion handler's value and error, in either order", arguments: [true, false])
    func pair(hasValue: Bool) {
        let value: Int? = hasValue ? 1 : nil
        let error: Fault? = hasValue ? nil : .one
        let reversed = Source(Int.self)
        source.seal.resolve(value, error)
        reversed.seal.resolve(error, value)
        for promise in [source.promise, reversed.promise] {
            #expect((try? promise.result?.get()) == value)
            #expect(promise.error as? Fault == error)
        }
    }

    @Test("rejects if a completion handler has neither a value nor an error")
    func neither() throws {
        let value: Int? = nil
        source.seal.resolve(value, nil)
        let error = try #require(source.promise.error)
        #expect(error as? PromiseError == .invalidCallingConvention)
        #expect("\(error)" == "A completion handler was called with neither a value nor an error.")
    }

    @Test("rejects if a completion handler has a value and an error, whether or not the value is optional")
    func both() throws {
        source.seal.resolve(1, Fault.one)
        #expect(throws: Fault.one) { try outcome?.get() }
        let optional = Source(Int.self)
        optional.seal.resolve(Int?.some(1), Fault.two)
        #expect(throws: Fault.two) { try optional.promise.result?.get() }
        let fine = Source(Int.self)
        fine.seal.resolve(1, nil)
        #expect(try fine.promise.result?.get() == 1)
    }

    @Test("of a promise without a value needs no value, and accepts an optional error")
    func void() {
        let (done, failed, fine) = (Source(Void.self), Source(Void.self), Source(Void.self))
        done.seal.fulfill()
        #expect(done.promise.isFulfilled)
        failed.seal.resolve(Fault.one)
        #expect(throws: Fault.one) { try failed.promise.result?.get() }
        fine.seal.resolve(nil)
        #expect(fine.promise.isFulfilled)
    }

    @Test("ignores all calls after the first, whichever they are")
    func onlyFirst() throws {
        source.seal.resolve(1, nil)
        source.seal.resolve(Result<Int, Fault>.failure(.one))
        source.seal.reject(Fault.two)
        source.seal.fulfill(2)
        #expect(try outcome?.get() == 1)
    }

    @Test("that is released unused rejects, and the error names the place where the promise was created")
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
