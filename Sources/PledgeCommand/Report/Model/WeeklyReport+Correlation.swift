import ExistKit
import Foundation
import PledgeCoding

extension WeeklyReport.Correlation {
    /// Creates a correlation in words that prevent misreading: the service's sentence, with its direction, strength,
    /// and certainty spelled out.
    init(_ correlation: ExistKit.Correlation, _ labels: Labels) {
        let value = correlation.value
        let direction = value < 0 ? "when one rises, the other falls" : "they rise and fall together"
        if let said = correlation.secondPerson, !said.onOneLine.isEmpty {
            sentence = labels.naming(said).capitalizedSentence
        } else {
            let names = [correlation.attribute, correlation.attribute2].map { "“\(labels.label(of: $0))”" }
            sentence = "\(names[0]) and \(names[1]): \(direction)."
        }
        let later = correlation.offset == -1 ? ", a day later" : ""
        let number = (value < 0 ? "−" : "+") + NumberText.grouped(value.magnitude, decimals: 2)
        strength = "\(Self.strength(of: value)): \(direction)\(later) (\(number))."
        if let stars = correlation.stars {
            let known = min(max(stars, 1), 5)
            let certainty = ["very unsure", "unsure", "fairly sure", "sure", "very sure"][known - 1]
            strength += " Exist is \(certainty) (\(known) of 5)."
        }
        percentage = min(max(value, -1), 1) * 100
        stars = correlation.stars ?? 0
        attributes = [correlation.attribute, correlation.attribute2]
    }

    /// Returns the strength in words, consistent with the rounded number shown.
    private static func strength(of value: Double) -> String {
        switch NumberText.rounded(value.magnitude, decimals: 2) {
        case ..<0.1: "Hardly any correlation"
        case ..<0.3: "Weak"
        case ..<0.5: "Moderate"
        case ..<0.7: "Strong"
        default: "Very strong"
        }
    }
}

/// The display labels of attributes, by name.
struct Labels {
    private let labels: [ExactText: String]

    init(_ attributes: [ExistKit.Attribute]) {
        labels = Dictionary(
            attributes.map { (ExactText($0.name), $0.label.onOneLine) }, uniquingKeysWith: { first, _ in first })
    }

    func label(of name: String) -> String { labels[ExactText(name)] ?? name }

    /// Returns the sentence with labels in place of the names that the service quotes: `you tag 'late_to_sleep' more`.
    func naming(_ sentence: String) -> String {
        guard sentence.utf8.contains(UInt8(ascii: "'")) else { return sentence }
        return labels.reduce(sentence) { sentence, label in
            sentence.replacingOccurrences(of: "'\(label.key.text)'", with: "“\(label.value)”", options: .literal)
        }
    }
}
