extension Instant {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Reads the header `Date` in the form that servers use today (RFC 9110, section 5.6.7, IMF-fixdate): `Sun, 06 Nov
    /// 1994 08:49:37 GMT`. Nil for any other form. The day of the week is not checked.
    public init?(httpDate text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 6, parts[0].utf8.count == 4, parts[0].hasSuffix(","), parts[1].utf8.count == 2,
            let month = Self.months.firstIndex(of: parts[2]), parts[3].utf8.count == 4, parts[5] == "GMT"
        else { return nil }
        let number = month + 1 < 10 ? "0\(month + 1)" : "\(month + 1)"
        // A leap second (:60) counts as the following second.
        let isLeap = parts[4].hasSuffix(":60")
        let time = isLeap ? parts[4].dropLast(2) + "59" : parts[4][...]
        guard let instant = Instant(rfc3339: "\(parts[3])-\(number)-\(parts[1])T\(time)Z") else { return nil }
        self = isLeap ? instant + 1 : instant
    }
}
