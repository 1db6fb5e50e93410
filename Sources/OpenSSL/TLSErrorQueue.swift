import COpenSSL

/// OpenSSL's error queue of the current thread. Clear it before each operation whose errors are read. Otherwise an old
/// error would be read as a new one.
package enum TLSErrorQueue {
    package static func clear() { ERR_clear_error() }

    /// OpenSSL's text for the newest error. Clears the queue.
    package static func text() -> String {
        let code = ERR_peek_last_error()
        defer { ERR_clear_error() }
        guard code != 0 else { return "no reason given" }
        if let reason = ERR_reason_error_string(code) { return String(cString: reason) }
        return "error \(String(code, radix: 16))"
    }
}

/// OpenSSL's access to PEM text in memory.
package struct MemoryBIO: ~Copyable {
    package let handle: OpaquePointer

    /// An empty one, for writing.
    package init() throws(TLSError) {
        guard let handle = BIO_new(BIO_s_mem()) else { throw TLSError(.library, "out of memory for a BIO") }
        self.handle = handle
    }

    /// Contains a text, for reading.
    package init(_ text: String) throws(TLSError) {
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

    package func text() -> String {
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
