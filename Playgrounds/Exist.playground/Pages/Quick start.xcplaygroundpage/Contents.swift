//: # Quick start
//: One import, a client, and a call that promises its model. Runs on the built-in sandbox; for your own data, use the
//: token from your app's page on exist.io, and omit the base URL: `ExistAPI(token: "…")`.
import ExistKit
import PledgeSandbox

let sandbox = try ExistSandbox.start()
let existAPI = ExistAPI(token: sandbox.token, baseURL: sandbox.baseURL)

//: A script ends with its last line, so a chain of promises ends with `waitOrExit`, which waits or, after any error
//: along the way, prints what happened and what to do, and exits. An app need not wait, and ends it with `catch`.
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
