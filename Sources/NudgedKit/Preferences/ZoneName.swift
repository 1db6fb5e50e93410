/// The form of a zone's name as docs/POLICY.md's section "Zone" wants it. Whether there is such a zone only the daemon's database knows.
public enum ZoneName {
    /// Whether it is `UTC`, or has a `/` between parts of `[A-Za-z0-9_+-]`, none empty, and the first neither `posix` nor `right`. At most 255 bytes.
    ///
    /// Systems know more names, which the daemon does not take: `GMT`, `EST5EDT`, `UTC+3`.
    public static func isWellFormed(_ name: String) -> Bool {
        let parts = name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count > 1 else { return name.utf8.elementsEqual("UTC".utf8) }
        guard name.utf8.count <= 255, !parts.contains(where: { $0.isEmpty || !$0.allSatisfy(isNamed) }) else {
            return false
        }
        return !["posix", "right"].contains { parts[0].elementsEqual($0.utf8) }
    }

    private static func isNamed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "+"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
