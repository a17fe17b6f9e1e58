extension JSONTape {
    /// The container of a value, and the value's position in it, counted from 0; −1 for a member of an object.
    struct Container {
        var index: Int32
        var ordinal: Int32
    }

    /// Determined for all values at once, the first time that a path is needed.
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
            let (isObject, step) = token.kind == .object ? (true, 1) : (false, 0)
            var index = container + 1
            for ordinal in 0..<token.length {
                containers[index + step] = Container(index: Int32(container), ordinal: isObject ? -1 : Int32(ordinal))
                index = memory.next(after: index + step)
            }
        }
        return containers
    }

    /// Returns the path from the outermost value to this one.
    func path(to index: Int) -> [any CodingKey] {
        let containers = allContainers
        var (path, index): ([any CodingKey], Int) = ([], index)
        while containers[index].index >= 0 {
            let container = containers[index]
            path.append(container.ordinal < 0 ? TapeKey.member(self, index - 1) : .index(Int(container.ordinal)))
            index = Int(container.index)
        }
        return path.reversed()
    }
}

/// A key on the path to a value. Its text is created only on demand.
enum TapeKey: CodingKey {
    case name(String)
    case index(Int)
    /// A name that is stored in a tape.
    case member(JSONTape, Int)

    var stringValue: String {
        switch self {
        case .name(let name): name
        case .index(let index): "Index \(index)"
        case .member(let tape, let index): tape.text(at: index)
        }
    }

    var intValue: Int? {
        if case .index(let index) = self { index } else { nil }
    }

    init?(stringValue: String) { self = .name(stringValue) }
    init?(intValue: Int) { self = .index(intValue) }
}
