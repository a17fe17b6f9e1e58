/// What the handlers of a program did, in this order.
struct ProgramLog {
    enum Phase {
        /// The closure began or ended.
        case begun, ended
        /// The work of an `ensureThen` ended.
        case done
    }

    struct Event {
        let phase: Phase, number: Int, input: Int, place: Program.Place
    }

    private(set) var events: [Event] = []

    mutating func append(_ phase: Phase, _ number: Int, _ input: Int, _ place: Program.Place) {
        events.append(Event(phase: phase, number: number, input: input, place: place))
    }

    var begun: [Event] { events.filter { $0.phase == .begun } }

    /// How often each handler ran.
    var runs: [Int: Int] { begun.reduce(into: [:]) { $0[$1.number, default: 0] += 1 } }

    /// Handlers on a serial queue, or with a barrier, during which others began on that queue.
    var overlaps: [String] {
        var (complaints, running): ([String], [Program.Place: [Event]]) = ([], [:])
        for event in events {
            guard let queue = event.place.queueName else { continue }
            let others = running[queue, default: []]
            switch event.phase {
            case .begun:
                let isAlone = event.place.serial != nil || event.place == .barrier
                if let other = others.first(where: { isAlone || $0.place == .barrier }) {
                    complaints.append("\(event.number) began on \(queue) during \(other.number)")
                }
                running[queue] = others + [event]
            case .ended:
                guard let index = others.firstIndex(where: { $0.number == event.number }) else { continue }
                running[queue]?.remove(at: index)
            case .done: continue
            }
        }
        return complaints
    }

    /// Handlers of a promise on a serial queue, or inline, that didn't run in the order in which they were added.
    func disorder(_ reference: Reference) -> [String] {
        let count = reference.program.nodes.count
        return [Program.Place.pledge, .first, .second, .main, .inline].flatMap { queue in
            reference.program.nodes.indices.compactMap { input in
                let numbers = begun.filter { $0.place.line == queue && $0.input == input }.map(\.number)
                    .filter { !reference.mayChangePlace($0) }
                    // Of those that come later, each after all that were there from the beginning.
                    .map { min($0, count) }
                if numbers == numbers.sorted() { return nil }
                return "the handlers of \(input) on \(queue) ran in the order \(numbers)"
            }
        }
    }

    /// Handlers that began although an `ensure` further up, or its work, had not ended.
    func unclean(_ reference: Reference, _ outcomes: [Outcome?]) -> [String] {
        var cleaned: Set<Int> = []
        var complaints: [String] = []
        for event in events {
            let isEnd = event.phase == (reference.program.step(event.number) == .ensureThen ? .done : .ended)
            if isEnd { cleaned.insert(event.number) }
            guard event.phase == .begun, event.input >= 0 else { continue }
            let missing = reference.cleanups(before: event.number, of: event.input, outcomes).subtracting(cleaned)
            if !missing.isEmpty { complaints.append("\(event.number) began before the end of \(missing.sorted())") }
        }
        return complaints
    }
}

extension Program.Place {
    /// The serial queue that this is, if it is one.
    var serial: Program.Place? {
        switch self {
        case .unsaid, .pledge: .pledge
        case .first, .firstFlagged: .first
        case .second: .second
        case .main, .mainKept: .main
        case .global, .globalUtility, .concurrent, .barrier, .inline: nil
        }
    }

    /// The place at which the handlers of a promise run in order.
    var line: Program.Place? { self == .inline ? self : serial }

    /// The queue of which all handlers are known. The main queue is served inside a handler that waits there.
    var queueName: Program.Place? {
        switch self {
        case .concurrent, .barrier: .concurrent
        default: serial == .main ? nil : serial
        }
    }
}
