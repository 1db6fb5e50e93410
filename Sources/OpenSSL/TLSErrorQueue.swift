import COpenSSL

/// OpenSSL's error queue of the current thread. Clear it before each operation whose errors are read. Otherwise an old
/// error would be read as a new one.
enum TLSErrorQueue {
    static func clear() { ERR_clear_error() }

    /// OpenSSL's text for the newest error. Clears the queue.
    static func text() -> String {
        let code = ERR_peek_last_error()
        defer { ERR_clear_error() }
        guard code != 0 else { return "no reason given" }
        if let reason = ERR_reason_error_string(code) { return String(cString: reason) }
        return "error \(String(code, radix: 16))"
    }
}
