import ExistKit
import Foundation
import PledgeHistory
import PledgeTestSupport
import Testing

@testable import PledgeCommand
@testable import PledgeServer

@Suite("Signing in", .serialized)
final class SignInTests: ToolSuite {
    init() throws { try super.init(isEmpty: true) }

    /// The environment of a separate home folder, in which the only accounts are those that the test stores.
    var home: [String: String] { ["XDG_CONFIG_HOME": folder.path("config")] }
    let file = "config/pledge/default.json"

    var tokens: [String] { folder.text(file).components(separatedBy: "\"").filter { $0.count == 40 } }

    /// Signs in with a token on standard input.
    @discardableResult
    func paste(
        _ token: String, _ arguments: [String] = [], exits code: Int32 = 0, saying words: String...,
        at location: SourceLocation = #_sourceLocation
    ) async throws -> Tool.Outcome {
        try await ToolRun(
            ["login"] + arguments, sandboxes.environment.adding(home), input: token + "\n"
        ).end(code, words, at: location)
    }

    private func pasteOther(_ arguments: [String] = ["--profile", "work"]) async throws {
        sandboxes.exist.addToken("token-of-work", username: "maya at work")
        try await paste("token-of-work", arguments)
    }

    private func other() -> [String: String] {
        sandboxes.exist.addToken("token-of-the-environment", username: "someone else")
        return sandboxes.environment.adding(["EXIST_TOKEN": "token-of-the-environment"])
    }

    /// Uses the stored account: returns what `pledge profile` prints without an account in the environment.
    @discardableResult
    func profile(_ arguments: [String] = [], exits code: Int32 = 0, saying words: String = "") async throws -> String {
        let run = try await Tool.run(["profile", "--json"] + arguments, home, exits: code)
        #expect(run.errors.contains(words) || words.isEmpty, "\(run.errors)")
        return run.output + run.errors
    }

    @Test(
        "A pasted token of either kind is tested, stored in a private file, used by commands, and never shown",
        arguments: [false, true])
    func pasted(isSimple: Bool) async throws {
        let token = isSimple ? sandboxes.exist.simpleToken : sandboxes.exist.token
        let login = try await paste(token, saying: "Signed in to Exist as maya")
        #expect(folder.mode(file) == 0o600 && folder.mode("config/pledge") == 0o700)
        #expect(folder.text(file).contains("simple") == isSimple)
        let (used, status) = (try await profile(), try await Tool.run("status --json", home))
        #expect(used.contains("\"maya\"") && status.output.contains("\"origin\":\"profile default\""))
        #expect(!(login.output + login.errors + used + status.output + status.errors).contains(token))
    }

    @Test("A user name and a password are exchanged for a read-only token, and only the token is stored")
    func password() async throws {
        let (name, password) = (sandboxes.exist.username, sandboxes.exist.password)
        let login = try await paste("\(name)\n\(password)", ["--password"], saying: "Signed in to Exist as maya")
        #expect(tokens == [sandboxes.exist.simpleToken] && !folder.text(file).contains(password))
        #expect(!(login.output + login.errors).contains(password))
        try await profile()
        try await paste("\(name)\nwrong-password", ["--password", "--profile", "other"], exits: 1)
        try await paste(name, ["--password", "--profile", "other"], exits: 64, saying: "Password of Exist")
    }

    @Test("In a terminal, the tool asks for a token without showing what is typed")
    func unseen() async throws {
        let token = sandboxes.exist.token
        let prompt = "Token of Exist (not displayed):"
        let login = try await ToolTerminal.run(
            "login", sandboxes.environment.adding(home), typed: token + "\n", after: prompt)
        #expect(login.screen.hasPrefix("To get a token, open https://exist.io/account/apps/"))
        #expect(login.screen.contains("\(prompt) \nSigned") && !login.screen.contains(token) && login.echoes)
    }

    @Test("After an interrupt at the prompt, the terminal shows typed text again")
    func interrupted() async throws {
        let login = try await ToolTerminal.start(
            ["login"], sandboxes.environment.adding(home), after: "(not displayed):", then: { $0.send(SIGINT) })
        #expect(login.status == 130 && login.echoes)
    }

    @Test("A token that doesn't work is not stored, and an empty token is an error")
    func refused() async throws {
        let bad = try await paste("s3cr3t-token", exits: 1, saying: "401", "Check that the whole token was pasted.")
        #expect(!(bad.output + bad.errors).contains("s3cr3t"))
        let ends = "Check that the whole token was pasted. Tokens expire after a few hours."
        try await paste("s3cr3t-token", ["--mydatahelps"], exits: 1, saying: "401", ends)
        try await paste("", exits: 64)
        #expect(!folder.has(file))
    }

    @Test("If a stored token is refused later, the error suggests signing in again to the same profile")
    func refusedLater() async throws {
        try await pasteOther()
        sandboxes.exist.expireToken("token-of-work")
        try await profile(
            ["--profile", "work"], exits: 1, saying: "Sign in again with “pledge login --profile work”.\n")
        #expect(try await Tool.run("status", home, exits: 1).output.contains("“pledge login --profile work”"))
    }

    @Test("There can be several profiles; for a name without a profile, the error suggests a similar name")
    func profiles() async throws {
        try await paste(sandboxes.exist.token)
        try await pasteOther()
        try await paste(sandboxes.participants.token, ["--mydatahelps", "--profile", "work"])
        #expect(try await profile().contains("\"maya\""))
        #expect(try await profile(["--profile", "work"]).contains("\"maya at work\""))
        let chosen = try await Tool.run("profile --json", home.adding(["PLEDGE_PROFILE": "work"]))
        #expect(chosen.output.contains("\"maya at work\""))
        try await Tool.run("profile", home.adding(["PLEDGE_PROFILE": "../a"]), exits: 64, saying: "not a valid profile")
        try await profile(["--mydatahelps", "--profile", "work"])
        try await profile(["--profile", "wrok"], exits: 64, saying: "Did you mean “work”?")
        #expect(try await Tool.run("status --jsonl", home).output.split(separator: "\n").count == 3)
    }

    @Test("`pledge sync` uses stored accounts, but accounts in the environment take precedence")
    func sync() async throws {
        try await paste(sandboxes.exist.token)
        try await paste(sandboxes.participants.token, ["--mydatahelps"])
        try await pasteOther()
        func accounts(_ arguments: [String], _ environment: [String: String] = [:]) async throws -> [[SQLValue]] {
            let path = folder.path("\(UUID()).db")
            let run = try await Tool.run(["sync", path, "--quiet"] + arguments, home.adding(environment))
            #expect(!run.errors.contains("token-of"), "\(run.errors)")
            return try History(reading: path).query("SELECT service, name FROM account ORDER BY service").rows
        }
        let participant: [SQLValue] = ["mydatahelps", .text(sandboxes.participants.participantIdentifier)]
        #expect(try await accounts([]) == [["exist", "maya"], participant])
        // A sync doesn't need both services: this profile has only an account of Exist.
        #expect(try await accounts(["--profile", "work"]) == [["exist", "maya at work"]])
        #expect(try await accounts([], other()) == [["exist", "someone else"], participant])
        let sync = ["sync", folder.path("a.db")]
        try await Tool.run(sync + ["--profile", "wrok"], home, exits: 64, saying: "Did you mean “work”?")
        try await Tool.run(sync, exits: 64, saying: "There is no account: set EXIST_TOKEN")
        #expect(!folder.has("a.db"))
    }

    @Test("A token in the environment takes precedence over a stored one; a stored token goes only to its own server")
    func environmentWins() async throws {
        try await paste(sandboxes.exist.token)
        let environment = sandboxes.environment.adding(home)
        let chosen = try await Tool.run(
            "profile --json --profile default", home.adding(other()),
            saying: "takes precedence over the profile “default”")
        #expect(chosen.output.contains("someone else"))
        // A stored token is sent only to its own address, even if the environment names another address.
        #expect(try await Tool.run("profile --json", environment).output.contains("\"maya\""))
        try await Tool.run(["sync", folder.path("own.db"), "--quiet"], environment, exits: 64)
        sandboxes.server.resetRequests()
        let elsewhere = "http://localhost:\(sandboxes.server.baseURL.port ?? 0)/"
        for arguments in [["profile"], ["sync", folder.path("lured.db")], ["report"]] {
            try await Tool.run(
                arguments, environment.adding(["EXIST_BASE_URL": elsewhere]), exits: 64, saying: "EXIST_TOKEN is not")
        }
        #expect(sandboxes.server.requests.isEmpty)
    }

    @Test("Logging out deletes the stored account")
    func logout() async throws {
        try await paste(sandboxes.exist.token)
        try await paste(sandboxes.participants.token, ["--mydatahelps"])
        try await Tool.run("logout --only exist", home, saying: "Removed the account of Exist from")
        try await Tool.run("logout --only exist", home, exits: 64, saying: "has no account of Exist.")
        try await profile(exits: 64)
        try await profile(["--mydatahelps"])
        try await Tool.run("logout", home, saying: "Removed the profile “default”.")
        #expect(!folder.has(file))
        try await Tool.run("logout", home, exits: 64)
        try await Tool.run("status", home, exits: 1)
        try await paste(sandboxes.exist.token)
        try await Tool.run("logout --only exist", home)
        #expect(!folder.has(file))
    }

    @Test("If a profile is damaged or other users can read it, the error says what to do")
    func badFiles() async throws {
        try await paste(sandboxes.exist.token)
        chmod(folder.path(file), 0o644)
        try await profile(exits: 1, saying: "chmod 600")
        for text in [#"{"\uDEB4": 1}"#, "{\"a\n\": 1}", "{"] {
            try folder.file(file, holding: text)
            try await profile(exits: 1, saying: "sign in again")
        }
        // The damaged profile doesn't hide other profiles, and can be removed.
        try await paste(sandboxes.exist.token, ["--profile", "good"])
        let status = try await Tool.run("status --json", home, exits: 1)
        #expect(status.output.contains("sign in again") && status.output.contains("\"works\""))
        try await Tool.run("logout", home)
        try await Tool.run("status --json", home)
    }

    @Test(
        "If an option of `pledge login` has no effect, the tool reports an error before it asks for a token",
        arguments: [
            (["--read-only"], "the browser"), (["--mydatahelps", "--password"], "Exist"),
            (["--mydatahelps", "--read-only"], "Exist"), (["--client-id", "1", "--password"], "without --client-id"),
        ])
    func uselessOptions(options: [String], use: String) async throws {
        // The input has no token, so if the tool asked for one, the error would be a different one.
        try await paste("", options, exits: 64, saying: use)
        #expect(try await Tool.run("status --json", home, exits: 1).output == "[]\n")
    }

    @Test("The error for a missing account names the command that adds one")
    func nextStep() async throws {
        try await paste(sandboxes.exist.token, ["--profile", "study"])
        let next = "run “pledge login --mydatahelps --profile study” to add one."
        let missing = try await Tool.run("surveys --profile study", home, exits: 64, saying: next)
        #expect(!missing.errors.contains("Did you mean"))
        let demo = "DEMO: an invented person's data. “pledge login --mydatahelps” shows yours.\n"
        #expect(try await Tool.run("surveys --demo", home).errors == demo)
    }

    @Test("Printing or dumping stored credentials shows no secret and no token")
    func descriptions() {
        let app = ExistCredential.App(clientID: "id", clientSecret: "s3cr3t", redirectURI: "http://localhost/")
        let exist = ExistCredential(
            address: sandboxes.server.baseURL, username: "maya", kind: .bearer,
            token: ExistToken(accessToken: "s3cr3t", refreshToken: "s3cr3t"), app: app)
        let participant = ParticipantCredential(address: sandboxes.server.baseURL, participant: "p", token: "s3cr3t")
        let profile = Profile(exist: exist, mydatahelps: participant)
        for value in [app, exist, participant, profile] as [Any] { #expect(!printed(value).contains("s3cr3t")) }
    }
}
