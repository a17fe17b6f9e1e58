/// Returns the text with at most thirty combining marks in a row, as in Unicode's Stream-Safe Text Format: an invisible
/// joiner breaks up longer runs. Comparing or hashing text sorts the marks of a run in quadratic time, and a service
/// can send a letter with a hundred thousand of them. The names in a response are therefore made safe when they are
/// read; values stay unchanged.
package func streamSafe(_ text: String) -> String {
    let longestRun = 30
    // Most texts are shorter than such a run, and the UTF-8 encodings of marks begin at 0xCC.
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
