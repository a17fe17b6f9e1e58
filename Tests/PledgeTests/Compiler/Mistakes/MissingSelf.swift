import Pledge

// error: requires explicit use of 'self'

private final class Loader: Sendable {
    let factor = 2
    func load() { number().map { $0 * factor }.done { print($0) }.cauterize() }
}
