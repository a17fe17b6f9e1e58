//: # Token source
//: Tokens last for some hours. A session that asks for them needs no replacement when they run out.
import MyDataHelpsKit
import PledgeSandbox

let sandbox = try MyDataHelpsSandbox.start()
let client = MyDataHelpsClient(baseURL: sandbox.baseURL)

//: Gets tokens from your server. Here it makes them up, and tells the sandbox.
final class Tokens: TokenSource {
    let sandbox: MyDataHelpsSandbox

    init(sandbox: MyDataHelpsSandbox) {
        self.sandbox = sandbox
    }

    func token() -> Promise<String> { .value("an-old-token") }

    func token(replacing rejected: String) -> Promise<String> {
        print("The service refused the token: here is another")
        sandbox.addToken("a-new-token")
        return .value("a-new-token")
    }
}

let session = ParticipantSession(client: client, tokens: Tokens(sandbox: sandbox))

//: However many calls are refused together, one new token is asked for, and all of them succeed.
let calls: [Promise<ParticipantInfo>] = (0..<5).map { _ in session.getParticipantInfo() }
print(try when(fulfilled: calls).wait().count, "calls succeeded")

//: A data source is simpler: whoever holds the token, read at the moment of use. The session does not keep it alive.
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
