//: # OAuth
//: This page shows how other users authorize your app. A user agrees in the browser. The browser returns to your app
//: with a code. You exchange the code for tokens. The exchange needs the client secret, so this code belongs on your
//: server.
import ExistKit
import Foundation
import PledgeSandbox

let sandbox = try ExistSandbox.start()
let oauth = ExistOAuth(
    clientID: sandbox.clientID, clientSecret: sandbox.clientSecret, redirectURI: "https://app.example/back",
    baseURL: sandbox.baseURL)

struct NoAddress: Error {}

//: Start by creating a sign-in value for each user. The value has the URL to open in the browser, and later recognizes
//: the redirect that belongs to it. Request as few scopes as possible.
let signIn = try oauth.signIn(scopes: [.read("mood"), .write("mood")])

//: On the real service, a user reads a page and presses a button. The sandbox agrees immediately. In both cases, the
//: browser returns to your redirect URI with a code. `code(from:)` throws if the redirect is forged, or if it leads to
//: a different URI.
let tokens = StandardTransport.shared.send(OutgoingRequest(url: signIn.address)).then {
    response -> Promise<ExistToken> in
    guard let redirect = response.headers["Location"].flatMap(URL.init(string:)) else { throw NoAddress() }
    return oauth.token(for: try signIn.code(from: redirect))
}

//: A token source renews the pair of tokens when it expires. Before a request uses the new pair, the token source
//: passes it to your closure, so that you can store it.
tokens.then { token -> Promise<ExistAPI.UserOutput> in
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
}.waitOrExit()
sandbox.stop()
