import struct FoundationEssentials.UUID

extension String {
    /// FNV-1a, 64 bits: the same on every run and machine, unlike `Hashable`'s.
    var stableHash: UInt64 { utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 } }
}

extension UUID {
    /// FNV-1a over its 16 bytes.
    var stableHash: UInt64 {
        withUnsafeBytes(of: uuid) { bytes in
            bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        }
    }
}
