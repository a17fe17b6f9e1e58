//: # OAuth
//: How other users authorize your app: they agree in the browser, the browser returns with a code, and the code is
//: exchanged for tokens. The client secret belongs on your server, and so does this code.
import ExistKit
import Foundation
import PledgeSandbox

let sandbox = try ExistSandbox.start()
let oauth = ExistOAuth(
    clientID: sandbox.clientID, clientSecret: sandbox.clientSecret, redirectURI: "https://app.example/back",
    baseURL: sandbox.baseURL)

struct NoAddress: Error {}

//: Start with one value per user: it has the URL to open, and recognizes the redirect that responds to it. Request as
//: few scopes as possible.
let signIn = try oauth.signIn(scopes: [.read("mood"), .write("mood")])

//: The sandbox agrees to everything immediately; a user reads a page and presses a button. Either way the browser
//: returns to your redirect URI with a code. A forged redirect, or one to a different URI, is rejected.
let tokens = StandardTransport.shared.send(OutgoingRequest(url: signIn.address)).then {
    response -> Promise<ExistToken> in
    guard let redirect = response.headers["Location"].flatMap(URL.init(string:)) else { throw NoAddress() }
    return oauth.token(for: try signIn.code(from: redirect))
}

//: A token source renews the pair when it expires, and passes the new one to your store before a request uses it.
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
