import Foundation
import PledgeTestSupport
import Testing

@testable import PledgeSandbox

/// Runs clients that were written only from the services' documentation, and common OAuth libraries with default settings.
@Suite("Independent clients")
struct ClientTests {
    private static let libraries = "requests_oauthlib, authlib.integrations.requests_client"

    private func run(_ script: String, by python: String = "python3", _ words: String...) throws -> [String] {
        let file = Repository.file("Tests/PledgeSandboxTests/Clients/\(script).py").path
        let (status, output) = try Executable.run([python, "-B", file] + words)
        #expect(status == 0, "\(output)")
        return output.split(separator: "\n").map(String.init)
    }

    @Test(
        "A client that follows `next` reads everything; a client that writes in bulk can read what it wrote",
        .needs("python3"))
    func exist() throws {
        let exist = try ExistSandbox.start()
        defer { exist.stop() }
        #expect(try run("follow_next", exist.baseURL.absoluteString, exist.token) == ["42 attributes, 365 days"])
        #expect(try run("write_in_bulk", exist.baseURL.absoluteString, exist.token) == ["90 days"])
    }

    @Test(
        "A client with a service account lists all participants, and reads the data of each",
        .needs("python3", "openssl"))
    func serviceAccount() throws {
        let sandbox = try MyDataHelpsSandbox.start()
        defer { sandbox.stop() }
        let words = try run(
            "service_account", sandbox.baseURL.absoluteString, sandbox.serviceAccount, sandbox.projectID)
        #expect(words == ["240 people, 60 points each"])
    }

    @Test(
        "OAuth libraries can sign in and refresh; the sandbox refuses codes and refresh tokens that were used before",
        .enabled(if: Executable.python(with: libraries) != nil, "no Python with requests-oauthlib and Authlib"))
    func signIn() throws {
        let exist = try ExistSandbox.start()
        defer { exist.stop() }
        let python = try #require(Executable.python(with: Self.libraries))
        let words = try run(
            "oauth_libraries", by: python, exist.baseURL.absoluteString, exist.clientID, exist.clientSecret)
        #expect(words == ["requests-oauthlib", "Authlib"])
    }
}
