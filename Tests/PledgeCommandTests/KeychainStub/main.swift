// The Keychain store, run against the stub: profiles are written, listed, replaced and removed, and a refusal is told.
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

let place: any ProfilePlace = ProfileKeychain()
expect(try place.names.isEmpty && place.read("default") == nil)
try place.remove("default")
try place.checkWritable("default")
try place.write(Data("one".utf8), as: "default")
try place.write(Data("two".utf8), as: "work")
try place.write(Data("three".utf8), as: "default")
items.append([kSecClass: kSecClassGenericPassword, kSecAttrService: "another app", kSecAttrAccount: "hers"])
expect(try place.names.sorted() == ["default", "work"])
expect(try place.read("default") == Data("three".utf8) && place.read("work") == Data("two".utf8))
expect(
    items.prefix(2).allSatisfy {
        $0[kSecAttrAccessible] as? String == kSecAttrAccessibleAfterFirstUnlock && $0[kSecReturnData] == nil
    })
try place.remove("default")
expect(try place.names == ["work"] && place.read("default") == nil && items.count == 2)
isLocked = true
do {
    try place.checkWritable("work")
    expect(false)
} catch let failure as Failure {
    expect(
        failure.description
            == "The Keychain failed: User interaction is not allowed. To store profiles in files, set PLEDGE_KEYCHAIN=0."
    )
}
print("The Keychain store compiles and does what it says.")
