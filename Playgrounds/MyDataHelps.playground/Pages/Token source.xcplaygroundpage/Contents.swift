//: # Token source
//: Tokens expire after some hours. A session with a token source need not be replaced when they do.
import MyDataHelpsKit
import PledgeSandbox

let sandbox = try MyDataHelpsSandbox.start()
let client = MyDataHelpsClient(baseURL: sandbox.baseURL)

//: Gets tokens from your server. Here it makes them up, and adds them to the sandbox.
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

//: However many concurrent calls are rejected, one new token is requested, and all of them succeed.
let calls: [Promise<ParticipantInfo>] = (0..<5).map { _ in session.getParticipantInfo() }
print(try when(fulfilled: calls).wait().count, "calls succeeded")

//: A data source is simpler: it holds the token, which is read for each request. The session does not retain it.
final class SignIn: AccessTokenDataSource {
    let accessToken: String?

    init(accessToken: String?) {
        self.accessToken = accessToken
    }
}

let signIn = SignIn(accessToken: nil)
let signedOut: Promise<Void> = ParticipantSession(client: client, dataSource: signIn).getProjectInfo().done { project in
    print(project.name)
}.catch { error in
    print(error)
}
_ = try? signedOut.wait()
withExtendedLifetime(signIn) {}
sandbox.stop()
