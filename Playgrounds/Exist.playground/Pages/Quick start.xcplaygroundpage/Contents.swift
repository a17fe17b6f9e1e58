//: # Quick start
//: One import, a client, and a call that promises its model. Runs on the built-in sandbox; for your own data, take the
//: token from your app's page on exist.io, and leave out the address: `ExistAPI(token: "…")`.
import ExistKit
import PledgeSandbox

let sandbox = try ExistSandbox.start()
let existAPI = ExistAPI(token: sandbox.token, baseURL: sandbox.baseURL)

//: A promise is handed on until it is `done`; whatever goes wrong on the way, `catch` hears of it, in words that say
//: what to do.
let greeted = existAPI.user().then { user, response in
    print("Good day,", user.firstName.isEmpty ? user.username : user.firstName)
    return existAPI.attributes(on: nil)
}.done { attributes, response in
    for attribute in attributes.prefix(5) {
        print(attribute.label, "is", attribute.values.first?.value ?? "not known yet")
    }
}.catch { error in
    print(error)
}

//: A script ends with its last line, so it waits for what it began. An app does not: its promises live on.
try greeted.wait()
sandbox.stop()
