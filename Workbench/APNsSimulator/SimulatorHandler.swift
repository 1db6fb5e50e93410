import FoundationEssentials
import HTTP2Server
import Certificates
import OpenSSL
import Base

/// Answers requests as the script says. Requests run on the server's thread; the mutex is for calls from other threads.
final class SimulatorHandler: ServerHandler {
    struct ConnectionState {
        let connection: ServerConnection
        var script: ConnectionScript?
        var tokens = ConnectionTokens()
        var requests = 0
        var raisedStreams = false
    }

    typealias Keys = [String: (teamID: String, key: P256VerifyingKey)]

    private struct State {
        var script: SimulatorScript
        var keys: Keys
        var connections: [Int: ConnectionState] = [:]
        /// By the whole `authorization` field; nil for an invalid token. Not bounded: a sender has few tokens.
        var tokens: [String: PresentedToken?] = [:]
        var attempts: [String: Int] = [:]
        var held: [HeldPush] = []
    }

    let log: SimulatorLog
    private let state: Mutex<State>

    init(script: SimulatorScript) throws(SimulatorError) {
        log = try SimulatorLog(settings: script.settings)
        state = Mutex(State(script: script, keys: try Self.keys(script.settings)))
    }

    private static func keys(_ settings: SimulatorSettings) throws(SimulatorError) -> Keys {
        var keys: Keys = [:]
        for key in settings.keys {
            do throws(TLSError) {
                keys[key.keyID] = (key.teamID, try P256VerifyingKey(pem: key.pem))
            } catch {
                throw SimulatorError(code: .key, context: "key \(key.keyID): \(error)")
            }
        }
        return keys
    }

    func setScript(_ script: SimulatorScript) throws(SimulatorError) {
        let keys = try Self.keys(script.settings)
        state.withLock { state in
            state.script = script
            state.keys = keys
            state.tokens = [:]
        }
    }

    var providerTokens: Int { state.withLock { $0.tokens.count } }

    func connectionOpened(_ connection: ServerConnection) {
        log.connectionOpened()
        let perConnection = state.withLock { $0.script.perConnection }
        let script = perConnection?(connection.id)
        state.withLock { $0.connections[connection.id] = ConnectionState(connection: connection, script: script) }
        for action in script?.atOpening ?? [] { perform(action, connection) }
    }

    func connectionClosed(_ connection: ServerConnection) {
        state.withLock { $0.connections[connection.id] = nil }
    }

    func request(_ request: ServerRequest, on connection: ServerConnection) -> ServerReply {
        log.received(request.headers["authorization"]) { providerToken in
            ReceivedRequest(
                token: String(request.path.split(separator: "/").last ?? ""),
                apnsID: request.headers["apns-id"].flatMap(UUID.init(canonical:)),
                connection: connection.id,
                providerToken: providerToken
            )
        }
        for action in beginRequest(connection) { perform(action, connection) }
        var token = ""
        do throws(RequestRefusal) {
            token = try RequestTarget.token(method: request.method, path: request.path)
            return try push(token, request, connection)
        } catch {
            let id = request.headers["apns-id"] ?? UUID().canonical
            return answer(error, token, connection, id: id)
        }
    }

    private func beginRequest(_ connection: ServerConnection) -> [ConnectionAction] {
        state.withLock { state in
            state.connections[connection.id]?.requests += 1
            guard let current = state.connections[connection.id] else { return [] }
            return current.script?.atRequest[current.requests] ?? []
        }
    }

    /// Checks the rest of a request whose target is valid, and performs the script's answer.
    private func push(_ token: String, _ request: ServerRequest, _ connection: ServerConnection) throws(RequestRefusal)
        -> ServerReply
    {
        let authorization = request.headers["authorization"]
        let script = state.withLock { $0.script }
        let now = script.now()
        if let refusal = state.withLock({ Self.admit(authorization, connection.id, now, &$0) }) { throw refusal }
        let fields = try PushFields(headers: request.headers, body: request.body, settings: script.settings)
        let attempt = attempt(token, script)
        let push = AcceptedPush(
            token: token,
            apnsID: fields.apnsID,
            collapseID: fields.collapseID,
            topic: fields.topic,
            pushType: fields.pushType,
            priority: fields.priority,
            expiration: fields.expiration,
            payload: request.body,
            receivedAt: now,
            connection: connection.id,
            attempt: attempt
        )
        let answer = script.perPush?(push, request.streamID) ?? script.perDevice?(token, attempt) ?? .accept
        let pending = PendingPush(push: push, streamID: request.streamID, connection: connection)
        return perform(answer, pending, after: nil, isLogged: false)
    }

    private static func admit(_ authorization: String?, _ connection: Int, _ now: Int64, _ state: inout State)
        -> RequestRefusal?
    {
        guard state.script.settings.checksProviderToken else { return nil }
        guard let authorization, PresentedToken.bearer(authorization) != nil else {
            return RequestRefusal(403, "MissingProviderToken")
        }
        let token: PresentedToken?
        if let known = state.tokens[authorization] {
            token = known
        } else {
            token = PresentedToken(authorization: authorization, keys: state.keys)
            state.tokens[authorization] = .some(token)
        }
        do throws(RequestRefusal) {
            try state.connections[connection]?.tokens.admit(
                authorization,
                token,
                now: now,
                settings: state.script.settings
            )
            return nil
        } catch {
            return error
        }
    }

    /// The script's clock; nil if answers carry no date.
    var now: Int64? {
        let now = state.withLock { $0.script.settings.saysDate ? $0.script.now : nil }
        return now?()
    }

    var onAccepted: (@Sendable (AcceptedPush) -> Void)? { state.withLock { $0.script.onAccepted } }

    /// Counts only if the count is used, because it costs a table entry per device.
    private func attempt(_ token: String, _ script: SimulatorScript) -> Int {
        guard script.perDevice != nil || script.settings.recording == .everything else { return 1 }
        return state.withLock { state in
            state.attempts[token, default: 0] += 1
            return state.attempts[token] ?? 1
        }
    }

    func hold(_ push: HeldPush) {
        state.withLock { $0.held.append(push) }
        log.held(1)
    }

    /// Returns all held requests and forgets them.
    func takeHeld() -> [HeldPush] {
        let held = state.withLock { state in
            defer { state.held = [] }
            return state.held
        }
        log.held(-held.count)
        return held
    }

    /// The open connections, oldest first.
    func openConnections() -> [ServerConnection] {
        state.withLock { $0.connections.values.map(\.connection) }.sorted { $0.id < $1.id }
    }

    /// MAX_CONCURRENT_STREAMS for the connection after its first accepted push; nil if nothing is to be sent.
    func streamsToGrant(_ connection: Int) -> UInt32? {
        state.withLock { state in
            let settings = state.script.settings
            guard var current = state.connections[connection], !current.raisedStreams else { return nil }
            current.raisedStreams = true
            state.connections[connection] = current
            return current.script?.raisesStreams ?? true && settings.streams != settings.firstStreams
                ? settings.streams : nil
        }
    }
}
