package import Base
import OpenSSL

/// Names devices in the journal: a hash of the record's device hash, keyed with the main app's signing key.
///
/// Journals are copied to places where the database is not. With the record's hash, anyone who has a token could find
/// out what its user got. The keyed hash shows nothing without the key. All daemons with one key use the same names,
/// and `nudged explain` prints both.
package struct DeviceNames: Sendable {
    private let key: [UInt8]

    /// - Parameter secret: the text of the signing key.
    package init(secret: Secret) {
        let digest = secret.withBytes { bytes in SHA256.digest(of: bytes)?.bytes ?? [] }
        // A derived key, so that no other use of the secret gives the same bytes.
        key = SHA256.hmac(key: digest, "nudged: devices in the journal")
    }

    /// For names that need no key.
    package init(secret: String) { self.init(secret: Secret(secret)) }

    /// 12 hexadecimal digits for a device. `deviceHash` is its name in the record.
    package func name(_ deviceHash: String) -> String {
        let digits = SHA256.hmac(key: key, deviceHash).prefix(6).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        return digits.joined()
    }
}
