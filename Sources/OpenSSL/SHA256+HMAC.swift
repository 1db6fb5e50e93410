extension SHA256 {
    private static let block = 64

    /// HMAC (RFC 2104) with SHA-256: 32 bytes. Empty only if OpenSSL has no memory for a digest.
    public static func hmac(key: [UInt8], _ message: [UInt8]) -> [UInt8] {
        guard let short = key.count > block ? digest(of: key)?.bytes : key else { return [] }
        let padded = short + [UInt8](repeating: 0, count: block - short.count)
        guard let inner = digest(of: padded.map { $0 ^ 0x36 } + message),
            let outer = digest(of: padded.map { $0 ^ 0x5C } + inner.bytes)
        else { return [] }
        return outer.bytes
    }

    /// HMAC of a text's UTF-8.
    public static func hmac(key: [UInt8], _ message: String) -> [UInt8] { hmac(key: key, Array(message.utf8)) }
}
