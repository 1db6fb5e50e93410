import FoundationEssentials
import Glibc
import HTTP2
import HTTP2Server
import Base
import Certificates
import OpenSSL

/// Answers requests as the script says. Requests run on the server's thread; the mutex is for calls from other threads.
final class SimulatorHandler: ServerHandler {
    private struct Client {
        let connection: ServerConnection
        var tokens = ConnectionTokens()
        var raisedStreams = false
    }

    /// A valid request that waits for the script's answer.
    private struct PendingPush {
        let push: AcceptedPush
        let streamID: Int32
        let connection: ServerConnection
        var isLogged = false
    }

    private struct State {
        var script: SimulatorScript
        var keys: PresentedToken.Keys
        var clients: [Int: Client] = [:]
        /// By the whole `authorization` field; nil for an invalid token. Not bounded: a sender has few tokens.
        var tokens: [String: PresentedToken?] = [:]
        var attempts: [String: Int] = [:]
        var held: [(pending: PendingPush, then: ScriptedAnswer)] = []
    }

    /// What the simulator did. A push is logged before its answer is written, so a client with the answer finds it.
    let log = Mutex(SimulatorSnapshot())
    /// As at the start, whatever script is set later.
    private let recordsAll: Bool
    private let state: Mutex<State>

    init(script: SimulatorScript) throws {
        recordsAll = script.settings.recordsAll
        state = Mutex(State(script: script, keys: try PresentedToken.keys(script.settings)))
    }

    func setScript(_ script: SimulatorScript) throws {
        let keys = try PresentedToken.keys(script.settings)
        state.withLock { state in
            state.script = script
            state.keys = keys
            state.tokens = [:]
        }
    }

    var providerTokens: Int { state.withLock { $0.tokens.count } }

    var openConnections: [ServerConnection] {
        state.withLock { $0.clients.values.map(\.connection) }.sorted { $0.id < $1.id }
    }

    func connectionOpened(_ connection: ServerConnection) {
        log.withLock { $0.counts.connections += 1 }
        state.withLock { $0.clients[connection.id] = Client(connection: connection) }
    }

    func connectionClosed(_ connection: ServerConnection) { state.withLock { $0.clients[connection.id] = nil } }

    // MARK: Requests

    func request(_ request: ServerRequest, on connection: ServerConnection) -> ServerReply {
        if recordsAll { received(request, connection.id) }
        var token = ""
        do throws(RequestRefusal) {
            token = try AcceptedPush.token(method: request.method, path: request.path)
            return try push(token, request, connection)
        } catch {
            let (status, reason) = (error.status, error.reason)
            note(AnsweredRequest(token: token, status: status, reason: reason, connection: connection.id))
            return reply(status, reason, id: request.headers["apns-id"] ?? UUID().canonical)
        }
    }

    private func received(_ request: ServerRequest, _ connection: Int) {
        let token = String(request.path.split(separator: "/").last ?? "")
        let id = request.headers["apns-id"].flatMap(UUID.init(canonical:))
        log.withLock { log in
            var number = 0
            if let authorization = request.headers["authorization"] {
                number = log.authorizations[authorization] ?? log.authorizations.count + 1
                log.authorizations[authorization] = number
            }
            log.received.append(.init(token: token, apnsID: id, connection: connection, providerToken: number))
        }
    }

    /// Checks the rest of a request whose target is valid, and performs the script's answer.
    private func push(_ token: String, _ request: ServerRequest, _ connection: ServerConnection) throws(RequestRefusal)
        -> ServerReply
    {
        let script = state.withLock { $0.script }
        let now = script.now()
        try admit(request.headers["authorization"], connection.id, now)
        var push = try AcceptedPush(
            token: token,
            headers: request.headers,
            body: request.body,
            settings: script.settings,
            now: now,
            connection: connection.id
        )
        // Counts only if the count is used, because it costs a table entry per device.
        if script.perDevice != nil || script.settings.recordsAll {
            push.attempt = state.withLock { state in
                state.attempts[token, default: 0] += 1
                return state.attempts[token] ?? 1
            }
        }
        let answer = script.perPush?(push, request.streamID) ?? script.perDevice?(token, push.attempt) ?? .accept
        return perform(answer, PendingPush(push: push, streamID: request.streamID, connection: connection))
    }

    private func admit(_ authorization: String?, _ connection: Int, _ now: Int64) throws(RequestRefusal) {
        try state.withLock { state throws(RequestRefusal) in
            guard state.script.settings.checksProviderToken else { return }
            guard let authorization, PresentedToken.bearer(authorization) != nil else {
                throw RequestRefusal(403, "MissingProviderToken")
            }
            let token = state.tokens[authorization] ?? PresentedToken(authorization: authorization, keys: state.keys)
            state.tokens[authorization] = .some(token)
            let leeway = state.script.settings.tokenLeeway
            try state.clients[connection]?.tokens.admit(authorization, token, now: now, leeway: leeway)
        }
    }

    // MARK: Answers

    private func perform(_ answer: ScriptedAnswer, _ pending: PendingPush) -> ServerReply {
        var pending = pending
        let connection = pending.connection
        switch answer {
        case .accept: return accept(pending)
        case .answer(let status, let reason, let timestamp, let retryAfter):
            note(pending, status, reason)
            let id = pending.push.apnsID.canonical
            return reply(status, reason, id: id, timestamp: timestamp, retryAfter: retryAfter)
        case .rawBody(let status, let bytes):
            note(pending, status)
            return .respond(status: status, body: bytes)
        case .unfinished(let status, let bytes):
            note(pending, status)
            return .unfinished(status: status, body: bytes)
        case .delay(let time, let then): return .delayed(time, then: perform(then, pending))
        case .accepted(let then):
            record(&pending)
            return perform(then, pending)
        case .doing(let action, let then):
            connection.perform(action)
            return perform(then, pending)
        case .goAway(let extent, let code, let reason, let then):
            let last = extent.lastStream(pending.streamID)
            connection.perform(.goAway(lastStreamID: last, code: code, debug: reasonJSON(reason)))
            return perform(then, pending)
        case .held(let then):
            state.withLock { [pending] in $0.held.append((pending, then)) }
            log.withLock { log in
                log.counts.held += 1
                log.counts.mostHeld = max(log.counts.mostHeld, log.counts.held)
            }
            return .silence
        case .reset(let code):
            note(pending, 0)
            return .reset(code: code)
        case .silence, .closeTCP, .close:
            note(pending, 0)
            if answer != .silence { connection.perform(answer == .close ? .close : .resetTCP) }
            return .silence
        }
    }

    /// Answers all held requests. It may run on any thread; the server's thread writes the answers.
    func release() {
        let held = state.withLock { state in
            defer { state.held = [] }
            return state.held
        }
        log.withLock { $0.counts.held -= held.count }
        for (pending, then) in held { pending.connection.reply(perform(then, pending), to: pending.streamID) }
    }

    private func accept(_ pending: PendingPush) -> ServerReply {
        var pending = pending
        record(&pending)
        note(pending, 200)
        if let streams = streamsToGrant(pending.connection.id) { pending.connection.perform(.streams(streams)) }
        var headers = HeaderFields()
        headers.append("apns-id", pending.push.apnsID.canonical)
        if let date { headers.append("date", date) }
        return .respond(status: 200, headers: headers)
    }

    private func record(_ pending: inout PendingPush) {
        guard !pending.isLogged else { return }
        pending.isLogged = true
        log.withLock { log in
            log.counts.accepted += 1
            if recordsAll { log.accepted.append(pending.push) }
        }
        state.withLock { $0.script.onAccepted }?(pending.push)
    }

    private func note(_ pending: PendingPush, _ status: Int, _ reason: String = "") {
        let push = pending.push
        note(AnsweredRequest(token: push.token, status: status, reason: reason, connection: push.connection), push)
    }

    private func note(_ request: AnsweredRequest, _ push: AcceptedPush? = nil) {
        log.withLock { log in
            log.counts.requests += 1
            if recordsAll { log.answered.append(request) }
        }
        state.withLock { $0.script.onAnswered }?(request, push)
    }

    private func reply(
        _ status: Int,
        _ reason: String,
        id: String,
        timestamp: Int64? = nil,
        retryAfter: Int? = nil
    ) -> ServerReply {
        var headers: HeaderFields = ["apns-id": id, "content-type": "application/json"]
        if let date { headers.append("date", date) }
        if let retryAfter { headers.append("retry-after", String(retryAfter)) }
        let body = Array(reasonJSON(reason, timestamp: timestamp).utf8)
        return .respond(status: status, headers: headers, body: body)
    }

    /// The date as in RFC 9110 section 5.6.7; nil if answers carry none.
    private var date: String? {
        guard let now = state.withLock({ $0.script.settings.saysDate ? $0.script.now : nil }) else { return nil }
        return utcText("%a, %d %b %Y %H:%M:%S GMT", at: now())
    }

    /// MAX_CONCURRENT_STREAMS for the connection after its first accepted push; nil if nothing is to be sent.
    private func streamsToGrant(_ connection: Int) -> UInt32? {
        state.withLock { state in
            guard state.clients[connection]?.raisedStreams == false else { return nil }
            state.clients[connection]?.raisedStreams = true
            let (first, later) = (state.script.settings.firstStreams, state.script.settings.streams)
            return later == first ? nil : later
        }
    }
}

/// An instant in UTC, in seconds since 1970, in a format of strftime(3).
package func utcText(_ format: String, at seconds: Int64) -> String {
    var instant = time_t(seconds)
    var parts = tm()
    gmtime_r(&instant, &parts)
    var text = [CChar](repeating: 0, count: 32)
    let count = strftime(&text, text.count, format, &parts)
    return String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
