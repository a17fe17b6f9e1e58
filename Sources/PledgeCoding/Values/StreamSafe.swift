/// The text with at most thirty marks in a row, as Unicode's stream-safe form has it: a joiner that nobody sees parts
/// longer runs.
///
/// Comparing or hashing text puts the marks of a run in order, which takes the square of their number, and a service can
/// send a letter with a hundred thousand of them. So the names in a reply are made safe as they are read; values stay as
/// they are.
package func streamSafe(_ text: String) -> String {
    let longestRun = 30
    // Most texts are shorter than such a run, and the bytes of marks begin at 0xCC.
    guard text.utf8.count > 2 * longestRun, text.utf8.contains(where: { $0 >= 0xCC }) else { return text }
    var (safe, marks) = (String.UnicodeScalarView(), 0)
    for scalar in text.unicodeScalars {
        let isMark = scalar.value >= 0x300 && scalar.properties.canonicalCombiningClass != .notReordered
        marks = isMark ? marks + 1 : 0
        if marks > longestRun {
            safe.append("\u{34F}")
            marks = 1
        }
        safe.append(scalar)
    }
    return String(safe)
}
