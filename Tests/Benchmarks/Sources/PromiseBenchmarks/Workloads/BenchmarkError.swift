/// What chains are rejected with; carries a number, so that its arrival can be checked.
struct BenchmarkError: Error {
    let code: Int

    static let expected = BenchmarkError(code: 7)
}
