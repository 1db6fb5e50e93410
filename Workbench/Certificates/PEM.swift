import COpenSSL
import OpenSSL

/// A source of PEM text (RFC 7468).
package enum PEMSource: Sendable, Equatable {
    case file(String)
    case text(String)
}

/// OpenSSL's access to PEM text in memory.
struct MemoryBIO: ~Copyable {
    let handle: OpaquePointer

    /// - Parameter text: for reading. Empty: for writing.
    init(_ text: String = "") throws(TLSError) {
        guard let handle = BIO_new(BIO_s_mem()) else { throw TLSError(.library, "out of memory for a BIO") }
        var text = text
        let isWritten = text.withUTF8 { $0.isEmpty || BIO_write(handle, $0.baseAddress, Int32($0.count)) == $0.count }
        guard isWritten else {
            BIO_free(handle)
            throw TLSError(.library, "out of memory for a BIO")
        }
        self.handle = handle
    }

    deinit { BIO_free(handle) }

    /// What was written.
    func text() -> String {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = BIO_read(handle, &chunk, Int32(chunk.count))
            guard count > 0 else { break }
            bytes += chunk[..<Int(count)]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
