extension Push {
    /// The number of hexadecimal digits in a device token. Today it is 64; Apple promises at most 100 bytes.
    static let tokenDigits = 2...200
    static let collapseIDBytes = 1...64

    /// Why a push can't be sent at all, apart from its payload's size. Nil if it can. Sending it again changes nothing.
    static func fault(token: String, collapseID: String?) -> APNsError? {
        guard isToken(token) else { return .invalidToken }
        guard let collapseID else { return nil }
        return isCollapseID(collapseID) ? nil : .invalidCollapseID(bytes: collapseID.utf8.count)
    }

    /// Whether `text` is valid as a device token in a path.
    public static func isToken(_ text: String) -> Bool {
        // Swift's own strings are contiguous. The fallback is for bridged ones.
        text.utf8.withContiguousStorageIfAvailable(areTokenDigits)
            ?? Array(text.utf8).withUnsafeBufferPointer(areTokenDigits)
    }

    private static func areTokenDigits(_ digits: UnsafeBufferPointer<UInt8>) -> Bool {
        guard tokenDigits.contains(digits.count), digits.count.isMultiple(of: 2) else { return false }
        return ByteScan.all(digits, filler: UInt8(ascii: "0")) { word in
            let lower = word | ByteScan.ones &* 0x20
            let decimals = ByteScan.tops(of: word, from: 0x30) & ~ByteScan.tops(of: word, from: 0x3A)
            let letters = ByteScan.tops(of: lower, from: 0x61) & ~ByteScan.tops(of: lower, from: 0x67)
            return word & ByteScan.tops == 0 && decimals | letters == ByteScan.tops
        }
    }

    /// Whether `text` is valid in the header `apns-collapse-id`. Some HTTP/2 peers close the connection at a control
    /// character or at one beyond ASCII (RFC 9113, section 8.2.1).
    public static func isCollapseID(_ text: String) -> Bool {
        guard collapseIDBytes.contains(text.utf8.count) else { return false }
        return text.utf8.withContiguousStorageIfAvailable(isPrintable)
            ?? text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    private static func isPrintable(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        ByteScan.all(bytes, filler: UInt8(ascii: "a")) { word in
            word & ByteScan.tops == 0 && !ByteScan.hasLess(than: 0x21, in: word) && !ByteScan.has(0x7F, in: word)
        }
    }
}
