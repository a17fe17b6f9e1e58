//: # Quick start
//: All you need is an import, a client, and a call, which returns a promise of its model. This page runs on the
//: built-in sandbox. For your own data, use the token from your app's page on exist.io, and omit the base URL:
//: `ExistAPI(token: "…")`.
import ExistKit
import PledgeSandbox

let sandbox = try ExistSandbox.start()
let existAPI = ExistAPI(token: sandbox.token, baseURL: sandbox.baseURL)

//: A script ends after its last line, so it ends a chain of promises with `waitOrExit`, which waits for the chain. If
//: an error occurs anywhere in the chain, `waitOrExit` prints what happened and what to do, and exits. An app does not
//: need to wait. It ends a chain with `catch`.
existAPI.user().get { user, response in
    print("Good day,", user.firstName.isEmpty ? user.username : user.firstName)
}.then { user, response in
    existAPI.attributes(day: nil)
}.done { attributes, response in
    for attribute in attributes.prefix(5) {
        print(attribute.label, "is", attribute.values.first?.value ?? "not known yet")
    }
}.waitOrExit()
sandbox.stop()
