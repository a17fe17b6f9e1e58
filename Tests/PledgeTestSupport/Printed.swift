import Foundation

/// Returns everything that programs may print for a value: its text in every form, and everything that mirrors show of it.
package func printed(_ value: Any) -> String {
    var text =
        "\(value)\n\(String(describing: value))\n\(String(reflecting: value))\n\([value])\n\(Optional(value) as Any)\n"
    print(value, ["key": value], to: &text)
    debugPrint(value, (value, value), to: &text)
    dump(value, to: &text)
    dump([value], to: &text)
    if let error = value as? any Error {
        text += "\(error.localizedDescription) \((error as NSError).userInfo) \(error as NSError)\n"
    }
    walk(value, depth: 0, into: &text)
    return text
}

private func walk(_ value: Any, depth: Int, into text: inout String) {
    guard depth < 8 else { return }
    let mirror = Mirror(reflecting: value)
    for child in Array(mirror.children) + Array(mirror.superclassMirror?.children ?? AnyCollection([])) {
        text += "\(child.label ?? ""): \(child.value) \(String(reflecting: child.value))\n"
        walk(child.value, depth: depth + 1, into: &text)
    }
}
