import HTTP2
import JSON
import OpenSSL

extension Sender {
    /// A connection that is not started yet.
    func makeLink(_ number: Int, _ core: SenderCore) -> SenderLink {
        let configuration = core.configuration
        var client = ClientConfiguration(
            host: configuration.host,
            port: configuration.port,
            trust: configuration.caFile.map { .only(.file($0)) } ?? .system,
            label: "apns-\(number)"
        )
        client.resolver = core.resolver
        client.connectTimeout = Int(clamping: configuration.connectTimeout)
        client.requestDeadline = Int(clamping: configuration.requestDeadline)
        client.pingInterval = Int(clamping: configuration.pingInterval)
        client.pingTimeout = Int(clamping: configuration.pingTimeout)
        client.maximumStreams = configuration.maxInFlight
        // An answer's body is under 100 bytes; what is longer is none.
        client.maximumBody = 8_192
        client.keptFields = ["retry-after"]
        let connection = ClientConnection(configuration: client) { [weak self] event in
            self?.take(event, from: number)
        }
        let port = configuration.port
        let authority = port == 443 ? configuration.host : "\(configuration.host):\(port)"
        return SenderLink(connection: connection, authority: authority, tokens: core.tokens)
    }

    /// Called on the connection's thread.
    private func take(_ event: ClientEvent, from number: Int) {
        handle { core in
            switch event {
            case .opened(let capacity): return .opened(number, streams: capacity)
            case .capacity(let capacity): return .capacity(number, streams: capacity)
            case .completions(let completions): return .completions(number, completions)
            case .goaway(_, let code, let debug): return .goAway(number, reason: Self.reason(in: debug, code: code))
            case .closed(let reason):
                core.links[number] = nil
                return .closed(number, why: reason.context)
            }
        }
    }

    /// Apple's GOAWAY carries `{"reason":"…"}`. What is no short plain word is not repeated in a log.
    static func reason(in debug: String, code: UInt32) -> String {
        guard let value = try? JSONValue(parsing: debug), case .string(let reason)? = value["reason"],
            reason.utf8.count <= 64, reason.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return "code_\(code)" }
        return reason
    }
}

extension ProviderTokenSource {
    convenience init(_ configuration: SenderConfiguration, after last: Int = 0) throws(APNsError) {
        try self.init(
            teamID: configuration.teamID,
            keyID: configuration.keyID,
            pem: configuration.signingKeyPEM,
            after: last
        )
    }
}
