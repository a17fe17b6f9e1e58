import ExistKit
import Foundation
import MyDataHelpsKit
import PledgeHistory

/// `pledge sync`: one's own data in a database, brought up to date.
struct SyncCommand {
    var options: SyncRequest
    var environment: [String: String]

    func run() throws -> Int32 {
        signal(SIGPIPE, SIG_IGN)
        if options.hasAccounts {
            let clients = try BatchClients(timeout: options.batch.timeout, environment: environment)
            let input = try BatchInput(options.batch.input, shard: options.batch.shard, environment: environment)
            // SQLite has files of its own beside it.
            let files = ["", "-wal", "-shm", "-journal", "-claim"].map { options.database + $0 }
            try options.batch.checkFiles(input, results: files, named: "--database")
            let history = try History(options.database)
            defer { history.close() }
            return try AccountsSync(options: options, clients: clients, history: history).run(input)
        }
        let syncs = try sources()
        let history = try History(options.database)
        defer { history.close() }
        let current = Locked<Promise<SyncSummary>?>(nil)
        let isInterrupted = Locked(false)
        let interrupts = Interrupts { count in
            guard count == 1 else { _exit(130) }
            isInterrupted.withLock { $0 = true }
            current.withLock { $0 }?.cancel()
        }
        var failures = 0
        for source in syncs {
            if isInterrupted.withLock({ $0 }) { break }
            let (progress, work) = (source.progress, source.begin(history))
            current.withLock { $0 = work }
            if isInterrupted.withLock({ $0 }) { work.cancel() }
            do {
                progress.end(try work.wait())
            } catch let error where error.isCancelled || isInterrupted.withLock({ $0 }) {
                break
            } catch let error as DatabaseError {
                throw error
            } catch {
                failures += 1
                progress.end(error)
            }
        }
        return withExtendedLifetime(interrupts) {
            if isInterrupted.withLock({ $0 }) {
                Terminal.tell("\(options.database) has what came so far; the next run goes on from there.")
                return 130
            }
            return failures == 0 ? 0 : failures < syncs.count ? 2 : 1
        }
    }

    /// What the account of the demo is called in a database.
    static let demoAccount = "sandbox"

    /// What a survey is called should not depend on where the tool runs.
    private static let language = "en"

    /// How many requests an hour Exist allows.
    private static let usualRate = 300

    /// An account to sync, by whatever service.
    private struct Source {
        var progress: SyncProgress
        var begin: (History) -> Promise<SyncSummary>
    }

    private func sources() throws -> [Source] {
        let access = options.access
        for service in Access.Service.allCases where environment[service.tokenName] == nil {
            guard try access.storedProfile(service, isNeeded: false) == nil else { continue }
            try access.checkAddress(service)
        }
        let exist = link("Exist", limit: options.batch.rate ?? Self.usualRate)
        let participant = link("MyDataHelps", limit: options.batch.rate)
        let found = [
            try access.existAccount(isNeeded: false, exist.adapt).map { source($0.client, exist) },
            try access.participantAccount(isNeeded: false, language: Self.language, participant.adapt).map {
                source($0.client, participant)
            },
        ].compactMap(\.self)
        guard found.isEmpty else { return found }
        // Says what is wrong with a profile that was asked for, before the demo begins.
        _ = try access.storedProfile(.exist)
        try access.beginDemo(.exist)
        let existDemo = link("Exist's sandbox", limit: nil)
        let participantDemo = link("MyDataHelps's sandbox", limit: options.batch.rate)
        return [
            source(try access.existDemo(existDemo.adapt).client, existDemo, as: Self.demoAccount),
            source(
                try access.participantDemo(language: Self.language, participantDemo.adapt).client, participantDemo,
                as: Self.demoAccount),
        ]
    }
}

// MARK: - The two services

extension SyncCommand {
    /// What stands between a sync and its service.
    private struct Link: Sendable {
        let progress: SyncProgress
        let requests: RequestCount
        let limiter: RateLimiter
        /// Adapts a client to being used for this.
        let adapt: @Sendable (inout EndpointClient.Options) -> Void
    }

    private func link(_ title: String, limit: Int?) -> Link {
        let (progress, requests) = (SyncProgress(title, isQuiet: options.batch.quiet), RequestCount())
        let limiter = RateLimiter(limit: limit ?? .max)
        let batch = options.batch
        return Link(progress: progress, requests: requests, limiter: limiter) { client in
            client.userAgent = "pledge/\(CommandLineTool.version)"
            client.timeout = batch.timeout
            client.transport = requests.counting(StandardTransport(batch.transport))
            // What a service asks to wait for, it waits for. Exist, which counts by the hour, does not say.
            client.retry = RetryRule(attempts: 5, longestWait: batch.rules.longestWait, limitDelay: 900)
            client.limiter = limiter
            client.onUnreadable = { list, item in progress.say("In \(list), \(item).") }
        }
    }

    private func source(_ existAPI: ExistAPI, _ link: Link, as name: String? = nil) -> Source {
        let rate = options.batch.rate ?? Self.usualRate
        let options = syncOptions(link) { left in
            link.progress.note(left, hours: Double(max(0, left - link.limiter.available)) / Double(rate))
        }
        return Source(progress: link.progress) { history in
            history.sync(existAPI, as: name, options: options)
        }
    }

    private func source(_ session: ParticipantSession, _ link: Link, as name: String? = nil) -> Source {
        let options = syncOptions(link) { _ in }
        return Source(progress: link.progress) { history in
            history.sync(session, as: name, options: options)
        }
    }

    private func syncOptions(_ link: Link, _ onProgress: @escaping @Sendable (Int) -> Void) -> SyncOptions {
        var sync = SyncOptions()
        sync.requests = link.requests
        sync.overlap = options.overlap
        sync.onProgress = onProgress
        return sync
    }
}
