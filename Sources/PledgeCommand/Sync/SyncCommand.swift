import ExistKit
import Foundation
import MyDataHelpsKit
import PledgeHistory
import PledgeSandbox

/// `pledge sync`: one's own data in a database, brought up to date.
struct SyncCommand {
    var options: SyncRequest
    var environment: [String: String]

    static let help = """
        pledge sync: one's own data in a SQLite database, kept up to date

        USAGE
          pledge sync FILE.db [options]                             your own data
          pledge sync [accounts.jsonl] --database FILE.db [options] that of many accounts; see pledge export --help for
                                                                    the lines, and for more options

        The first run reads the whole history, the next ones what may have changed since. It can be ended at any moment:
        the next run goes on from there. With EXIST_TOKEN or MYDATAHELPS_TOKEN in the environment it is your own data,
        with both it is both; without either the built-in sandbox's, as the account “sandbox”.

          sqlite3 -header FILE.db "SELECT * FROM latest"        what is there: the views daily, latest and weekly

        OPTIONS
          --database FILE   where the data of many accounts goes; as with export there are --in-flight, --total-rate,
                            --outage-wait, --shard, --summary, --metrics, --log and --accept-errors
          --overlap DAYS    how many days before the last run are read again, since services correct the past (default 14)
          --rate N          requests an hour for each token (default 300 for Exist; MyDataHelps tells its limit itself)
          --wait SECONDS    how long an account may wait for a limit, in all (default 3600)
          --timeout SECONDS how long one request may take (default 30)
          --transport NAME  what carries requests: curl (default on Linux) or urlsession
          --token-kind KIND bearer (default) or simple, a read-only token of Exist made from a password
          --quiet           no progress and no summary

        ENVIRONMENT
          EXIST_TOKEN, EXIST_BASE_URL, MYDATAHELPS_TOKEN, MYDATAHELPS_BASE_URL

        EXIT CODES
          0 all is up to date    2 some accounts failed    1 it could not go on    3 a service is down
          64 the command line made no sense    130 it was interrupted

        """

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
        let syncs = try Self.sources(environment)
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

    private static func sources(_ environment: [String: String]) throws -> [Source] {
        func text(_ name: String) -> String {
            environment[name, default: ""].trimmingCharacters(in: .whitespacesAndNewlines)
        }
        func address(_ service: String, _ usual: URL) throws -> URL {
            let text = text("\(service)_BASE_URL")
            guard !text.isEmpty else { return usual }
            guard let url = URL(string: text), ["http", "https"].contains(url.scheme), url.host != nil else {
                throw UsageError("\(service)_BASE_URL is not an address such as https://example.org/.")
            }
            return url
        }
        let (exist, participant) = (text("EXIST_TOKEN"), text("MYDATAHELPS_TOKEN"))
        for (service, token) in [("EXIST", exist), ("MYDATAHELPS", participant)] {
            guard token.isEmpty, !text("\(service)_BASE_URL").isEmpty else { continue }
            throw UsageError("\(service)_BASE_URL is set, but \(service)_TOKEN is not.")
        }
        var sources: [Source] = []
        if !exist.isEmpty {
            let url = try address("EXIST", ExistAPI.serviceURL)
            sources.append(Source(title: "Exist") { $0.exist(exist, url, nil, $1, $2) })
        }
        if !participant.isEmpty {
            let url = try address("MYDATAHELPS", MyDataHelpsClient.serviceURL)
            sources.append(Source(title: "MyDataHelps") { $0.participant(participant, url, nil, $1, $2) })
        }
        guard sources.isEmpty else { return sources }
        Terminal.tell(
            "Neither EXIST_TOKEN nor MYDATAHELPS_TOKEN is set, so this is the built-in sandbox on this machine, with "
                + "invented data, as the account “sandbox”.")
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
            token: token, kind: options.tokenKind, baseURL: url,
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
