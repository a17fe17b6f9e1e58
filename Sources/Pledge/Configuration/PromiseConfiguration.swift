import Dispatch
import Foundation
internal import PledgeLock

/// What an app may set once, at launch: the default queues, the default catch policy, the log.
///
/// ```swift
/// PromiseConfiguration.shared.queues = (map: .main, return: .main)
/// ```
public struct PromiseConfiguration: Sendable {
    /// Where handlers run that name no queue: `map` for those in the middle of a chain, `return` for `done`, `catch`,
    /// `ensure` and `finally`. Nil is right where the promise settles, as with `on: nil`.
    public typealias Queues = (map: DispatchQueue?, return: DispatchQueue?)

    /// Where handlers run that name no queue. What it says when a handler is added counts for that handler.
    public var queues: Queues = (map: .pledge, return: .pledge)
    /// Which errors a `catch` gets that does not say.
    public var catchPolicy = CatchPolicy.allErrorsExceptCancellation
    /// Told what nobody asked for but somebody should know; by default it writes a line to standard error.
    ///
    /// It may be called from any thread, so it must be quick and must not wait.
    public var logHandler: @Sendable (PromiseEvent) -> Void = { event in
        try? FileHandle.standardError.write(contentsOf: Data("Pledge: \(event)\n".utf8))
    }

    package init() {}

    private static let stored = Locked(PromiseConfiguration())

    /// The current configuration. Safe to read and set from any thread; meant to be set once.
    public static var shared: PromiseConfiguration {
        get { stored.withLock { $0 } }
        set {
            // What the old one holds goes after the lock: it may log as it goes.
            let old = stored.withLock { value in
                let queues = newValue.queues
                pledge_set_names_queues(queues.map !== DispatchQueue.pledge || queues.return !== DispatchQueue.pledge)
                defer { value = newValue }
                return value
            }
            withExtendedLifetime(old) {}
        }
    }

    /// Where a handler runs.
    @inline(__always)
    static func place(_ named: DispatchQueue?, _ flags: DispatchWorkItemFlags?, endsChain: Bool) -> Place {
        // For speed: a `map` costs 6 % less.
        if named === DispatchQueue.configured, !pledge_names_queues() { return .pledge }
        return Place(queue(named, endsChain: endsChain), flags)
    }

    /// The queue a handler names, or the one that stands for none.
    static func queue(_ named: DispatchQueue?, endsChain: Bool) -> DispatchQueue? {
        guard named === DispatchQueue.configured else { return named }
        let queues = shared.queues
        return endsChain ? queues.return : queues.map
    }

    package static func log(_ event: PromiseEvent) {
        shared.logHandler(event)
    }
}

extension DispatchQueue {
    /// The default queue of promises, whatever ``PromiseConfiguration/queues`` says: for libraries, whose steps should
    /// not depend on what an app prefers.
    public static var pledge: DispatchQueue { DefaultQueue.shared.queue }

    /// What `on:` stands for where it is left out: never a queue that something runs on.
    @usableFromInline static let configured = DispatchQueue(label: "pledge.configured", target: pledge)
}

/// Something worth a line in the log.
public enum PromiseEvent: Sendable, CustomStringConvertible {
    /// A rejected promise of this type went away, and nobody had looked at its error.
    case unhandled(any Error, type: String)
    /// A chain that ends with `cauterize` ended with this error.
    case cauterized(any Error)
    /// The `resolve` of the guarantee made here was let go unused, so that it can never settle.
    case guaranteeDropped(file: String, line: UInt)
    /// A note from a module built on promises.
    case note(String)

    /// The event as a line of a log.
    public var description: String {
        switch self {
        case .unhandled(let error, let type):
            "A rejected \(type) went away, and nobody had looked at its error: \(String(reflecting: error))"
        case .cauterized(let error):
            "A chain was cauterized after this error: \(String(reflecting: error))"
        case .guaranteeDropped(let file, let line):
            "The guarantee made at \(file):\(line) can never settle, because its resolve closure was released unused."
        case .note(let text):
            text
        }
    }
}
