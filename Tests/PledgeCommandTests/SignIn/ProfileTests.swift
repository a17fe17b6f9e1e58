import ExistKit
import Foundation
import PledgeTestSupport
import Testing

@testable import PledgeCommand

@Suite("Profiles")
struct ProfileTests {
    @Test(
        "A profile's name has at most 64 ASCII characters and can't lead to another folder",
        arguments: [
            ("default", true), ("a", true), ("Work_2-b", true), (String(repeating: "a", count: 64), true), ("", false),
            (String(repeating: "a", count: 65), false), ("..", false), (".hidden", false), ("../default", false),
            ("a/b", false), ("a b", false), ("é", false), ("a\n", false), ("a\0b", false),
        ])
    func names(name: String, isName: Bool) {
        #expect(ProfileStore.isName(name) == isName)
    }

    @Test(
        "A token may be sent over https, to this machine, or to a trusted host; other addresses are refused",
        arguments: [
            ("https://exist.example/", nil), ("http://127.0.0.1:8080/", nil), ("http://sandbox:4711/", nil),
            ("http://10.0.0.7/", nil), ("http://10.0.0.71/", "PLEDGE_PLAIN_HTTP_HOSTS"),
            ("http://exist.example/", "plain http"), ("http://sandbox@exist.example/", "a user name"),
            ("https://ann@exist.example/", "a user name"), ("https://ann:b@exist.example/", "a user name"),
            ("ftp://exist.example/", "not a URL"), ("https://exist.example/api/2/", "must not end in /api/2"),
            ("exist.example", "not a URL"),
        ])
    func addresses(address: String, reason: String?) {
        let error = thrown(UsageError.self) {
            try Access.Service.exist.address(
                address, from: "EXIST_BASE_URL", ["PLEDGE_PLAIN_HTTP_HOSTS": "sandbox, 10.0.0.7"])
        }
        #expect((error == nil) == (reason == nil))
        if let error, let reason { #expect("\(error)".contains(reason) && !"\(error)".contains(address)) }
    }

    @Test(
        "A trusted host with a scheme, a port, or a star is refused, because it would never match",
        arguments: [("a, [fd00::1]\nb", nil), ("http://a", "http://a"), ("a,b:80", "b:80"), ("*", "*")])
    func plainHosts(text: String, refused: String?) {
        let error = thrown(UsageError.self) { _ = try Settings(["PLEDGE_PLAIN_HTTP_HOSTS": text]) }
        #expect((error == nil) == (refused == nil))
        #expect(error == nil || "\(error!)".contains("“\(refused ?? "")”"))
    }

    @Test("Profiles are below XDG_CONFIG_HOME, or else below HOME; relative paths are ignored")
    func places() {
        for (environment, file) in [
            (["XDG_CONFIG_HOME": "/x", "HOME": "/h"], "/x/pledge/a.json"), (["HOME": "h"], nil),
            (["XDG_CONFIG_HOME": "x", "HOME": "/h"], "/h/.config/pledge/a.json"),
        ] {
            #expect(ProfileStore(environment.adding(["PLEDGE_KEYCHAIN": "0"]))?.title(of: "a") == file)
        }
    }

    @Test("A profile is unlocked after it is changed or removed; a removal that fails is an error")
    func unlocked() throws {
        let folder = try TemporaryFolder()
        let store = try #require(ProfileStore(["XDG_CONFIG_HOME": folder.path("")]))
        for change in [{ try store.update("a") { _ in } }, { try store.remove("a") }] {
            try change()
            let lock = open(folder.path("pledge/.a.lock"), O_RDWR)
            #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
            close(lock)
        }
        try FileManager.default.createDirectory(atPath: folder.path("pledge/b.json"), withIntermediateDirectories: true)
        #expect(throws: Failure.self) { try store.remove("b") }
    }

    @Test(
        "If the folder of the profiles can't be read, the error says so, and doesn't deny that there are profiles",
        arguments: ["status", "logout"])
    func unreadableFolder(command: String) async throws {
        let folder = try TemporaryFolder()
        try folder.file("pledge", holding: "")
        let run = try await Tool.run(
            command, ["XDG_CONFIG_HOME": folder.path(""), "PLEDGE_KEYCHAIN": "0"], exits: 1, saying: "cannot be read")
        #expect(run.errors.contains(folder.path("pledge")) && !run.errors.contains("There is no"), "\(run.errors)")
    }

    @Test(
        "If another process has locked a profile, a change says that it waits, and is made after the lock is released")
    func locked() async throws {
        let folder = try TemporaryFolder()
        let environment = ["XDG_CONFIG_HOME": folder.path("")]
        let store = try #require(ProfileStore(environment))
        try store.update("a") {
            $0.mydatahelps = ParticipantCredential(address: URL(fileURLWithPath: "/"), participant: "p", token: "t")
        }
        let lock = try store.lock("a")
        let run = try ToolRun(["logout", "--profile", "a"], environment)
        await Wait.until { run.errors.contains("Another process is using the profile “a”: waiting for it.") }
        #expect(try store.names == ["a"])
        lock.release()
        #expect(await run.end() == 0)
        #expect(try store.names == [])
    }

    @Test("Variables can set every limit of a command's and an account's budget; at most a hundred warnings are kept")
    func budgets() throws {
        let warnings = Warnings()
        for number in 1...101 { warnings.add("\(number)") }
        #expect(warnings.all.count == 101 && warnings.all.suffix(2) == ["100", "And 1 more item."])
        warnings.add("102")
        #expect(warnings.all.count == 101 && warnings.all.last == "And 2 more items.")
        let given = try Settings([
            "PLEDGE_MAX_REQUESTS": "1", "PLEDGE_MAX_SIZE": "2", "PLEDGE_MAX_ITEMS": "3", "PLEDGE_MAX_TIME": "4",
        ])
        let (all, usual) = (EndpointClient.Budget(requests: 1, bytes: 2 << 20, items: 3, seconds: 4), try Settings([:]))
        #expect(given.commandBudget == all && given.accountBudget == all)
        #expect(usual.commandBudget == EndpointClient.Budget(seconds: 3600))
        let large = EndpointClient.Budget(requests: 100_000, bytes: 4 << 30, items: 10_000_000, seconds: .infinity)
        #expect(usual.accountBudget == large)
    }

    @Test("Two accounts are the same only if their services, addresses, and the bytes of their names are the same")
    func accounts() throws {
        let (here, there) = (try #require(URL(string: "https://a/")), try #require(URL(string: "https://b/")))
        let token = ExistToken(accessToken: "t")
        let profile = Profile(exist: ExistCredential(address: here, username: "may\u{E9}", kind: .bearer, token: token))
        #expect(profile.holds("may\u{E9}", at: here, .exist))
        #expect(!profile.holds("maye\u{301}", at: here, .exist) && !profile.holds("maya", at: here, .exist))
        #expect(!profile.holds("may\u{E9}", at: there, .exist) && !profile.holds("may\u{E9}", at: here, .mydatahelps))
    }
}
