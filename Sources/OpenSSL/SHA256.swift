import Base
import COpenSSL

/// SHA-256 (FIPS 180-4).
public enum SHA256 {
    /// The four big-endian 64-bit integers of a digest. The value needs no heap.
    public struct Digest: Sendable {
        /// Bytes 0 to 7, 8 to 15, 16 to 23 and 24 to 31.
        public let words: (UInt64, UInt64, UInt64, UInt64)

        public var bytes: [UInt8] {
            [words.0, words.1, words.2, words.3].flatMap { word in
                (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) }
            }
        }
    }

    /// In OpenSSL 3 each use of `EVP_sha256()` looks the digest up by name. A fetched one costs only a reference.
    /// nonisolated(unsafe): a static's initialiser sets it once, and it is never freed, only read.
    private nonisolated(unsafe) static let algorithm: OpaquePointer? = EVP_MD_fetch(nil, "SHA256", nil)

    /// For all digests, one after the other: a context of its own would cost each push three allocations.
    /// nonisolated(unsafe): used only while `turn` is locked.
    private nonisolated(unsafe) static let context = EVP_MD_CTX_new()
    private static let turn = Mutex(())

    /// The digest of `bytes`. Nil only if OpenSSL has no memory for its context.
    public static func digest(of bytes: UnsafeRawBufferPointer) -> Digest? {
        withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { out -> Digest? in
            let place = out.baseAddress?.assumingMemoryBound(to: UInt8.self)
            let isDone = turn.withLock { _ in
                context != nil && EVP_DigestInit_ex(context, algorithm ?? EVP_sha256(), nil) == 1
                    && EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1
                    && EVP_DigestFinal_ex(context, place, nil) == 1
            }
            guard isDone else { return nil }
            let word = { (index: Int) in UInt64(bigEndian: out.load(fromByteOffset: index * 8, as: UInt64.self)) }
            return Digest(words: (word(0), word(1), word(2), word(3)))
        }
    }

    public static func digest(of bytes: [UInt8]) -> Digest? { bytes.withUnsafeBytes { digest(of: $0) } }

    private static let block = 64

    /// HMAC (RFC 2104) with SHA-256: 32 bytes. Empty only if OpenSSL has no memory for a digest.
    public static func hmac(key: [UInt8], _ message: [UInt8]) -> [UInt8] {
        guard let short = key.count > block ? digest(of: key)?.bytes : key else { return [] }
        let padded = short + [UInt8](repeating: 0, count: block - short.count)
        guard let inner = digest(of: padded.map { $0 ^ 0x36 } + message) else { return [] }
        return digest(of: padded.map { $0 ^ 0x5C } + inner.bytes)?.bytes ?? []
    }
}
