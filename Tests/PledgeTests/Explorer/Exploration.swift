import Dispatch
@testable import Pledge
import PledgeTestSupport

/// A program of the explorer: a chain of operators, and the events that happen to the chain, in this order.
struct Exploration: CustomStringConvertible {
    enum Event: CaseIterable {
        case settle, reject, cancelBelow, cancelAbove, dropResolver, dropEnd, attachLate
        /// The source follows another promise. With `followOthers`, other code also waits for that promise. With `followEnd`,
        /// that promise is the end of the source's own chain, so the chain becomes a circle.
        case followOthers, followEnd
        /// All timers fire.
        case ring
    }

    let operators: [Int]
    let events: [Event]
    let isInline: Bool
    /// Whether everything that is due runs before the next event.
    let isFlushed: Bool

    var description: String {
        let names = operators.map { "\($0) \(Operator.all[$0].symbols[0])" }.joined(separator: " → ")
        return "\(names): \(events), \(isInline ? "inline" : "on a queue")\(isFlushed ? ", flushed" : "")"
    }

    /// Runs the program, and returns a complaint for each broken rule:
    ///
    /// 1. A promise settles once its sources have settled or a cancel has reached the promise, even in a circle.
    /// 2. No closure runs twice.
    /// 3. The closure of an `ensure` runs once, before the promises below it settle. Only a timeout may settle earlier.
    /// 4. Everything is released.
    /// 5. A cancel doesn't reach a promise that other code waits for, and a handled error isn't reported as unhandled.
    /// 6. A closure runs on its queue.
    ///
    /// - Parameter schedule: If it is given, each event runs on a thread of its own, and the schedule controls the threads.
    func complaints(seed: UInt64, in schedule: Schedule? = nil) -> [String] {
        let fault = Fault("explorer-\(seed)-\(operators)-\(events)")
        var complaints: [String] = []
        let objects = run(fault, schedule, &complaints)
        for _ in 0..<20 where !objects.survivors.isEmpty { Lab.flushDefaultQueue() }
        if !objects.survivors.isEmpty { complaints.append("leaked \(objects.survivors)") }
        // With `shared`, an error may remain unhandled: the source continues after its last caller was canceled, and
        // may then fail.
        if !isolates, !LogCapture.shared.unhandled(fault).isEmpty { complaints.append("raised an alarm") }
        return complaints
    }

    /// - Returns: Everything that the program was made of. All of it must be released in the end.
    private func run(_ fault: Fault, _ schedule: Schedule?, _ complaints: inout [String]) -> LiveObjects {
        let lab = Lab(isInline: isInline)
        let stops = Counter()
        var seal: Resolver<Int>?
        let source = Promise<Int> { resolver in
            resolver.onCancel { stops.increment() }
            seal = resolver
        }
        if !isFlushed { lab.queue?.suspend() }
        var end: Link? = build(on: source, in: lab)
        var late: Link?
        var wasCancelled = false
        // Some combinators create their promises only on the default queue, so this line gives them time to do so.
        if isFlushed { lab.flush() } else { Lab.flushDefaultQueue() }
        func perform(_ event: Event) {
            switch event {
            case .settle: seal?.fulfill(1)
            case .reject: seal?.reject(fault)
            case .cancelBelow:
                wasCancelled = end != nil
                end?.cancel()
            case .cancelAbove: source.cancel()
            case .dropResolver: seal = nil
            case .dropEnd: end = nil
            case .attachLate:
                late = end?.map {}
                late.map { lab.observe($0, "what was attached late") }
            case .followOthers: seal?.follow(lab.others.promise)
            case .followEnd: (end?.promise).map { seal?.follow($0) }
            case .ring: lab.time.advance(by: 10)
            }
            if isFlushed, schedule == nil { lab.flush() }
        }
        if let schedule { schedule.run(events.map { event in { perform(event) } }) } else { events.forEach(perform) }
        if !isFlushed { lab.queue?.resume() }
        lab.flush()
        /// Adds a complaint if a condition doesn't hold. On a busy machine, several rounds may be needed before everything that
        /// is due has run.
        func expect(_ words: @autoclosure () -> String, _ holds: () -> Bool) {
            for _ in 0..<20 where !holds() { lab.flush() }
            if !holds() { complaints.append(words()) }
        }
        if wasCancelled, let end, !end.isGuarantee {
            expect("a canceled end is stuck") { !end.promise.isPending }
        }
        if events.contains(.cancelAbove) || events.contains(.followEnd) && wasCancelled && !isolates {
            expect("the source is stuck") { !source.isPending }
        }
        expect("others were reached") { lab.areOthersWaiting }
        if !isolates, let earliness = lab.earliness { complaints.append(earliness) }
        if schedule != nil, isOnlyCancelled {
            expect("the source was not reached") { stops.value == 1 }
            expect("a timer was not reached") { lab.time.alarmCount == 0 }
        }
        if isCancelledFirst, schedule == nil {
            expect("the source was not reached") { stops.value == 1 }
            (end, seal) = (nil, nil)
            expect("others keep \(lab.objects.survivors)") { lab.objects.survivors.isEmpty }
        }
        // Without a cancel, a circle would never settle.
        if events.contains(.followEnd) { source.cancel() }
        finish(lab, seal)
        func hasEnded() -> Bool { end?.promise.isPending != true && late?.promise.isPending != true }
        for _ in 0..<20 where !hasEnded() {
            lab.flush()
            lab.time.advance(by: 1.5)
        }
        expect("never ended", hasEnded)
        expect("closures are kept") { !lab.objects.survivors.contains { $0.hasPrefix("closure") } }
        expect("timers are left") { lab.time.alarmCount == 0 }
        if lab.ranTwice { complaints.append("a closure ran twice") }
        if !lab.strayed.isEmpty { complaints.append("the closures \(lab.strayed) ran elsewhere") }
        expect("the cleanups \(lab.open) never ran") { lab.open.isEmpty }
        return lab.objects
    }

    /// Builds the chain, and returns its end. The caller holds only this end, and no other promise of the chain.
    private func build(on source: Promise<Int>, in lab: Lab) -> Link {
        var link = Link.promise(source)
        var isBelowTimeout = false
        for (index, number) in operators.enumerated() {
            link = Operator.all[number].apply(link, lab)
            lab.objects.watch(link.promise, "link \(index)")
            let isTimeout = Operator.all[number].isTimeout
            if isTimeout { lab.noteTimeout(of: link) }
            isBelowTimeout = isBelowTimeout || isTimeout
            // Doesn't observe every link, because an observer would hide errors that nothing else handles.
            if lab.cleans || number == operators.last {
                lab.observe(link, "link \(index)", isBelowTimeout: isBelowTimeout)
            }
        }
        return link
    }

    /// Settles all sources, and lets everything run that follows.
    private func finish(_ lab: Lab, _ seal: Resolver<Int>?) {
        for step in [{ seal?.fulfill(1) }, { lab.others.seal.fulfill(2) }] {
            step()
            for _ in operators.indices {
                lab.flush()
                lab.time.advance(by: 1.5)
            }
            lab.flush()
        }
    }

    /// Whether all events are cancels, and one of them cancels the end.
    private var isOnlyCancelled: Bool {
        !isolates && events.contains(.cancelBelow) && events.allSatisfy { $0 == .cancelBelow || $0 == .cancelAbove }
    }

    private var isolates: Bool { operators.contains { Operator.all[$0].isolates } }

    /// Whether the first event cancels the end. This cancel must then have reached the whole chain.
    private var isCancelledFirst: Bool {
        isFlushed && events.first == .cancelBelow && !events.contains(.attachLate) && !isolates
    }
}
