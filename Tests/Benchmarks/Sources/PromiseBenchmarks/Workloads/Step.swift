/// What every hop adds. Closures capture it, as closures in an app capture something.
final class Step: Sendable {
    let size: Int

    init(size: Int = 1) {
        self.size = size
    }
}
