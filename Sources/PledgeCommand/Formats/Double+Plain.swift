extension Double {
    /// The digits and decimal point, for machines.
    var plainText: String { Int(exactly: self).map { "\($0)" } ?? "\(self)" }
}
