/// Handles a server's connections and requests. The methods run on the server's thread and must return soon.
public protocol ServerHandler: AnyObject, Sendable {
    /// A connection has finished its TLS handshake.
    func connectionOpened(_ connection: ServerConnection)
    /// A whole request has arrived.
    func request(_ request: ServerRequest, on connection: ServerConnection) -> ServerReply
    /// A connection was closed. Nothing can be done with it.
    func connectionClosed(_ connection: ServerConnection)
}

extension ServerHandler {
    /// Does nothing.
    public func connectionOpened(_ connection: ServerConnection) {}
    /// Does nothing.
    public func connectionClosed(_ connection: ServerConnection) {}
}
