import Pledge
import PledgeTestSupport

/// The outcome of a promise, for comparison.
enum Outcome: Hashable {
    case value(Int)
    case failure(String)

    static let cancelled = Outcome.failure("cancelled")
    static let dropped = Outcome.failure("dropped")

    init(_ result: Result<Int, any Error>) {
        switch result {
        case .success(let value): self = .value(value)
        case .failure(PromiseError.dropped): self = .dropped
        case .failure(PromiseError.timedOut): self = .failure("timed out")
        case .failure(PromiseError.noWinner): self = .failure("no winner")
        case .failure(let error as Fault): self = .failure(error.name)
        case .failure(let error) where error.isCancelled: self = .cancelled
        case .failure(let error): self = .failure("\(error)")
        }
    }

    var number: Int? {
        guard case .value(let value) = self else { return nil }
        return value
    }
}

/// The calculations that the closures of a program make. The reference makes the same calculations to predict outcomes.
enum Sums {
    static func map(_ value: Int, _ node: Int) -> Int { (value * 7 + node) % 1_009 }
    static func all(_ values: [Int]) -> Int { values.reduce(1) { ($0 * 31 + $1) % 10_007 } }
    static func outcome(_ result: Result<Int, any Error>) -> Int { outcome(Outcome(result)) }

    static func outcome(_ outcome: Outcome) -> Int {
        switch outcome {
        case .value(let value): value
        case .failure(let name): 2_000 + name.utf8.reduce(0) { ($0 * 5 + Int($1)) % 1_009 }
        }
    }

    /// Whether the closures of `throwing` and `compactMap` reject this value.
    static func isRefused(_ value: Int) -> Bool { value % 3 == 0 }
}
