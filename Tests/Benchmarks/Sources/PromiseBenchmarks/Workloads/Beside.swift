import Dispatch
import Pledge

/// The same work with promises and with Swift's own concurrency, which a user could use instead.
enum Beside: String, CaseIterable, Encodable {
    case hop, when, concurrently, awaited, actor
    /// Unlike the other cases, this case doesn't involve Swift's concurrency: it compares two functions of this
    /// package.
    case resolved

    var title: String {
        switch self {
        case .hop: "a hop of a chain (`map`); `await Task { }.value`"
        case .when: "`when(fulfilled:)`; `withThrowingTaskGroup`"
        case .concurrently: "`when(fulfilled:concurrently: 64)`; a task group limited to 64"
        case .awaited: "`try await promise.map { }.value`; `try await Task { }.value`"
        case .actor: "a hop of a chain (`map`); a call of an actor that nobody else uses"
        case .resolved: "`when(resolved:)` of one promise; `when(fulfilled:)` of one, also Pledge's"
        }
    }

    /// The maximum of this package's instructions, as a multiple of Swift's. The counts vary by some percent, because
    /// threads wake more or less often.
    var limit: Double? {
        switch self {
        case .hop: 0.75
        case .when: 1.0
        case .concurrently: 1.1
        case .awaited, .resolved: 1.5
        case .actor: nil
        }
    }

    /// Does the work with promises or, if `withPromises` is false, with tasks.
    func run(withPromises: Bool, count: Int) throws {
        let result = try Promise { withPromises ? try await promises(count) : try await tasks(count) }.wait()
        precondition(result == (self == .hop || self == .actor ? count : (1...count).reduce(0, +)))
    }

    /// Returns the microseconds of CPU time and of wall time for a unit of work: the minimum of seven runs.
    func microseconds(withPromises: Bool, count: Int = 20_000) -> (cpu: Double, wall: Double) {
        let runs = (0..<7).map { _ in
            let (cpu, start) = (Scale.used, DispatchTime.now().uptimeNanoseconds)
            try? run(withPromises: withPromises, count: count)
            let end = DispatchTime.now().uptimeNanoseconds
            return (cpu: Double(Scale.used - cpu), wall: Double(end - start))
        }
        let (cpu, wall) = (runs.map(\.cpu).min() ?? .nan, runs.map(\.wall).min() ?? .nan)
        return (cpu / 1e3 / Double(count), wall / 1e3 / Double(count))
    }

    private func promises(_ count: Int) async throws -> Int {
        switch self {
        case .hop, .actor:
            var promise = Promise.value(0)
            for _ in 0..<count { promise = promise.map(Self.step) }
            return try await promise.value
        case .when:
            return try await Pledge.when(fulfilled: (0..<count).map { Promise.value($0).map(Self.step) }).value
                .reduce(0, +)
        case .concurrently:
            return try await Pledge.when(fulfilled: 0..<count, concurrently: 64) { Promise.value($0).map(Self.step) }
                .value.reduce(0, +)
        case .awaited:
            var sum = 0
            for number in 0..<count { sum += try await Promise.value(number).map(Self.step).value }
            return sum
        case .resolved:
            var sum = 0
            for number in 1...count { sum += try await Pledge.when(resolved: [Promise.value(number)]).value[0].get() }
            return sum
        }
    }

    private func tasks(_ count: Int) async throws -> Int {
        var sum = 0
        switch self {
        case .hop: for _ in 0..<count { sum = try await Task { [sum] in try Self.step(sum) }.value }
        case .when: return try await Self.group(count, limit: count)
        case .concurrently: return try await Self.group(count, limit: 64)
        case .awaited: for number in 0..<count { sum += try await Task { try Self.step(number) }.value }
        case .actor:
            let calls = Calls()
            for _ in 0..<count { sum = try await calls.step() }
        case .resolved:
            for number in 1...count { sum += try await Pledge.when(fulfilled: [Promise.value(number)]).value[0] }
        }
        return sum
    }

    private static func group(_ count: Int, limit: Int) async throws -> Int {
        try await withThrowingTaskGroup(of: (index: Int, value: Int).self) { group in
            var values = Array(repeating: 0, count: count)
            var begun = 0
            while begun < limit || !group.isEmpty {
                if begun >= limit, let (index, value) = try await group.next() { values[index] = value }
                if begun < count { group.addTask { [begun] in (begun, try step(begun)) } }
                begun += 1
            }
            return values.reduce(0, +)
        }
    }

    @inline(never) private static func step(_ value: Int) throws -> Int { value + 1 }

    private actor Calls {
        private var count = 0

        func step() throws -> Int {
            count = try Beside.step(count)
            return count
        }
    }
}
