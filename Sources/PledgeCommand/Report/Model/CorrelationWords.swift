import ExistKit
import PledgeCoding

/// A correlation in words that prevent misreading: the service's sentence, with the direction, strength, and certainty
/// spelled out.
struct CorrelationWords: Equatable {
    let sentence: String
    let strength: String

    init(_ correlation: ExistKit.Correlation, _ labels: Labels) {
        let value = correlation.value
        let direction = value < 0 ? "when one rises, the other falls" : "they rise and fall together"
        let names = [correlation.attribute, correlation.attribute2].map { "“\(labels.label(of: $0))”" }
        if let said = correlation.secondPerson, !said.onOneLine.isEmpty {
            sentence = labels.naming(said).capitalizedSentence
        } else {
            sentence = "\(names[0]) and \(names[1]): \(direction)."
        }
        let number =
            value < 0 ? "−\(NumberText.grouped(-value, decimals: 2))" : "+\(NumberText.grouped(value, decimals: 2))"
        let later = correlation.offset.map { $0 == -1 ? ", a day later" : "" } ?? ""
        let certainty = correlation.stars.map { stars in
            let known = min(max(stars, 1), 5)
            return " Exist is \(Self.certainties[known - 1]) (\(known) of 5)."
        }
        strength =
            "\(Self.strength(NumberText.rounded(value.magnitude, decimals: 2))): \(direction)\(later) (\(number)).\(certainty ?? "")"
    }

    /// Returns the strength in words, based on the rounded number that is shown.
    private static func strength(_ size: Double) -> String {
        switch size {
        case ..<0.1: "Hardly any correlation"
        case ..<0.3: "Weak"
        case ..<0.5: "Moderate"
        case ..<0.7: "Strong"
        default: "Very strong"
        }
    }

    private static let certainties = ["very unsure", "unsure", "fairly sure", "sure", "very sure"]
}

/// The display labels of attributes, by the names the service uses for them.
struct Labels {
    private let labels: [ExactText: String]

    init(_ attributes: [ExistKit.Attribute]) {
        labels = Dictionary(
            attributes.map { (ExactText($0.name), $0.label.onOneLine) }, uniquingKeysWith: { first, _ in first })
    }

    func label(of name: String) -> String { labels[ExactText(name)] ?? name }

    /// Returns the sentence with labels in place of the names that the service quotes: `you tag 'late_to_sleep' more`.
    func naming(_ sentence: String) -> String {
        let parts = sentence.split(separator: "'", omittingEmptySubsequences: false).map(String.init)
        guard parts.count > 2 else { return sentence }
        var text = parts[0]
        var isOpen = false
        for part in parts.dropFirst() {
            if !isOpen, let label = labels[ExactText(part)] {
                text += "“\(label)”"
                isOpen = true
            } else {
                text += (isOpen ? "" : "'") + part
                isOpen = false
            }
        }
        return text
    }
}
