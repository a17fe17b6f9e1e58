import Dispatch
import Foundation
@_spi(PromiseKit) import PledgePromiseKit
import Testing

// Written as for PromiseKit 8: the one difference is the import.

private struct User: Sendable, Equatable {
    let name: String
    var nickname: String?
}

private enum LoginError: Error, Equatable {
    case wrongPassword, locked
}

/// What happened, for handlers that run elsewhere.
private final class Log: @unchecked Sendable {
    private let lock = NSLock()
    private var lines: [String] = []

    func append(_ line: String) {
        lock.lock()
        defer { lock.unlock() }
        lines.append(line)
    }

    var all: [String] {
        lock.lock()
        defer { lock.unlock() }
        return lines
    }
}

// MARK: Functions as they were

private func login() -> Promise<User> {
    return Promise { seal in
        DispatchQueue.global().async {
            seal.fulfill(User(name: "ada", nickname: nil))
        }
    }
}

private func fetchAge(of user: User) -> Promise<Int> {
    return Promise { seal in
        load(user) { age, error in
            seal.resolve(age, error)
        }
    }
}

private func load(_ user: User, completion: @escaping @Sendable (Int?, Error?) -> Void) {
    DispatchQueue.global().async { completion(36, nil) }
}

private func save() -> Promise<Void> {
    return Promise { seal in
        seal.fulfill()
    }
}

private func fails() -> Promise<User> {
    return Promise(error: LoginError.wrongPassword)
}

private func roll() -> Guarantee<Int> {
    return Guarantee { resolve in
        DispatchQueue.global().async { resolve(6) }
    }
}

@Suite("A file written for PromiseKit 8")
struct PromiseKitMigrationTests {
    private let log = Log()

    @Test("chains from firstly to finally")
    func chain() throws {
        let finished = DispatchSemaphore(value: 0)
        firstly {
            login()
        }.then { user in
            fetchAge(of: user)
        }.map { age in
            age + 1
        }.get { [log] age in
            log.append("get \(age)")
        }.tap { [log] result in
            if case .fulfilled = result { log.append("tap") }
        }.done { [log] age in
            log.append("done \(age)")
        }.ensure { [log] in
            log.append("ensure")
        }.catch { error in
            Issue.record(error)
        }.finally { [log] in
            log.append("finally")
            finished.signal()
        }
        finished.wait()
        #expect(log.all == ["get 37", "tap", "done 37", "ensure", "finally"])
    }

    @Test("creates promises in all the old ways")
    func creation() throws {
        let (promise, seal) = Promise<Int>.pending()
        seal.fulfill(1)
        #expect(try hang(promise) == 1)
        #expect(try hang(Promise.value(2)) == 2)
        #expect(try hang(Promise<Int> { seal in seal.resolve(.success(3) as Swift.Result<Int, Error>) }) == 3)
        try hang(Promise())
        try hang(Promise<Void>.value)
        try hang(save())
        let (guarantee, resolve) = Guarantee<Int>.pending()
        resolve(4)
        #expect(try hang(Promise(guarantee)) == 4)
        #expect(Guarantee.value(5).wait() == 5)
        #expect(roll().wait() == 6)
        let voidSeal: Promise<Void> = Promise { seal in
            seal.resolve(nil)
        }
        try hang(voidSeal)
    }

    @Test("handles errors")
    func errors() throws {
        let finished = DispatchGroup()
        finished.enter()
        fails().done { _ in
            Issue.record("done ran")
        }.catch(only: LoginError.locked) { _ in
            Issue.record("the wrong catch ran")
        }.catch(only: LoginError.self) { [log] error in
            log.append("caught \(error)")
        }.catch(policy: .allErrors) { error in
            Issue.record(error)
        }.finally {
            finished.leave()
        }
        finished.wait()
        #expect(log.all == ["caught wrongPassword"])

        #expect(try hang(fails().recover { _ in login() }).name == "ada")
        #expect(try hang(fails().recover(only: LoginError.wrongPassword) { _ in login() }).name == "ada")
        #expect(try hang(fails().recover(only: LoginError.self) { _ in login() }).name == "ada")
        let certain = fails().recover { _ in Guarantee.value(User(name: "nobody")) }
        #expect(certain.wait().name == "nobody")
        save().recover { _ in }.done {}
        fails().asVoid().recover { error in
            guard error is LoginError else { throw error }
        }.cauterize()
        #expect(throws: PMKError.self) { try hang(Promise<Int>(error: PMKError.cancelled)) }
    }

    @Test("waits for many")
    func many() throws {
        #expect(try hang(when(fulfilled: [fetchAge(of: User(name: "a")), Promise.value(1)])) == [36, 1])
        let both = when(fulfilled: login(), fetchAge(of: User(name: "b"))).done { [log] user, age in
            log.append("\(user.name) \(age)")
        }
        try hang(both)
        try hang(when(fulfilled: login(), save(), roll()).map { user, _, number in (user.name, number) }.asVoid())
        try hang(when(fulfilled: [save(), save()]))
        #expect(log.all == ["ada 36"])
        let results = when(resolved: login(), fails()).wait()
        #expect(results.map { $0.isFulfilled } == [true, false])
        #expect(when(guarantees: roll(), roll()).wait() == [6, 6])
        #expect(when(guarantees: [roll(), roll()]).wait() == [6, 6])
        #expect(try hang(race(Promise.value(1), Promise.pending().promise)) == 1)
        #expect(try hang(race([Promise.value(1)])) == 1)
        #expect(try hang(race(fulfilled: [fails().map { _ in 0 }, Promise.value(2)])) == 2)
    }

    @Test("works through an iterator a few at a time")
    func concurrently() throws {
        var names = ["a", "b", "c"].makeIterator()
        let generator = AnyIterator<Promise<Int>> {
            guard let name = names.next() else { return nil }
            return fetchAge(of: User(name: name))
        }
        #expect(try hang(when(fulfilled: generator, concurrently: 2)) == [36, 36, 36])
        var more = ["d"].makeIterator()
        let another = AnyIterator { more.next().map { fetchAge(of: User(name: $0)) } }
        #expect(when(resolved: another, concurrently: 3).wait().map { $0.isFulfilled } == [true])
    }

    @Test("waits a while")
    func time() throws {
        after(seconds: 0).wait()
        after(.milliseconds(0)).wait()
        let racing = race(login(), after(.seconds(3_600)).then { fails() })
        #expect(try hang(racing).name == "ada")
        let finished = DispatchSemaphore(value: 0)
        after(seconds: 0).done { finished.signal() }
        firstly { after(seconds: 0) }.done { finished.signal() }
        finished.wait()
        finished.wait()
    }
}
