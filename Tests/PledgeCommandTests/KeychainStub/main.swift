// Runs the Keychain store with the stub: writes, lists, replaces, and removes profiles, and checks the error message of
// a locked Keychain.
import Foundation
import Security

struct Failure: Error {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

func expect(_ condition: Bool, line: Int = #line) {
    guard !condition else { return }
    print("main.swift:\(line): not so.")
    exit(1)
}

let location: any ProfileLocation = ProfileKeychain()
expect(try location.names.isEmpty && location.read("default") == nil)
try location.remove("default")
try location.checkWritable("default")
try location.write(Data("one".utf8), as: "default")
try location.write(Data("two".utf8), as: "work")
try location.write(Data("three".utf8), as: "default")
items.append([kSecClass: kSecClassGenericPassword, kSecAttrService: "another app", kSecAttrAccount: "hers"])
expect(try location.names.sorted() == ["default", "work"])
expect(try location.read("default") == Data("three".utf8) && location.read("work") == Data("two".utf8))
expect(
    items.prefix(2).allSatisfy {
        $0[kSecAttrAccessible] as? String == kSecAttrAccessibleAfterFirstUnlock && $0[kSecReturnData] == nil
    })
try location.remove("default")
expect(try location.names == ["work"] && location.read("default") == nil && items.count == 2)
isLocked = true
do {
    try location.checkWritable("work")
    expect(false)
} catch let failure as Failure {
    expect(
        failure.description
            == "The Keychain failed: User interaction is not allowed. To store profiles in files, set PLEDGE_KEYCHAIN=0."
    )
}
print("The Keychain store compiles and does what it says.")
