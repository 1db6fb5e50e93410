import FoundationEssentials

/// FNV-1a with 64 bits: the hash of docs/POLICY.md, "Hashes".
struct FNV1a {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    init() {}

    /// The state after the 36 characters of a UUID in lower case.
    init(_ uuid: UUID) {
        withUnsafeBytes(of: uuid.uuid) { bytes in
            for (index, byte) in bytes.enumerated() {
                // Hyphens are before the bytes 4, 6, 8 and 10.
                if index == 4 || index == 6 || index == 8 || index == 10 { add(UInt8(ascii: "-")) }
                add(Self.digit(byte >> 4))
                add(Self.digit(byte & 15))
            }
        }
    }

    @inline(__always)
    mutating func add(_ byte: UInt8) {
        value = (value ^ UInt64(byte)) &* 0x100_0000_01B3
    }

    mutating func add(_ text: String) {
        for byte in text.utf8 { add(byte) }
    }

    /// The hash with a suffix. The state does not change.
    @inline(__always)
    func adding(_ suffix: StaticString) -> UInt64 {
        var hash = self
        for index in 0..<suffix.utf8CodeUnitCount { hash.add(suffix.utf8Start[index]) }
        return hash.value
    }

    @inline(__always)
    private static func digit(_ nibble: UInt8) -> UInt8 {
        nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") - 10 + nibble
    }
}
