import ExistKit
import Foundation
import MyDataHelpsKit
import Pledge
import PledgeBatch
import PledgeCoding
import PledgeHTTP
import PledgeHistory

/// A batch with progress, signals, a report, and an exit code.
struct BatchSession {
    let input: BatchInput
    let report: RunReport
    /// The number of accounts to process; nil if unknown.
    var toDo: Int?
    /// The accounts for which a service failed in the previous run. They come last.
    var failedBefore: Set<HashKey> = []
    /// The counts of the results that an earlier run wrote, by service.
    var before: [String: BatchTally] = [:]
    /// How to continue after an interruption.
    var advice = ""
    var isCheck = false

    /// Blocks until the batch is complete or cannot continue.
    ///
    /// - Parameter ending: Makes the results durable, and returns what to report about all results.
    func run(
        work: @escaping @Sendable (AccountSlot) -> Promise<BatchItem.Outcome>, ending: (BatchTally) throws -> LogEvent?
    ) throws -> Int32 {
        let (options, reporter, toDo) = (input.options, input.reporter, toDo)
        let sending = options.settings.makeTransport(requestsInFlight: options.rules.inFlight)
        let transport: any HTTPTransport =
            options.arguments[Access.verbose]
            ? RequestTrace(transport: sending, clock: options.context.clock) {
                reporter.log(LogEvent(name: "exchange", text: $0), always: true)
            } : sending
        let batch = BatchEngine(
            options.rules, over: transport, clock: options.context.clock,
            report: { notice, trouble in
                if case .probe = notice, !options.isLogJSON { return }
                reporter.log(LogEvent(notice, options.rules, trouble: trouble))
            })
        report.follow { [input, before] in
            var progress = batch.progress(toDo: toDo)
            // The counts include the earlier part of the run. Otherwise, resuming would end an alarm about that part.
            for (service, tally) in before { progress.tallies[service, default: BatchTally()].add(tally) }
            return (progress, input.skipped)
        }
        let interrupts = Interrupts(options.context.terminal.signals) { [input] in
            input.stop()
            batch.stop()
            reporter.log(
                LogEvent(
                    name: "interrupted",
                    text: "Finishing the requests in progress. Interrupt again to stop immediately."))
        }
        reporter.begin { LogEvent(batch.progress(toDo: toDo)) }
        // Signals are observed until the ending is complete.
        defer { interrupts.end() }
        let (code, whole): (ExitCode, BatchTally)
        do {
            var events: [LogEvent?] = []
            defer { reporter.end(events.compactMap(\.self)) }
            try batch.run(input.items(limits: options.limits, failedBefore: failedBefore, work)).wait()
            whole = before.values.reduce(into: batch.tally) { $0.add($1) }
            let last = try ending(whole)
            code = exitCode(whole)
            events = [closing(batch.tally, batch.progress(toDo: toDo), code), last]
        }
        // The event is reported even in quiet mode, because nothing else shows that a run lost items.
        if let event = LogEvent(unreadable: whole.unreadable) { reporter.log(event, always: true) }
        return code.rawValue
    }

    private func exitCode(_ whole: BatchTally) -> ExitCode {
        if input.isStopped { return .interrupted }
        if !whole.down.isEmpty { return .serviceDown }
        let hasFailed = whole.failed + input.skipped.badLines > 0
        if hasFailed, !input.options.arguments[BatchOptions.acceptErrors] { return .someFailed }
        return !whole.unreadable.isEmpty && !input.options.arguments[BatchOptions.acceptUnreadable]
            ? .partial : .allDone
    }

    private func closing(_ tally: BatchTally, _ progress: BatchProgress, _ code: ExitCode) -> LogEvent {
        let done = progress.done
        let failed = NumberText.grouped(progress.failed)
        var sentences = [
            isCheck
                ? "\(NumberText.grouped(done)) would work, \(failed) would fail."
                : "\(NumberText.counted(done, "account")) done and \(failed) failed in "
                    + "\(NumberText.duration(progress.elapsed)) (\(NumberText.rounded(progress.rate, decimals: 1)) a second)."
        ]
        let skipped = input.skipped
        if skipped.badLines > 0 {
            sentences.append("\(NumberText.counted(skipped.badLines, "line")) could not be read.")
        }
        if skipped.duplicates > 0 {
            let verb = skipped.duplicates == 1 ? "was" : "were"
            sentences.append("\(NumberText.counted(skipped.duplicates, "duplicate")) \(verb) skipped.")
        }
        let names = tally.down.map(AccountID.Service.title(of:)).joined(separator: " and ")
        let reason = [
            .interrupted: "interrupted",
            .serviceDown: "stopped because \(names) \(tally.down.count == 1 ? "is" : "are") down",
        ][code]
        if let reason { sentences.append("It was \(reason)\(advice.isEmpty ? "." : ": \(advice)")") }
        return LogEvent(
            name: "end", text: sentences.joined(separator: " "),
            facts: [
                "exit": .integer(Int(code.rawValue)), "done": .integer(tally.done), "failed": .integer(tally.failed),
                "left": .integer(tally.left),
            ])
    }
}

/// An account of a batch while its work runs, with its tokens and clients. The clients send requests when the batch's
/// schedule permits them.
struct AccountSlot: Sendable {
    /// Receives items that could not be read, with the name of their list.
    typealias Note = @Sendable (_ list: String, UnreadableItem) -> Void

    let account: AccountLine
    let tokens: any TokenSource
    let batch: BatchSlot
    private let address: URL
    private let options: EndpointClient.Options

    init(
        _ account: AccountLine, _ batch: BatchSlot, at address: URL, _ options: BatchOptions,
        onWait: (@Sendable (RequestWait) -> Void)?
    ) {
        var own = account.id.service == .exist ? ExistAPI.defaultOptions : MyDataHelpsClient.defaultOptions
        own.userAgent = Version.userAgent
        own.timeout = options.timeout
        own.onWait = onWait
        own.plainHTTPHosts = options.settings.plainHTTPHosts
        own = batch.options(own)
        // Renewing a stored account's token must not wait for this account's limits, because other programs wait for
        // the account's lock.
        var renewing = own
        renewing.gate = nil
        // The budget covers all of the account's requests, including those for its tokens.
        own.meter = BudgetMeter(options.settings.accountBudget, clock: own.clock)
        own.onUnreadable = { _, _ in }
        own.advise = account.advice
        tokens = account.token.source({ [own] in Self.client(at: address, own) }, address, renewing)
        self.account = account
        self.batch = batch
        self.address = address
        self.options = own
    }

    func exist(_ note: @escaping Note = { _, _ in }) -> ExistAPI {
        ExistAPI(
            .source(tokens, scheme: account.kind.scheme), baseURL: address,
            options: options.with { $0.onUnreadable = note })
    }

    func participant(_ note: @escaping Note = { _, _ in }) -> ParticipantSession {
        ParticipantSession(
            client: Self.client(at: address, options.with { $0.onUnreadable = note }), tokens: tokens)
    }

    /// Returns the service account that issues the participant's tokens, because some lists can only be read by a
    /// service account. Returns nil if the tokens come from elsewhere.
    func serviceAccount(_ note: @escaping Note = { _, _ in }) -> ServiceAccount? {
        (tokens as? ServiceAccountTokens)?.account.with(
            Self.client(at: address, options.with { $0.onUnreadable = note }))
    }

    private static func client(at address: URL, _ options: EndpointClient.Options) -> MyDataHelpsClient {
        MyDataHelpsClient(baseURL: address, languageTag: "en", options: options)
    }

    func error(_ error: any Error, section: String? = nil) -> AccountError {
        AccountError(error, section: section, isGarbled: batch.isGarbled)
    }
}

extension AccountLine {
    @Sendable func advice(_ error: ExchangeError) -> String? {
        switch error.reason {
        case .limited: return "Allow more with --wait, or repeat this account in another run."
        // The reason says why the token could not be renewed.
        case .credential: return nil
        default: break
        }
        return switch (error.kind, id.service) {
        case (.unauthorized, .exist) where kind == .simple:
            #"Check the token: only one created with a password has "kind":"simple" beside it."#
        case (.unauthorized, .exist):
            #"Check the token: it may have expired. One created with a password needs "kind":"simple" beside it."#
        case (.unauthorized, .mydatahelps):
            "Its token has expired or was revoked, and there was no newer one: they last a few hours."
        case (.rateLimited, .exist): "\(ExistAPI.limitText), across all clients."
        default: Settings.advice(error)
        }
    }
}

/// The error of an account, as the results show it.
struct AccountError: Error {
    /// A code for programs; the same for both services.
    var kind: String
    /// Whether the error may be temporary, so that another run retries it.
    var isPassing: Bool
    var status: Int?
    var section: String?
    var message: String

    /// The kinds that are always temporary.
    static let passingKinds = FailureKind.allCases.filter(\.isPassing).map(\.rawValue)

    /// The kinds of errors for which the service is to blame.
    static let serviceKinds = Set([FailureKind.serviceFault, .timedOut, .unreachable].map(\.rawValue))

    static let kinds = Set(FailureKind.allCases.filter { $0 != .cancelled }.map(\.rawValue)).union([
        "noToken", "identity",
    ])

    /// The kinds of errors of a sync. A sync also compares with stored data, so it has one more kind.
    static let syncKinds = kinds.union(["removals"])

    /// Reads the names of kinds. The word `all` is returned as it is.
    static func kinds(_ text: String, among known: Set<String>) throws -> Set<String> {
        let words = text.split(separator: ",").map(String.init)
        if let unknown = words.first(where: { !known.contains($0) }), text != "all" {
            let known = known.sorted().joined(separator: ", ")
            throw UsageError("There is no kind of error “\(unknown)”. The kinds are all, \(known).")
        }
        guard !words.isEmpty else { throw UsageError("--retry names no kind of error.") }
        return Set(words)
    }

    /// - Parameter isGarbled: Whether the last response came from something other than the service itself.
    init(_ error: any Error, section: String? = nil, isGarbled: Bool) {
        self.section = section
        let error = Self.source(of: error)
        (kind, status) = error is NoToken ? ("noToken", nil) : error.kindAndStatus
        // A truncated body or a web page may be temporary, too.
        isPassing = Self.passingKinds.contains(kind) || kind == "unreadable" && isGarbled
        // The message contains no token, because a text that repeats a token was left out.
        message = "\(error)"
    }

    /// Returns the token source's error if it prevented the request.
    private static func source(of error: any Error) -> any Error {
        if case MyDataHelpsError.encodingError(let cause as NoToken) = error { return cause }
        guard case .credential(let cause) = error.exchangeError?.reason, !(cause is CredentialError) else {
            return error
        }
        return source(of: cause)
    }
}
