/// A notice or warning of the server. Like an error, it never holds the value of a parameter or row.
public struct ServerNotice: Sendable, Equatable {
    /// WARNING, NOTICE, DEBUG, INFO or LOG.
    public let severity: String
    /// The SQLSTATE: five characters.
    public let sqlState: String
    /// The server's message, if it can't hold a value.
    public let message: String?

    init(_ report: ServerReport) {
        severity = report.severity
        sqlState = report.sqlState
        message = report.disclosedMessage
    }
}
