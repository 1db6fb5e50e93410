/// A notice or warning of the server, under the same rule as errors: no value of a parameter or row is in it.
public struct Notice: Sendable, Equatable {
    /// WARNING, NOTICE, DEBUG, INFO or LOG.
    public let severity: String
    /// Five characters.
    public let sqlState: String
    /// The server's words, where they can't hold a value.
    public let message: String?

    init(_ report: ServerReport) {
        severity = report.severity
        sqlState = report.sqlState
        message = report.disclosedMessage
    }
}
