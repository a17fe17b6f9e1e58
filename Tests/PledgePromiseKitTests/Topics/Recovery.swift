@_spi(PromiseKit) import PledgePromiseKit

// Replaces errors by values: some errors, all errors, and errors of a promise without a value.

enum Trouble: Error, Equatable { case offline, locked }

func recovery() -> Promise<String> {
    func fails(_ trouble: Trouble) -> Promise<Int> { Promise(error: trouble) }

    let some = fails(.offline).recover { error -> Promise<Int> in
        guard case Trouble.offline = error else { throw error }
        return .value(1)
    }
    let all = fails(.locked).recover { _ in .value(2) }
    let one = fails(.locked).recover(only: Trouble.locked) { _ in Promise.value(3) }
    let kind = fails(.locked).recover(only: Trouble.self) { Promise.value($0 == .locked ? 4 : 0) }
    let nothing = fails(.offline).asVoid().recover { _ in }.map { 5 }
    let own = Promise.value("x").compactMap { Int($0) }.recover { error -> Promise<Int> in
        guard case PMKError.compactMap(let value, let type) = error else { throw error }
        return .value(value as? String == "x" && type == Int.self ? 6 : 0)
    }
    return when(fulfilled: [some, Promise(all), one, kind, Promise(nothing), own]).map { "\($0)" }
}
