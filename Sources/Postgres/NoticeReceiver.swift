import CLibPQ

/// Passes the server's notices to a closure. libpq would write them to stderr.
final class NoticeReceiver {
    private let handler: (@Sendable (ServerNotice) -> Void)?

    init(_ handler: (@Sendable (ServerNotice) -> Void)?) {
        self.handler = handler
    }

    /// The context is unretained, because the connection's owner keeps the receiver longer than the connection. A
    /// result keeps the pointer too. It uses it only for an index out of range, which `Rows` prevents.
    func install(on connection: OpaquePointer) {
        let receive: PQnoticeReceiver = { context, result in
            guard let context, let result else { return }
            let receiver = Unmanaged<NoticeReceiver>.fromOpaque(context).takeUnretainedValue()
            receiver.handler?(ServerNotice(ServerReport(result)))
        }
        PQsetNoticeReceiver(connection, receive, Unmanaged.passUnretained(self).toOpaque())
    }
}

extension ServerReport {
    /// Reads the fields of libpq's result. DETAIL, HINT and CONTEXT's text can quote values, so they are not read.
    init(_ result: OpaquePointer) {
        func field(_ code: Character) -> String? {
            guard let ascii = code.asciiValue, let text = PQresultErrorField(result, Int32(ascii)) else { return nil }
            return String(cString: text)
        }
        // The letters are PG_DIAG_…, character macros that Swift doesn't import (manual, 55.8).
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
