/// The number that every hop adds. Closures capture this object, because closures in an app also capture something.
final class Step: Sendable {
    let size: Int

    init(size: Int = 1) {
        self.size = size
    }
}
