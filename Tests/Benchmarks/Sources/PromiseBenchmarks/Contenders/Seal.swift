import OpenCombine

/// A future, and a function that settles it from any thread.
struct Seal<Failure: Error>: @unchecked Sendable {
    // Unchecked: a future locks its own state; the library predates `Sendable`.
    let future: Future<Int, Failure>
    private let promise: Future<Int, Failure>.Promise

    init() {
        var kept: Future<Int, Failure>.Promise?
        future = Future { kept = $0 }
        promise = kept ?? { _ in }
    }

    func settle(_ result: Result<Int, Failure>) {
        promise(result)
    }
}
