import struct FoundationEssentials.UUID

/// FNV-1a, 64 bits: the same on every run and machine, unlike `Hashable`'s. Of bytes that come piece by piece.
struct StableHash: Sendable {
    /// Of what was entered so far.
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func enter(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }

    mutating func enter(_ bytes: some Sequence<UInt8>) { for byte in bytes { enter(byte) } }

    /// Its text in lower case, as PostgreSQL writes it, without that text's being made.
    mutating func enter(_ id: UUID) {
        func digit(_ value: UInt8) -> UInt8 { value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10 }
        withUnsafeBytes(of: id.uuid) { bytes in
            for place in bytes.indices {
                if place == 4 || place == 6 || place == 8 || place == 10 { enter(UInt8(ascii: "-")) }
                enter(digit(bytes[place] >> 4))
                enter(digit(bytes[place] & 0xF))
            }
        }
    }
}

extension Sequence where Element == UInt8 {
    /// FNV-1a.
    package var stableHash: UInt64 {
        var hash = StableHash()
        hash.enter(self)
        return hash.value
    }
}

extension String {
    /// Of its UTF-8.
    var stableHash: UInt64 { utf8.stableHash }
}

extension UInt64 {
    /// Each bit depends on all of them (MurmurHash3's last step): FNV-1a hardly carries its last characters into the
    /// upper half.
    var mixed: UInt64 {
        var hash = (self ^ (self >> 33)) &* 0xFF51_AFD7_ED55_8CCD
        hash = (hash ^ (hash >> 33)) &* 0xC4CE_B9FE_1A85_EC53
        return hash ^ (hash >> 33)
    }
}

extension UUID {
    /// Of its 16 bytes.
    package var stableHash: UInt64 { withUnsafeBytes(of: uuid) { $0.stableHash } }
}
