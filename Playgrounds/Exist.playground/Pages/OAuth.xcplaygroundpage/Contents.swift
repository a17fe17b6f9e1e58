//: # OAuth
//: How other people let your app in: they agree in the browser, it comes back with a code, the code becomes tokens. The
//: client's secret belongs on a server of yours, and so does this.
import ExistKit
import Foundation
import PledgeSandbox

let sandbox = try ExistSandbox.start()
let oauth = ExistOAuth(
    clientID: sandbox.clientID, clientSecret: sandbox.clientSecret, redirectURI: "https://app.example/back",
    baseURL: sandbox.baseURL)

struct NoAddress: Error {}

//: Begin with one value for one user: it has the address to send them to, and knows the redirect that answers it. Ask for
//: little.
let signIn = try oauth.signIn(scopes: [.read("mood"), .write("mood")])

//: The sandbox agrees to everything at once; a person reads a page and presses a button. Either way the browser comes
//: back to your address, with a code. A redirect that somebody else made up, or that goes elsewhere, is refused.
let tokens = StandardTransport.shared.send(OutgoingRequest(url: signIn.address)).then { reply -> Promise<ExistToken> in
    guard let redirect = reply.headers["Location"].flatMap(URL.init(string:)) else { throw NoAddress() }
    return oauth.token(for: try signIn.code(from: redirect))
}

//: A source renews the pair when it has run out, and hands each new one to your store before any request uses it.
let used = tokens.then { token -> Promise<ExistAPI.UserReply> in
    print("May:", token.scopes?.joined(separator: ", ") ?? "what was asked for")
    var old = token
    old.expiresAt = Date(timeIntervalSinceNow: -1)
    let source = ExistTokenSource(old, oauth: oauth) { fresh in
        print("Keep the new pair somewhere safe:", fresh)
        return Promise()
    }
    return ExistAPI(source: source, baseURL: sandbox.baseURL).user()
}.done { user, response in
    print("Let in by", user.username)
}.catch { error in
    print(error)
}

try used.wait()
sandbox.stop()
