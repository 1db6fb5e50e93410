import FoundationEssentials
import Glibc
import HTTP2
import HTTP2Server
import JSON

extension SimulatorHandler {
    func perform(_ action: ConnectionAction, _ connection: ServerConnection) {
        switch action {
        case .close: connection.closeRaw()
        case .resetTCP: connection.resetTCP()
        case .shutdown(let reason): connection.shutdownGracefully(debug: Self.debug(reason))
        case .streams(let count): connection.sendSettings(maxConcurrentStreams: count)
        case .stopReading: connection.stopReading()
        case .resumeReading: connection.resumeReading()
        case .window(let size): connection.sendSettings(initialWindowSize: size)
        case .connectionWindow(let bytes): connection.openWindow(by: bytes)
        case .truncatedFrame:
            // The header of a DATA frame (RFC 9113 section 4.1): 100 bytes on stream 1.
            connection.writeRaw([0, 0, 100, 0, 0, 0, 0, 0, 1] + [1, 2, 3])
            connection.closeOnceWritten()
        case .garbage(let bytes): connection.writeRaw(bytes)
        }
    }

    /// - Parameters:
    ///   - after: how long to delay the answer.
    ///   - isLogged: whether the push was already logged as accepted.
    func perform(_ answer: ScriptedAnswer, _ pending: PendingPush, after: Duration?, isLogged: Bool) -> ServerReply {
        let connection = pending.connection
        switch answer {
        case .accept:
            return accept(pending, after: after, isLogged: isLogged)
        case .answer(let status, let reason, let timestamp, let retryAfter):
            note(pending, status, reason)
            let id = pending.push.apnsID.canonical
            return reply(status, reason, id: id, timestamp: timestamp, retryAfter: retryAfter, after: after)
        case .rawBody(let status, let bytes):
            note(pending, status, "")
            return .respond(status: status, body: bytes, after: after)
        case .unfinished(let status, let bytes):
            note(pending, status, "")
            return .unfinished(status: status, body: bytes, after: after)
        case .delay(let more, let then):
            return perform(then, pending, after: (after ?? .zero) + more, isLogged: isLogged)
        case .accepted(let then):
            if !isLogged { record(pending.push) }
            return perform(then, pending, after: after, isLogged: true)
        case .doing(let action, let then):
            perform(action, connection)
            return perform(then, pending, after: after, isLogged: isLogged)
        case .goAway(let extent, let code, let reason, let then):
            connection.goAway(
                lastStreamID: Self.lastStream(extent, pending.streamID),
                code: code,
                debug: Self.debug(reason)
            )
            return perform(then, pending, after: after, isLogged: isLogged)
        case .held(let then):
            hold(HeldPush(pending: pending, then: then, isLogged: isLogged))
            return .silence
        case .silence, .closeTCP, .close, .reset:
            note(pending, 0, "")
            return unanswered(answer, connection, after)
        }
    }

    /// Answers all held requests. It may run on any thread; the server's thread writes the answers.
    func release() {
        for held in takeHeld() {
            let reply = perform(held.then, held.pending, after: nil, isLogged: held.isLogged)
            held.pending.connection.reply(reply, to: held.pending.streamID)
        }
    }

    private func unanswered(_ answer: ScriptedAnswer, _ connection: ServerConnection, _ after: Duration?) -> ServerReply
    {
        switch answer {
        case .reset(let code): return .reset(code: code, after: after)
        case .closeTCP: connection.resetTCP()
        case .close: connection.closeRaw()
        default: break
        }
        return .silence
    }

    private func accept(_ pending: PendingPush, after: Duration?, isLogged: Bool) -> ServerReply {
        if !isLogged { record(pending.push) }
        note(pending, 200, "")
        if let streams = streamsToGrant(pending.connection.id) {
            pending.connection.sendSettings(maxConcurrentStreams: streams)
        }
        var headers = HeaderFields()
        headers.append("apns-id", pending.push.apnsID.canonical)
        if let date { headers.append("date", date) }
        return .respond(status: 200, headers: headers, after: after)
    }

    /// Called before the answer is written.
    private func record(_ push: AcceptedPush) {
        log.accepted(push)
        onAccepted?(push)
    }

    func answer(_ refusal: RequestRefusal, _ token: String, _ connection: ServerConnection, id: String) -> ServerReply {
        log.answered(
            AnsweredRequest(token: token, status: refusal.status, reason: refusal.reason, connection: connection.id)
        )
        return reply(refusal.status, refusal.reason, id: id, timestamp: nil, retryAfter: nil, after: nil)
    }

    private func note(_ pending: PendingPush, _ status: Int, _ reason: String) {
        log.answered(
            AnsweredRequest(
                token: pending.push.token,
                status: status,
                reason: reason,
                connection: pending.connection.id
            )
        )
    }

    private func reply(
        _ status: Int,
        _ reason: String,
        id: String,
        timestamp: Int64?,
        retryAfter: Int?,
        after: Duration?
    ) -> ServerReply {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("reason")
        writer.string(reason)
        if let timestamp {
            writer.key("timestamp")
            writer.int(timestamp)
        }
        writer.endObject()
        var headers = HeaderFields()
        headers.append("apns-id", id)
        headers.append("content-type", "application/json")
        if let date { headers.append("date", date) }
        if let retryAfter { headers.append("retry-after", String(retryAfter)) }
        return .respond(status: status, headers: headers, body: writer.bytes, after: after)
    }

    /// The date as in RFC 9110 section 5.6.7; nil if answers carry none.
    private var date: String? {
        guard let seconds = now else { return nil }
        var instant = time_t(seconds)
        var parts = tm()
        gmtime_r(&instant, &parts)
        var text = [CChar](repeating: 0, count: 32)
        let count = strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
        return String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func lastStream(_ extent: ScriptedAnswer.GoAwayExtent, _ stream: Int32) -> Int32 {
        switch extent {
        case .none: Int32.max
        case .afterThis: stream
        // Client streams have odd numbers, so the one before is two less.
        case .beforeThis: max(0, stream - 2)
        }
    }

    private static func debug(_ reason: String) -> String {
        if reason.isEmpty { return "" }
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("reason")
        writer.string(reason)
        writer.endObject()
        return writer.string
    }
}
