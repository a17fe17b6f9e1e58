//: # Read a week
//: This page reads a user's profile, and two attributes of this user with a value for each day. It runs on the built-in
//: sandbox. For your own data, use `ExistAPI(token: "…")`.
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

//: A script ends after its last line, so it must wait for its pending promises. If one of them fails, `waitOrExit` ends
//: the script.
when(fulfilled: read, greeted).waitOrExit()
sandbox.stop()
