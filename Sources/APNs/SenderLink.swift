import HTTP2
import Locks

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
        var expiration: Int64?
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
    ) throws(APNsError) -> (requests: [Request], isNewToken: Bool) {
        let outcome: Swift.Result<(requests: [Request], isNewToken: Bool), APNsError> = held.withLock { held in
            do throws(APNsError) {
                var isNew = false
                if held.token?.number != submission.token.number {
                    let signed = try tokens.text(of: submission.token)
                    held.token = (submission.token.number, signed.text)
                    isNew = signed.isNew
                }
                var requests: [Request] = []
                requests.reserveCapacity(submission.pushes.count)
                for (tag, push) in submission.pushes { requests.append(request(tag, push, &held)) }
                return .success((requests, isNew))
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

    private func request(_ tag: UInt64, _ push: Push, _ held: inout Held) -> Request {
        var path: [UInt8] = []
        path.reserveCapacity(10 + push.token.utf8.count)
        path.append(contentsOf: "/3/device/".utf8)
        path.append(contentsOf: push.token.utf8)
        var request = Request(
            template: template(for: push, &held),
            tag: tag,
            path: path,
            body: push.payload,
            writeBy: UInt64(clamping: push.writeBy)
        )
        request.append(push.expiration == held.expiration ? 0 : 1, push.expiration.description)
        held.expiration = push.expiration
        var id: [UInt8] = []
        id.reserveCapacity(36)
        JSONText.append(push.apnsID, to: &id)
        request.append(2, id)
        if let collapseID = push.collapseID { request.append(3, collapseID) }
        return request
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
