package import struct FoundationEssentials.UUID

/// FNV-1a with 64 bits. Unlike `Hashable`'s, the value is the same in every run and on every machine.
@usableFromInline package struct FNV1a: Sendable {
    /// The hash of all bytes so far.
    @usableFromInline package var value: UInt64

    @inlinable
    package init(from basis: UInt64 = 0xCBF2_9CE4_8422_2325) { value = basis }

    /// The state after the 36 characters of a UUID, as PostgreSQL writes it.
    package init(_ id: UUID) {
        self.init()
        add(id)
    }

    @inlinable
    package mutating func add(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }

    @inlinable
    package mutating func add(_ bytes: some Sequence<UInt8>) { for byte in bytes { add(byte) } }

    /// Adds the UUID's text in lower case, without creating that string.
    package mutating func add(_ id: UUID) {
        func digit(_ nibble: UInt8) -> UInt8 {
            nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") - 10 + nibble
        }
        withUnsafeBytes(of: id.uuid) { bytes in
            for (index, byte) in bytes.enumerated() {
                if index == 4 || index == 6 || index == 8 || index == 10 { add(UInt8(ascii: "-")) }
                add(digit(byte >> 4))
                add(digit(byte & 15))
            }
        }
    }

    /// The hash with a suffix. The state does not change.
    package func adding(_ suffix: StaticString) -> UInt64 {
        var hash = self
        for index in 0..<suffix.utf8CodeUnitCount { hash.add(suffix.utf8Start[index]) }
        return hash.value
    }
}

extension Sequence<UInt8> {
    @inlinable
    package var stableHash: UInt64 {
        var hash = FNV1a()
        hash.add(self)
        return hash.value
    }
}

extension String {
    package var stableHash: UInt64 { utf8.stableHash }
}

extension UUID {
    /// FNV-1a of the 16 bytes.
    package var stableHash: UInt64 { withUnsafeBytes(of: uuid) { $0.stableHash } }
}

extension UInt64 {
    /// MurmurHash3's last step: each bit depends on all others. FNV-1a's last bytes hardly change its upper half.
    package var mixed: UInt64 {
        var hash = (self ^ (self >> 33)) &* 0xFF51_AFD7_ED55_8CCD
        hash = (hash ^ (hash >> 33)) &* 0xC4CE_B9FE_1A85_EC53
        return hash ^ (hash >> 33)
    }
}
