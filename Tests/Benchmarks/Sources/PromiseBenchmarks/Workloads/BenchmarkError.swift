/// The error with which chains are rejected. It contains a number, so that a contender can prove that the error
/// arrived.
struct BenchmarkError: Error {
    let code: Int

    static let expected = BenchmarkError(code: 7)
}
