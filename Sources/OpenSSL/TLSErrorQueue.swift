import COpenSSL

/// OpenSSL's error queue, one per thread: cleared before each operation that reads it afterwards, or an old error is taken for a new one.
enum TLSErrorQueue {
    static func clear() { ERR_clear_error() }

    /// The reason of the newest error, in OpenSSL's words; clears the queue.
    static func words() -> String {
        let code = ERR_peek_last_error()
        defer { ERR_clear_error() }
        guard code != 0 else { return "no reason given" }
        if let reason = ERR_reason_error_string(code) { return String(cString: reason) }
        return "error \(String(code, radix: 16))"
    }
}
