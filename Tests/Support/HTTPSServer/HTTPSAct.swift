/// What a server of the tests does with a request, step by step. After the last step the connection is kept.
package enum HTTPSAct: Sendable {
    case send(String)
    case fill(Int)
    /// Does nothing until `HTTPSServer.release`, or until the client leaves.
    case hold
    case close

    package static func answer(_ status: Int = 200, _ body: String = "{}", fields: String = "") -> [HTTPSAct] {
        [.send("HTTP/1.1 \(status) Word\r\n\(fields)content-length: \(body.utf8.count)\r\n\r\n\(body)")]
    }
}
