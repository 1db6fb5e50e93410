import HTTP2
import JSON
import OpenSSL

extension Sender {
    /// Makes a connection that is not started yet.
    func makeLink(_ number: Int, _ core: SenderCore) -> SenderLink {
        let configuration = core.configuration
        var client = configuration.client(label: "apns-\(number)")
        client.resolver = core.resolver
        let connection = ClientConnection(configuration: client) { [weak self] event in
            self?.take(event, from: number)
        }
        return SenderLink(connection: connection, authority: configuration.authority, tokens: core.tokens)
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
                return .closed(number, why: reason.context, wasFlooded: reason.code == .flooded)
            }
        }
    }

    /// Apple's GOAWAY carries `{"reason":"…"}`. Only short printable ASCII goes into the log.
    static func reason(in debug: String, code: UInt32) -> String {
        guard let value = try? JSONValue(parsing: debug), case .string(let reason)? = value["reason"],
            reason.utf8.count <= 64, reason.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return "code_\(code)" }
        return reason
    }
}

extension SenderConfiguration {
    /// The settings of one connection.
    func client(label: String) -> ClientConfiguration {
        var client = ClientConfiguration(
            host: host,
            port: port,
            trust: caFile.map { .only(.file($0)) } ?? .system,
            label: label
        )
        client.connectTimeout = Int(clamping: connectTimeout)
        client.requestDeadline = Int(clamping: requestDeadline)
        client.pingInterval = Int(clamping: pingInterval)
        client.pingTimeout = Int(clamping: pingTimeout)
        client.maximumStreams = maxInFlight
        // An answer's body is under 100 bytes. A longer one is ignored.
        client.maximumBody = 8_192
        client.keptFields = ["retry-after"]
        return client
    }

    /// The value of `:authority`.
    var authority: String { port == 443 ? host : "\(host):\(port)" }
}

extension ProviderTokenSource {
    convenience init(_ configuration: SenderConfiguration, after last: Int = 0) {
        self.init(
            teamID: configuration.teamID,
            keyID: configuration.keyID,
            key: configuration.signingKey,
            after: last
        )
    }
}
