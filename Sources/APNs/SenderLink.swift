import HTTP2
import Synchronization

/// One connection with what its requests have in common.
final class SenderLink: Sendable {
    /// What decides a template, besides the connection's host.
    private struct Kind: Equatable {
        let token: Int
        let topic: String
        let type: PushType
        let priority: PushPriority
    }

    private struct Held {
        /// The last template: nearly all pushes of a lane are of one kind.
        var kind: Kind?
        var template: RequestTemplate?
        var expiration: (value: Int64, text: [UInt8])?
        /// The signed token: ECDSA is random, so signing its dates again would be another token to Apple.
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

    /// The requests of a submission; `minted` is set where its token was signed for it.
    func requests(
        for submission: LaneEffects.Submission
    ) throws(APNsError) -> (requests: RequestBatch, isNewToken: Bool) {
        let outcome: Swift.Result<(requests: RequestBatch, isNewToken: Bool), APNsError> = held.withLock { held in
            do throws(APNsError) {
                var isNew = false
                if held.token?.number != submission.token.number {
                    let signed = try tokens.text(of: submission.token)
                    held.token = (submission.token.number, signed.text)
                    isNew = signed.isNew
                }
                return .success((batch(of: submission, &held), isNew))
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }

    // The places of the varying fields. An expiration that the last push had too goes into HPACK's table; one that
    // differs each time would push the bearer token out of it.
    private static let varying: [VaryingField] = [
        VaryingField("apns-expiration", neverIndexed: false),
        VaryingField("apns-expiration", neverIndexed: true),
        VaryingField("apns-id", neverIndexed: true),
        VaryingField("apns-collapse-id", neverIndexed: true),
    ]

    private func batch(of submission: LaneEffects.Submission, _ held: inout Held) -> RequestBatch {
        var batch = RequestBatch()
        let size = submission.entries.reduce(0) { size, entry in
            size + Self.fixedSize + submission.sources[Int(entry.source)][Int(entry.index)].payload.count
        }
        batch.reserve(requests: submission.entries.count, bytes: size)
        for entry in submission.entries {
            append(submission.sources[Int(entry.source)][Int(entry.index)], tag: entry.tag, to: &batch, &held)
        }
        return batch
    }

    /// Path, expiration, apns-id, collapse id, and what frames them, of a push with today's 64 digits of token.
    private static let fixedSize = 74 + 13 + 39 + 67

    private func append(_ push: Push, tag: UInt64, to batch: inout RequestBatch, _ held: inout Held) {
        batch.begin(template(for: push, &held), tag: tag, writeBy: UInt64(clamping: push.writeBy))
        batch.appendPath("/3/device/")
        batch.appendPath(push.token)
        if let (value, text) = held.expiration, value == push.expiration {
            batch.appendField(0) { $0.append(contentsOf: text) }
        } else {
            let text = Array(push.expiration.description.utf8)
            batch.appendField(1) { $0.append(contentsOf: text) }
            held.expiration = (push.expiration, text)
        }
        batch.appendField(2) { JSONText.append(push.apnsID, to: &$0) }
        if let collapseID = push.collapseID { batch.appendField(3) { $0.append(contentsOf: collapseID.utf8) } }
        batch.appendBody { $0.append(contentsOf: push.payload) }
    }

    private func template(for push: Push, _ held: inout Held) -> RequestTemplate {
        let kind = Kind(
            token: held.token?.number ?? 0,
            topic: push.topic,
            type: push.pushType,
            priority: push.priority
        )
        if let template = held.template, held.kind == kind { return template }
        var fields = HeaderFields()
        fields.append("apns-topic", push.topic)
        fields.append("apns-push-type", push.pushType.rawValue)
        fields.append("apns-priority", push.priority.rawValue.description)
        fields.append("authorization", "bearer \(held.token?.text ?? "")")
        let template = RequestTemplate(authority: authority, fields: fields, varying: Self.varying)
        held.kind = kind
        held.template = template
        return template
    }
}
