extension JSONTape {
    /// What a value is in, and as which of its values, from 0.
    struct Container {
        var index: Int32
        var ordinal: Int32
    }

    /// Found for all values at once, the first time that somebody wants to know where one is.
    private var allContainers: [Container] {
        lock.lock()
        defer { lock.unlock() }
        let found = containers ?? findContainers()
        containers = found
        return found
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

    /// How one gets to a value from the outermost.
    func path(to index: Int) -> [any CodingKey] { path(to: index, most: .max) }

    /// The same for an error, most of which are thrown away unread by whoever tries something else: of a deep value only
    /// the last steps, and before them one that stands for all others and finds them when it is read.
    func shortPath(to index: Int) -> [any CodingKey] { path(to: index, most: 8) }

    private func path(to index: Int, most: Int) -> [any CodingKey] {
        let containers = allContainers
        var path: [any CodingKey] = []
        path.reserveCapacity(most < .max ? most + 1 : 0)
        var index = index
        while true {
            let container = containers[index]
            guard container.index >= 0 else { break }
            guard path.count < most else {
                path.append(TapeKey.above(self, index))
                break
            }
            let isMember = kind(at: Int(container.index)) == .object
            path.append(isMember ? TapeKey.member(self, index - 1) : .index(Int(container.ordinal)))
            index = Int(container.index)
        }
        path.reverse()
        return path
    }
}

/// A step on the way to a value: without a text before somebody asks for it.
enum TapeKey: CodingKey {
    case name(String)
    case index(Int)
    /// A name that is in a tape.
    case member(JSONTape, Int)
    /// All steps to a value.
    case above(JSONTape, Int)

    var stringValue: String {
        switch self {
        case .name(let name): name
        case .index(let index): "Index \(index)"
        case .member(let tape, let index): tape.text(at: index)
        case .above(let tape, let index): tape.path(to: index).map(\.stringValue).joined(separator: ".")
        }
    }

    var intValue: Int? {
        if case .index(let index) = self { index } else { nil }
    }

    init?(stringValue: String) { self = .name(stringValue) }
    init?(intValue: Int) { self = .index(intValue) }
}

extension DecodingError {
    /// The same with all steps of its path, for whoever is told.
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
