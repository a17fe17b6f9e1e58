//: # Read a week
//: Two attributes, their values by day, and the user they belong to. Runs on the built-in sandbox; for your own data,
//: use `ExistAPI(token: "…")`.
import ExistKit
import PledgeSandbox

let sandbox = try ExistSandbox.start()
let existAPI = ExistAPI(token: sandbox.token, baseURL: sandbox.baseURL)

let read = existAPI.attributes(names: ["steps", "mood"], days: 12).done { attributes, response in
    for attribute in attributes {
        print(attribute.label)
        for value in try attribute.getIntValues() {
            print(" ", value.day, value.value ?? "–")
        }
    }
}

let greeted = existAPI.user().done { user, _ in
    print("These are the days of \(user.firstName), in \(user.timezone).")
}

//: A script ends with its last line, so it waits for its pending promises, or exits if one fails.
when(fulfilled: read, greeted).waitOrExit()
sandbox.stop()
