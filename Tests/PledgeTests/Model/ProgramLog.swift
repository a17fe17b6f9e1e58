/// A record of what the handlers of a program did, in this order.
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

    /// Complaints about handlers that began on a queue while another handler ran there, although the queue is serial or one of
    /// the two handlers is a barrier.
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

    /// Complaints about handlers of a promise on a serial queue, or inline, that didn't run in the order in which they were
    /// added.
    func disorder(_ reference: Reference) -> [String] {
        let count = reference.program.nodes.count
        return [Program.Place.pledge, .first, .second, .main, .inline].flatMap { queue in
            reference.program.nodes.indices.compactMap { input in
                let numbers = begun.filter { $0.place.line == queue && $0.input == input }.map(\.number)
                    .filter { !reference.mayChangePlace($0) }
                    // A handler that an action adds must run after all handlers that the program itself creates.
                    .map { min($0, count) }
                if numbers == numbers.sorted() { return nil }
                return "the handlers of \(input) on \(queue) ran in the order \(numbers)"
            }
        }
    }

    /// Complaints about handlers that began before an `ensure` above them, or the work of an `ensureThen`, had ended.
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
    /// The place that stands for all places with the same serial queue, or nil if this place isn't a serial queue.
    var serial: Program.Place? {
        switch self {
        case .unsaid, .pledge: .pledge
        case .first, .firstFlagged: .first
        case .second: .second
        case .main, .mainKept: .main
        case .global, .globalUtility, .concurrent, .barrier, .inline: nil
        }
    }

    /// The place at which the handlers of a promise run in order, or nil if their order isn't fixed.
    var line: Program.Place? { self == .inline ? self : serial }

    /// The queue whose handlers are checked for overlaps, or nil. The main queue is not checked, because a handler that waits
    /// there serves the queue, and other handlers run meanwhile.
    var queueName: Program.Place? {
        switch self {
        case .concurrent, .barrier: .concurrent
        default: serial == .main ? nil : serial
        }
    }
}
