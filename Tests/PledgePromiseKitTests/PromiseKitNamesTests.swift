import Dispatch
import PledgePromiseKit
import Testing

@Suite("PromiseKit's names")
struct PromiseKitNamesTests {
    private struct User: Sendable {
        let name: String
        var nickname: String?
        var isAdmin = false
    }

    private let users = Promise.value([User(name: "b", nickname: "bee", isAdmin: true), User(name: "a")])

    @Test("for lists are there")
    func sequences() throws {
        #expect(try hang(users.mapValues { $0.name }) == ["b", "a"])
        #expect(try hang(users.mapValues(\.name)) == ["b", "a"])
        #expect(try hang(users.flatMapValues { [$0.name, $0.name] }) == ["b", "b", "a", "a"])
        #expect(try hang(users.compactMapValues { $0.nickname }) == ["bee"])
        #expect(try hang(users.compactMapValues(\.nickname)) == ["bee"])
        #expect(try hang(users.thenMap { Promise.value($0.name) }) == ["b", "a"])
        #expect(try hang(users.thenFlatMap { Promise.value([$0.name]) }) == ["b", "a"])
        #expect(try hang(users.filterValues { $0.isAdmin }.map(\.count)) == 1)
        #expect(try hang(users.filterValues(\.isAdmin).map(\.count)) == 1)
        #expect(try hang(users.firstValue.map(\.name)) == "b")
        #expect(try hang(users.firstValue { !$0.isAdmin }.map(\.name)) == "a")
        #expect(try hang(users.lastValue.map(\.name)) == "a")
        #expect(try hang(users.mapValues(\.name).sortedValues()) == ["a", "b"])
    }

    @Test("for values are there")
    func values() throws {
        let user = users.firstValue
        #expect(try hang(user.map(\.name)) == "b")
        #expect(try hang(user.compactMap(\.nickname)) == "bee")
        #expect(try hang(user.compactMap { Int($0.name) ?? 3 }) == 3)
        try hang(user.asVoid())
        try hang(user.ensureThen { Guarantee() }.asVoid())
    }

    @Test("for errors are there")
    func errors() {
        let all: [PMKError] = [
            .cancelled, .returnedSelf, .emptySequence, .noWinner, .badInput("text"), .invalidCallingConvention,
        ]
        #expect(all.filter(\.isCancelled) == [.cancelled])
        do {
            _ = try hang(Promise.value("x").compactMap { Int($0) })
            Issue.record("compactMap found something")
        } catch PMKError.compactMap {
            // As it should be.
        } catch {
            Issue.record(error)
        }
        let cancellable: any CancellableError = PMKError.cancelled
        #expect(cancellable.isCancelled)
        let policies: [CatchPolicy] = [.allErrors, .allErrorsExceptCancellation]
        #expect(policies.count == 2)
    }

    @Test("for types are there")
    func types() throws {
        let finalizer: PMKFinalizer = Promise.value(1).catch { Issue.record($0) }
        finalizer.finally {}
        let cascading: PMKCascadingFinalizer = Promise.value(1).catch(only: PMKError.self) { Issue.record($0) }
        cascading.cauterize()
        func bridge<Bridge: Thenable>(_ bridge: Bridge) -> Promise<Bridge.T> { Promise(bridge) }
        #expect(try hang(bridge(Guarantee.value(1))) == 1)
        let seal: Resolver<Int> = Promise<Int>.pending().resolver
        seal.fulfill(1)
        let word: PMKNamespacer = .promise
        #expect(word == .promise)
        func isMixin<Mixin: CatchMixin>(_ mixin: Mixin) -> Bool { true }
        #expect(isMixin(Promise.value(1)))
    }

    #if os(macOS) || os(Linux) || os(Windows) || os(FreeBSD)
        @Test("for the configuration are there")
        func configuration() async {
            await #expect(processExitsWith: .success) {
                let queue = DispatchQueue(label: "work")
                conf.Q.map = queue
                conf.Q.return = .main
                #expect(conf.Q.map === queue && conf.Q.return != nil)
                conf.Q = (map: .main, return: .main)
                conf.Q = (map: nil, return: nil)
                #expect(conf.Q.map == nil && conf.Q.return == nil)
                conf.Q = (map: .global(), return: .global())
                conf.catchPolicy = .allErrors
                #expect(PromiseConfiguration.shared.catchPolicy == .allErrors)
                conf.logHandler = { (event: LogEvent) in
                    if case .cauterized(let error) = event { print(error) }
                }
                try await Promise<Int>(error: PMKError.noWinner).cauterize().async()
                let copy: PMKConfiguration = conf
                #expect(copy.Q.map != nil && copy.catchPolicy == .allErrors)
            }
        }
    #endif
}
