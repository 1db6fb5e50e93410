import CLibPQ

/// Takes the server's notices, which libpq would write to stderr, to a closure.
final class NoticeReceiver {
    private let handler: (@Sendable (Notice) -> Void)?

    init(_ handler: (@Sendable (Notice) -> Void)?) {
        self.handler = handler
    }

    /// The context is unretained: whoever owns the connection owns the receiver longer. A result keeps the pointer too, but
    /// uses it only on an index out of range, which `Rows` rules out.
    func install(on connection: OpaquePointer) {
        let receive: PQnoticeReceiver = { context, result in
            guard let context, let result else { return }
            let receiver = Unmanaged<NoticeReceiver>.fromOpaque(context).takeUnretainedValue()
            receiver.handler?(Notice(ServerReport(result)))
        }
        PQsetNoticeReceiver(connection, receive, Unmanaged.passUnretained(self).toOpaque())
    }
}

extension ServerReport {
    /// The fields of libpq's result; those that can quote values (DETAIL, HINT, CONTEXT's text) aren't read.
    init(_ result: OpaquePointer) {
        func field(_ code: Character) -> String? {
            guard let ascii = code.asciiValue, let text = PQresultErrorField(result, Int32(ascii)) else { return nil }
            return String(cString: text)
        }
        // The letters are PG_DIAG_…: macros of characters, which Swift doesn't import. (Manual, 55.8.)
        severity = field("V") ?? field("S") ?? ""
        sqlState = field("C") ?? ""
        message = field("M") ?? ""
        hasPosition = field("P") != nil && field("q") == nil
        hasContext = field("W") != nil
        sourceFunction = field("R") ?? ""
        schema = field("s")
        table = field("t")
        column = field("c")
        dataType = field("d")
        constraint = field("n")
    }
}
