extension Push {
    /// The most hexadecimal digits of a device token: today's are 64, Apple promises up to 100 bytes.
    static let tokenDigits = 2...200
    static let collapseIDBytes = 1...64

    /// What keeps a push from being sent at all (besides its payload's size), or nil. A final verdict: sending it again changes nothing.
    static func fault(token: String, collapseID: String?) -> APNsError? {
        guard isToken(token) else { return .invalidToken }
        guard let collapseID else { return nil }
        return isCollapseID(collapseID) ? nil : .invalidCollapseID(bytes: collapseID.utf8.count)
    }

    /// Whether `text` can stand in a path as a device token.
    public static func isToken(_ text: String) -> Bool {
        // Strings are contiguous on Linux, all but those that a bridge brought.
        text.utf8.withContiguousStorageIfAvailable(areTokenDigits)
            ?? Array(text.utf8).withUnsafeBufferPointer(areTokenDigits)
    }

    private static func areTokenDigits(_ digits: UnsafeBufferPointer<UInt8>) -> Bool {
        guard tokenDigits.contains(digits.count), digits.count.isMultiple(of: 2) else { return false }
        // This runs once per push: no branch and no way out of the loop, so that it becomes a few vector instructions.
        var good: UInt8 = 1
        for digit in digits {
            let isDecimal: UInt8 = digit &- UInt8(ascii: "0") < 10 ? 1 : 0
            let isLetter: UInt8 = (digit | 0x20) &- UInt8(ascii: "a") < 6 ? 1 : 0
            good &= isDecimal | isLetter
        }
        return good == 1
    }

    /// Whether `text` can stand in the header `apns-collapse-id`. A control character or one beyond ASCII would
    /// end the whole connection at some HTTP/2 peers (RFC 9113, section 8.2.1), so it is refused here.
    public static func isCollapseID(_ text: String) -> Bool {
        guard collapseIDBytes.contains(text.utf8.count) else { return false }
        var strange: UInt8 = 0
        for byte in text.utf8 { strange |= byte &- 0x21 > 0x7E - 0x21 ? 1 : 0 }
        return strange == 0
    }
}
