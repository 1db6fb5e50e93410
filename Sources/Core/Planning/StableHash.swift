import struct FoundationEssentials.UUID

/// FNV-1a with 64 bits, computed byte by byte. Unlike `Hashable`'s, the value is the same in every run and on every
/// machine.
struct StableHash: Sendable {
    /// The hash of all bytes so far.
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func enter(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }

    mutating func enter(_ bytes: some Sequence<UInt8>) { for byte in bytes { enter(byte) } }

    /// Adds the UUID's text in lower case, as PostgreSQL writes it, without creating that string.
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
    /// FNV-1a with 64 bits.
    package var stableHash: UInt64 {
        var hash = StableHash()
        hash.enter(self)
        return hash.value
    }
}

extension String {
    /// FNV-1a of the UTF-8 bytes.
    var stableHash: UInt64 { utf8.stableHash }
}

extension UInt64 {
    /// MurmurHash3's last step, so that each bit depends on all others. In FNV-1a the last characters hardly change the
    /// upper half.
    var mixed: UInt64 {
        var hash = (self ^ (self >> 33)) &* 0xFF51_AFD7_ED55_8CCD
        hash = (hash ^ (hash >> 33)) &* 0xC4CE_B9FE_1A85_EC53
        return hash ^ (hash >> 33)
    }
}

extension UUID {
    /// FNV-1a of the 16 bytes.
    package var stableHash: UInt64 { withUnsafeBytes(of: uuid) { $0.stableHash } }
}
