extension JSONTape {
    /// The container of a value, and the value's position in it, counted from 0.
    struct Container {
        var index: Int32
        var ordinal: Int32
    }

    /// Determined for all values at once, the first time that a path is needed.
    private var allContainers: [Container] {
        lock.withLock {
            let found = containers ?? findContainers()
            containers = found
            return found
        }
    }

    private func findContainers() -> [Container] {
        var containers = [Container](repeating: Container(index: -1, ordinal: 0), count: count)
        for container in 0..<count where memory.token(container).isContainer {
            let token = memory.token(container)
            let step = token.kind == .object ? 1 : 0
            var index = container + 1
            for ordinal in 0..<token.length {
                containers[index + step] = Container(index: Int32(container), ordinal: Int32(ordinal))
                index = memory.next(after: index + step)
            }
        }
        return containers
    }

    /// Returns the path from the outermost value to this one.
    func path(to index: Int) -> [any CodingKey] { path(to: index, most: .max) }

    /// Returns the path for an error, most of which are discarded unread by code that tries another type: for a deeply
    /// nested value, only the last keys, preceded by one that represents all others and resolves them when read.
    func shortPath(to index: Int) -> [any CodingKey] { path(to: index, most: 8) }

    private func path(to index: Int, most: Int) -> [any CodingKey] {
        let containers = allContainers
        var path: [any CodingKey] = []
        for index in sequence(first: index, next: { Int(containers[$0].index) }) {
            let container = containers[index]
            guard container.index >= 0 else { break }
            guard path.count < most else {
                path.append(TapeKey.above(self, index))
                break
            }
            let isMember = kind(at: Int(container.index)) == .object
            path.append(isMember ? TapeKey.member(self, index - 1) : .index(Int(container.ordinal)))
        }
        path.reverse()
        return path
    }
}

/// A key on the path to a value. Its text is created only on demand.
package enum TapeKey: CodingKey {
    case name(String)
    case index(Int)
    /// A name that is stored in a tape.
    case member(JSONTape, Int)
    /// All keys on the path to a value.
    case above(JSONTape, Int)

    package var stringValue: String {
        switch self {
        case .name(let name): name
        case .index(let index): "Index \(index)"
        case .member(let tape, let index): tape.text(at: index)
        case .above(let tape, let index): tape.path(to: index).map(\.stringValue).joined(separator: ".")
        }
    }

    package var intValue: Int? {
        if case .index(let index) = self { index } else { nil }
    }

    package init?(stringValue: String) { self = .name(stringValue) }
    package init?(intValue: Int) { self = .index(intValue) }
}

extension DecodingError {
    /// The same error with its complete path, for the caller.
    var withWholePath: DecodingError {
        func whole(_ context: Context) -> Context {
            guard case .above(let tape, let index)? = context.codingPath.first as? TapeKey else { return context }
            return Context(
                codingPath: tape.path(to: index) + context.codingPath.dropFirst(),
                debugDescription: context.debugDescription, underlyingError: context.underlyingError)
        }
        switch self {
        case .typeMismatch(let type, let context): return .typeMismatch(type, whole(context))
        case .valueNotFound(let type, let context): return .valueNotFound(type, whole(context))
        case .keyNotFound(let key, let context): return .keyNotFound(key, whole(context))
        case .dataCorrupted(let context): return .dataCorrupted(whole(context))
        @unknown default: return self
        }
    }
}
