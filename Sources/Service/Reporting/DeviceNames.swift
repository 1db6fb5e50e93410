import OpenSSL

/// What the journal calls a device: a hash of what the record calls it, keyed with the main app's signing key.
///
/// Journals are copied to places that the database is not. There the record's own hash would let whoever has a token look up what its user got; this
/// one says nothing without the key. Every daemon with the same key gives the same names; a new key gives new ones. `nudged explain` prints both.
package struct DeviceNames: Sendable {
    private let key: [UInt8]

    /// - Parameter secret: the text of the signing key.
    package init(secret: String) {
        // A key of its own, so that no other use of the secret gives the same bytes.
        key = SHA256.hmac(key: Array(secret.utf8), "nudged: devices in the journal")
    }

    /// 12 hexadecimal digits for a device, which the record calls `deviceHash`.
    package func name(_ deviceHash: String) -> String {
        let digits = SHA256.hmac(key: key, deviceHash).prefix(6).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        return digits.joined()
    }
}
