import HTTP2
import Base

/// One connection, with what its requests have in common.
final class SenderLink: Sendable {
    private struct Held {
        /// The last template. Nearly all pushes of a lane are of one kind.
        var kind: (token: Int, kind: PushBatch.Kind)?
        var template: RequestTemplate?
        /// The signed text is kept: ECDSA signatures are random, so signing again would give a second token.
        var token: (number: Int, text: String)?
    }

    let connection: ClientConnection
    let tokens: ProviderTokenSource
    private let authority: String
    private let held = Mutex(Held())

    init(connection: ClientConnection, authority: String, tokens: ProviderTokenSource) {
        self.connection = connection
        self.authority = authority
        self.tokens = tokens
    }

    /// The requests of a submission. `isNewToken`: its token was signed for it.
    func requests(
        for submission: LaneEffects.Submission
    ) throws(APNsError) -> (requests: [RequestBatch], isNewToken: Bool) {
        let outcome: Swift.Result<(requests: [RequestBatch], isNewToken: Bool), APNsError> = held.withLock { held in
            do throws(APNsError) {
                var isNew = false
                if held.token?.number != submission.token.number {
                    let signed = try tokens.text(of: submission.token)
                    held.token = (submission.token.number, signed.text)
                    isNew = signed.isNew
                }
                return .success((submission.parts.map { batch(of: $0, &held) }, isNew))
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }

    private func batch(of part: LaneEffects.Submission.Part, _ held: inout Held) -> RequestBatch {
        var batch = RequestBatch(part.pushes.texts)
        batch.reserve(part.entries.count)
        for entry in part.entries {
            let template = template(for: part.pushes.kinds[Int(entry.kind)], &held)
            batch.append(
                text: Int(entry.text),
                template,
                tag: entry.tag,
                writeBy: UInt64(clamping: entry.writeBy)
            )
        }
        return batch
    }

    private func template(for kind: PushBatch.Kind, _ held: inout Held) -> RequestTemplate {
        let token = held.token?.number ?? 0
        if let template = held.template, let last = held.kind, last == (token, kind) { return template }
        let template = Self.template(kind, token: held.token?.text ?? "", authority: authority)
        held.kind = (token, kind)
        held.template = template
        return template
    }

    /// What pushes of one kind with one provider token have in common.
    static func template(_ kind: PushBatch.Kind, token: String, authority: String) -> RequestTemplate {
        var fields = HeaderFields()
        fields.append("apns-topic", kind.topic)
        fields.append("apns-push-type", kind.type.rawValue)
        fields.append("apns-priority", kind.priority.rawValue.description)
        fields.append("authorization", "bearer \(token)")
        return RequestTemplate(authority: authority, fields: fields, varying: PushBatch.varying)
    }
}
