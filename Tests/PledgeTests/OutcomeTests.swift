import Pledge
import PledgeTestSupport
import Testing

/// Checks the outcomes of single operators. The random programs check the operators that have no row here.
@Suite("The outcome of each operator")
struct OutcomeTests {
    /// Counts how often an operator's closure runs. The closure calls this value with its result.
    struct Note: Sendable {
        let runs = Counter()

        func callAsFunction<T>(_ result: T) -> T {
            runs.increment()
            return result
        }

        func fails<T>() throws -> T { throw self(Fault.two) }
    }

    struct Row: Sendable {
        let name: String
        /// The expected outcomes for a value, an error, another error, and a cancel. An exclamation mark means that the closure
        /// ran.
        let outcomes: String
        let apply: @Sendable (Promise<Int>, Note) -> Promise<Int>

        init(_ name: String, _ outcomes: String, _ apply: @escaping @Sendable (Promise<Int>, Note) -> Promise<Int>) {
            (self.name, self.outcomes, self.apply) = (name, outcomes, apply)
        }

        static func void<U: Thenable<Void>>(
            _ name: String, _ outcomes: String, _ apply: @escaping @Sendable (Promise<Int>, Note) -> U
        ) -> Row { Row(name, outcomes) { apply($0, $1).map(on: nil) { 0 } } }
    }

    static let ofValues = [
        Row("map", "2! one other cancel") { up, note in up.map { note($0 + 1) } },
        Row("map throws", "two! one other cancel") { up, note in up.map { _ in try note.fails() } },
        Row("compactMap throws", "two! one other cancel") { up, note in up.compactMap { _ in try note.fails() } },
        Row("then", "2! one other cancel") { up, note in up.then { Promise.value(note($0 + 1)) } },
        Row("then a guarantee", "2! one other cancel") { up, note in up.then { Guarantee.value(note($0 + 1)) } },
        Row("then a function", "1 one other cancel") { up, _ in up.then(Promise.value) },
        Row("then throws", "two! one other cancel") { up, note in up.then { _ in try note.fails() as Promise<Int> } },
        .void("done", "0! one other cancel") { up, note in up.done { _ = note($0) } },
        .void("done throws", "two! one other cancel") { up, note in up.done { _ in try note.fails() } },
        Row("get", "1! one other cancel") { up, note in up.get { _ = note($0) } },
        Row("get throws", "two! one other cancel") { up, note in up.get { _ in try note.fails() } },
        Row("tap", "1! one! other! cancel!") { up, note in up.tap { _ = note($0) } },
        Row("ensure", "1! one! other! cancel!") { up, note in up.ensure { note(()) } },
        Row("ensureThen", "1! one! other! cancel!") { up, note in up.ensureThen { Guarantee().done { note(()) } } },
        .void("asVoid", "0 one other cancel") { up, _ in up.asVoid() },
    ]

    static let ofErrors = [
        .void("catch", "0 0! 0! 0") { up, note in up.catch { _ = note($0) } },
        .void("catch all", "0 0! 0! 0!") { up, note in up.catch(policy: .allErrors) { _ = note($0) } },
        Row("recover", "1 2! 2! cancel") { up, note in up.recover { _ in Promise.value(note(2)) } },
        Row("recover fails", "1 two! two! cancel") { up, note in up.recover { _ in try note.fails() as Promise<Int> } },
        Row("recover surely", "1 2! 2! 2!") { up, note in Promise(up.recover { _ in Guarantee.value(note(2)) }) },
        .void("go on", "0 0! 0! 0!") { up, note -> Guarantee<Void> in up.asVoid().recover { _ = note($0) } },
        .void("go on throws", "0 two! two! cancel") { up, note in up.asVoid().recover { _ in try note.fails() } },
        Row("mapError", "1 two! two! two!") { up, note in up.mapError { _ in note(Fault.two) } },
    ]

    static let ofOneError = [
        .void("catch a type", "0 0! other cancel") { up, note in up.catch(only: Fault.self) { _ = note($0.name) } },
        .void("catch one", "0 0! other cancel") { up, note in up.catch(only: Fault.one) { _ = note($0.name) } },
        .void("catch none", "0 one other cancel") { up, note in up.catch(only: Fault.two) { _ = note($0) } },
        .void("skip a cancel", "0 one other cancel") { up, note in up.catch(only: PromiseError.self) { _ = note($0) } },
        .void("catch also a cancel", "0 one other 0!") { up, note in
            up.catch(only: PromiseError.self, policy: .allErrors) { _ = note($0) }
        },
        .void("catch cancel", "0 one other 0!") { up, note in up.catch(only: PromiseError.cancelled) { _ = note($0) } },
        Row("recover a type", "1 3! other cancel") { up, note in
            up.recover(only: Fault.self) { Promise.value(note($0.name.count)) }
        },
        Row("recover a type throws", "1 two! other cancel") { up, note in
            up.recover(only: Fault.self) { _ in try note.fails() as Promise<Int> }
        },
        Row("recover no cancel", "1 one other cancel") { up, note in
            up.recover(only: PromiseError.self) { _ in Promise.value(note(2)) }
        },
        Row("recover also a cancel", "1 one other 2!") { up, note in
            up.recover(only: PromiseError.self, policy: .allErrors) { _ in Promise.value(note(2)) }
        },
        Row("recover a cancel", "1 one other 2!") { up, note in
            up.recover(only: PromiseError.cancelled) { _ in Promise.value(note(2)) }
        },
        .void("go on after a type", "0 0! other cancel") { up, note in
            up.asVoid().recover(only: Fault.self) { _ = note($0.name) }
        },
        .void("go on after one", "0 0! other cancel") { up, note in
            up.asVoid().recover(only: Fault.one) { _ = note($0.name) }
        },
        .void("go on after one throws", "0 two! other cancel") { up, note in
            up.asVoid().recover(only: Fault.one) { _ in try note.fails() }
        },
    ]

    static let ofOthers = [
        Row("mapValues throws", "two! one other cancel") { up, note in
            list(up).mapValues { _ in try note.fails() as Int }.lastValue
        },
        Row("flatMapValues throws", "two! one other cancel") { up, note in
            list(up).flatMapValues { _ in try note.fails() as [Int] }.lastValue
        },
        Row("compactMapValues throws", "two! one other cancel") { up, note in
            list(up).compactMapValues { _ in try note.fails() as Int? }.lastValue
        },
        Row("thenMap throws", "two! one other cancel") { up, note in
            list(up).thenMap { _ in try note.fails() as Promise<Int> }.lastValue
        },
        Row("sortedValues", "1 one other cancel") { up, _ in list(up).sortedValues().lastValue },
        Row("sure map throws", "two! two! two! two!") { up, note in sure(up).map { _ in try note.fails() } },
        Row("sure then", "1! 9! 9! 9!") { up, note in sure(up).then { Promise.value(note($0)) } },
        .void("sure done throws", "two! two! two! two!") { up, note in sure(up).done { _ in try note.fails() } },
        Row("follow", "1 one other cancel") { up, _ in Promise { $0.follow(up) } },
        Row("await", "2 one other cancel") { up, _ in Promise { try await up.value + 1 } },
    ]

    private static func list(_ promise: Promise<Int>) -> Promise<[Int]> { promise.map(on: nil) { [$0] } }

    private static func sure(_ promise: Promise<Int>) -> Guarantee<Int> { promise.recover(on: nil) { _ in .value(9) } }

    @Test(
        "Each operator has the expected outcome for a value, two errors, and a cancel, and runs its closure only when expected",
        arguments: [ofValues, ofErrors, ofOneError, ofOthers], [true, false])
    func outcomes(rows: [Row], isLate: Bool) async {
        let inputs: [@Sendable (Source<Int>) -> Void] = [
            { $0.seal.fulfill(1) }, { $0.seal.reject(Fault.one) }, { $0.seal.reject(OtherFault()) },
            { $0.promise.cancel() },
        ]
        for row in rows {
            var found: [String] = []
            for settle in inputs {
                let (source, note) = (Source(Int.self), Note())
                if !isLate { settle(source) }
                let promise = row.apply(source.promise, note)
                if isLate { settle(source) }
                let word = Self.word(await promise.outcome())
                found.append(word + String(repeating: "!", count: note.runs.value))
            }
            #expect(found.joined(separator: " ") == row.outcomes, "\(row.name)")
        }
    }

    private static func word(_ outcome: Result<Int, any Error>) -> String {
        switch outcome {
        case .success(let value): "\(value)"
        case .failure(let error): error is OtherFault ? "other" : error.isCancelled ? "cancel" : "\(error)"
        }
    }
}
