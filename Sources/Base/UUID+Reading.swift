import Glibc
package import FoundationEssentials

extension UUID {
    /// A random id. `UUID()` must not be used: if /dev/urandom can't be read, it returns the same id each time, and two
    /// intents with one id lose a push. `getentropy` needs no file, so it works without free descriptors.
    package static func random() -> UUID {
        var bytes = [UInt8](repeating: 0, count: 16)
        // For so few bytes it fails only on kernels before 3.17, which can't run this program.
        while getentropy(&bytes, bytes.count) != 0 {}
        // Version 4, variant 1 (RFC 9562, section 5.4).
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    /// Reads 32 hexadecimal digits in five groups, in any case. `UUID(uuidString:)` also takes signs and blanks.
    package init?(exactly text: String) {
        guard let id = UUID(uuidString: text), id.uuidString.lowercased() == text.lowercased() else { return nil }
        self = id
    }
}
