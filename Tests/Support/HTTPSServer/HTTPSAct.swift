/// What a server of the tests does with a request, step by step. After the last step the connection is kept.
public enum HTTPSAct: Sendable {
    /// Writes these bytes, whatever they are.
    case send(String)
    /// Writes so many bytes of nothing.
    case fill(Int)
    /// Does nothing until `HTTPSServer.release`, or until the client leaves.
    case hold
    /// Closes the connection without a word of TLS.
    case close

    /// A whole answer.
    public static func answer(_ status: Int = 200, _ body: String = "{}", fields: String = "") -> [HTTPSAct] {
        [.send("HTTP/1.1 \(status) Word\r\n\(fields)content-length: \(body.utf8.count)\r\n\r\n\(body)")]
    }
}
