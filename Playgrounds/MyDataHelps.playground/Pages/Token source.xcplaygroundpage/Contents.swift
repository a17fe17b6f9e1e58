//: # Token source
//: Tokens expire after some hours. A session with a token source gets a new token then, so you don't need to create a
//: new session.
import MyDataHelpsKit
import PledgeSandbox

let sandbox = try MyDataHelpsSandbox.start()
let client = MyDataHelpsClient(baseURL: sandbox.baseURL)

//: In your app, a token source gets tokens from your server. This one makes up a token, and adds it to the sandbox.
final class Tokens: TokenSource {
    let sandbox: MyDataHelpsSandbox

    init(sandbox: MyDataHelpsSandbox) {
        self.sandbox = sandbox
    }

    func token() -> Promise<String> { .value("an-old-token") }

    func token(replacing rejected: String) -> Promise<String> {
        print("The service refused the token: here is another")
        sandbox.addToken("a-new-token", of: sandbox.participantIdentifier)
        return .value("a-new-token")
    }
}

let session = ParticipantSession(client: client, tokens: Tokens(sandbox: sandbox))

//: If the service rejects the token of several calls at the same time, only one new token is requested, and all calls
//: succeed.
let calls: [Promise<ParticipantInfo>] = (0..<5).map { _ in session.getParticipantInfo() }
print(when(fulfilled: calls).waitOrExit().count, "calls succeeded")

//: A data source is simpler: it has the token as a property, which the session reads for each request. The session does
//: not retain the data source.
final class SignIn: AccessTokenDataSource {
    let accessToken: String?

    init(accessToken: String?) {
        self.accessToken = accessToken
    }
}

let signIn = SignIn(accessToken: nil)
ParticipantSession(client: client, dataSource: signIn).getProjectInfo().done { project in
    print(project.name)
}.catch { error in
    print(error)
}.waitOrExit()
withExtendedLifetime(signIn) {}
sandbox.stop()
