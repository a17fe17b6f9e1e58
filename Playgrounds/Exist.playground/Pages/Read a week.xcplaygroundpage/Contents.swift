//: # Read a week
//: Two attributes, their values by day, and the user they belong to. Runs on the built-in sandbox; for your own data,
//: use `ExistAPI(token: "…")`.
import ExistKit
import PledgeSandbox

let sandbox = try ExistSandbox.start()
let existAPI = ExistAPI(token: sandbox.token, baseURL: sandbox.baseURL)

let read: Promise<Void> = existAPI.attributes(names: ["steps", "mood"], days: 12).done { attributes, response in
    for attribute in attributes {
        print(attribute.label)
        for value in try attribute.getIntValues() {
            print(" ", value.day, value.value ?? "–")
        }
    }
}.catch { error in
    print(error)
}

let greeted: Promise<Void> = existAPI.user().done { user, _ in
    print("These are the days of \(user.firstName), in \(user.timezone).")
}.catch { error in
    print(error)
}

//: A script ends with its last line, so it waits for its pending promises.
try when(fulfilled: read, greeted).asVoid().wait()
sandbox.stop()
