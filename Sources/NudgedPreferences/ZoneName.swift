/// Checks the form of a time zone's name (docs/POLICY-SPEC.md, "Zone"). Whether the zone exists depends on the daemon's
/// time-zone files.
public enum ZoneName {
    /// Whether the daemon can take this name: `UTC` or another name of it (`GMT`, `UCT`, `Universal`, `Zulu`,
    /// `Greenwich`), or parts of `[A-Za-z0-9_+-]` that are separated by `/`. At most 255 bytes.
    ///
    /// At least two parts, none empty; the first is neither `posix` nor `right`. Names such as `CET`, `EST5EDT` and
    /// `UTC+3` are refused, although many systems know them.
    public static func isWellFormed(_ name: String) -> Bool {
        let parts = name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count > 1 else { return namesOfUTC.contains { name.utf8.elementsEqual($0.utf8) } }
        guard name.utf8.count <= 255, !parts.contains(where: { $0.isEmpty || !$0.allSatisfy(isNamed) }) else {
            return false
        }
        return !["posix", "right"].contains { parts[0].elementsEqual($0.utf8) }
    }

    package static let namesOfUTC = ["UTC", "GMT", "UCT", "Universal", "Zulu", "Greenwich"]

    private static func isNamed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "+"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
