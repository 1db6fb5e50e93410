import struct FoundationEssentials.UUID

extension Sequence where Element == UInt8 {
    /// FNV-1a, 64 bits: the same on every run and machine, unlike `Hashable`'s.
    var stableHash: UInt64 { reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 } }
}

extension String {
    /// Of its UTF-8.
    var stableHash: UInt64 { utf8.stableHash }
}

extension UInt64 {
    /// Each bit depends on all of them (MurmurHash3's last step): FNV-1a hardly carries its last characters into the upper half.
    var mixed: UInt64 {
        var hash = (self ^ (self >> 33)) &* 0xFF51_AFD7_ED55_8CCD
        hash = (hash ^ (hash >> 33)) &* 0xC4CE_B9FE_1A85_EC53
        return hash ^ (hash >> 33)
    }
}

extension UUID {
    /// FNV-1a over its 16 bytes.
    var stableHash: UInt64 {
        withUnsafeBytes(of: uuid) { bytes in
            bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        }
    }
}
