import ExistKit
import Foundation
import MyDataHelpsKit
import PledgeHistory
import PledgeSandbox

/// `pledge sync`: one's own data in a database, brought up to date.
struct SyncCommand {
    var options: SyncRequest
    var environment: [String: String]

    func run() throws -> Int32 {
        signal(SIGPIPE, SIG_IGN)
        if options.hasAccounts {
            let clients = try BatchClients(timeout: options.batch.timeout, environment: environment)
            let input = try BatchInput(options.batch.input, shard: options.batch.shard, environment: environment)
            guard !input.isSame(options.database) else {
                throw UsageError("\(options.database) is the input: name another file for the database.")
            }
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
            let progress = SyncProgress(source.title, isQuiet: options.batch.quiet)
            let work = try source.begin(self, history, progress)
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

    /// An account to sync, by whatever service.
    struct Source {
        var title: String
        var begin: (SyncCommand, History, SyncProgress) throws -> Promise<SyncSummary>
    }

    private func sources() throws -> [Source] {
        let access = options.access
        var sources: [Source] = []
        if let token = try access.token(.exist) {
            let url = try access.address(.exist)
            sources.append(Source(title: "Exist") { $0.exist(token, url, nil, $1, $2) })
        }
        if let token = try access.token(.mydatahelps) {
            let url = try access.address(.mydatahelps)
            sources.append(Source(title: "MyDataHelps") { $0.participant(token, url, nil, $1, $2) })
        }
        for service in Access.Service.allCases where environment[service.tokenName] == nil {
            guard !environment[service.addressName, default: ""].isEmpty else { continue }
            throw UsageError("\(service.addressName) is set, but \(service.tokenName) is not.")
        }
        guard sources.isEmpty else { return sources }
        try access.beginDemo(.exist)
        let (existSandbox, participantSandbox) = (try ExistSandbox.start(), try MyDataHelpsSandbox.start())
        return [
            Source(title: "Exist's sandbox") {
                $0.exist(existSandbox.token, existSandbox.baseURL, "sandbox", $1, $2)
            },
            Source(title: "MyDataHelps's sandbox") {
                $0.participant(participantSandbox.token, participantSandbox.baseURL, "sandbox", $1, $2)
            },
        ]
    }
}

// MARK: - The two services

extension SyncCommand {
    private func exist(
        _ token: String, _ url: URL, _ name: String?, _ history: History, _ progress: SyncProgress
    ) -> Promise<SyncSummary> {
        let (requests, limiter) = (RequestCount(), RateLimiter(limit: name == nil ? options.batch.rate ?? 300 : .max))
        let existAPI = ExistAPI(
            token: token, kind: (options.access.arguments[Access.tokenKind] ?? .bearer).tokenKind, baseURL: url,
            options: ExistAPI.usualOptions.with {
                adapt(&$0, requests, progress)
                $0.limiter = limiter
            })
        let rate = options.batch.rate ?? 300
        return ExistSync(
            existAPI, into: history, as: name,
            options: syncOptions { left in
                progress.note(left, hours: Double(max(0, left - limiter.available)) / Double(rate))
            }, requests: requests
        ).run()
    }

    private func participant(
        _ token: String, _ url: URL, _ name: String?, _ history: History, _ progress: SyncProgress
    ) -> Promise<SyncSummary> {
        let requests = RequestCount()
        let client = MyDataHelpsClient(
            baseURL: url, languageTag: "en", userAgent: "pledge/\(CommandLineTool.version)",
            options: MyDataHelpsClient.usualOptions.with {
                adapt(&$0, requests, progress)
                $0.limiter = RateLimiter(limit: options.batch.rate ?? .max)
            })
        let session = ParticipantSession(client: client, accessToken: ParticipantAccessToken(token: token))
        return ParticipantSync(session, into: history, as: name, options: syncOptions { _ in }, requests: requests)
            .run()
    }

    private func adapt(_ client: inout EndpointClient.Options, _ requests: RequestCount, _ progress: SyncProgress) {
        client.timeout = options.batch.timeout
        client.transport = requests.counting(StandardTransport(options.batch.transport))
        // What a service asks to wait for, it waits for. Exist, which counts by the hour, does not say.
        client.retry = RetryRule(attempts: 5, longestWait: options.batch.longestWait, limitDelay: 900)
        client.onUnreadable = { list, item in progress.say("In \(list), \(item).") }
    }

    private func syncOptions(_ onProgress: @escaping @Sendable (Int) -> Void) -> SyncOptions {
        var sync = SyncOptions()
        sync.overlap = options.overlap
        sync.onProgress = onProgress
        return sync
    }
}
