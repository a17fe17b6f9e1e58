extension Account {
    /// Returns a listing of the account's data, with what could not be read of it.
    func listing(columns: [Listing.Column], rows: [[Listing.Cell]], silence: String) -> Listing {
        Listing(columns: columns, rows: rows, isDemo: isDemo, silence: silence, warnings: warnings.all)
    }
}
