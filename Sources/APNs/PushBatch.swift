public import FoundationEssentials
internal import HTTP2

/// Pushes that are sent together, with their texts in one buffer. A further push allocates nothing, and payloads are
/// rendered into the buffer that they are sent from.
public struct PushBatch: Sendable {
    /// A push without its text.
    struct Entry: Sendable {
        let tag: UInt64
        let apnsID: UUID
        let writeBy: Int64
        /// Index into `kinds`.
        let kind: Int32
        /// Index into `texts`. -1 if there is a fault.
        let text: Int32
        let fault: APNsError?
        /// As in `Push`.
        let isTrial: Bool
    }

    /// What determines a push's template, besides the connection and the provider token.
    struct Kind: Sendable, Equatable {
        let topic: String
        let type: PushType
        let priority: PushPriority
    }

    /// The names of the varying fields, by their index. An expiration that repeats may enter HPACK's table. A new one
    /// is never indexed: many different ones would evict the bearer token.
    static let varying: [VaryingField] = [
        VaryingField("apns-expiration", neverIndexed: false),
        VaryingField("apns-expiration", neverIndexed: true),
        VaryingField("apns-id", neverIndexed: true),
        VaryingField("apns-collapse-id", neverIndexed: true),
    ]

    private(set) var entries: [Entry] = []
    private(set) var kinds: [Kind] = []
    private(set) var texts = RequestTexts()
    private var expiration: (value: Int64, text: [UInt8])?

    /// An empty batch.
    ///
    /// - Parameter room: How many pushes to reserve memory for.
    public init(room: Int = 0) {
        entries.reserveCapacity(room)
        // A path with 64 digits of token, the fields with their framing, and a usual payload.
        texts.reserve(texts: room, bytes: room * (74 + 13 + 39 + 67 + 320))
    }

    /// A batch of these pushes.
    public init(_ pushes: [Push]) {
        entries.reserveCapacity(pushes.count)
        texts.reserve(texts: pushes.count, bytes: pushes.reduce(0) { $0 + 74 + 13 + 39 + 67 + $1.payload.count })
        for push in pushes {
            append(
                tag: push.tag,
                token: push.token,
                topic: push.topic,
                pushType: push.pushType,
                priority: push.priority,
                expiration: push.expiration,
                apnsID: push.apnsID,
                collapseID: push.collapseID,
                writeBy: push.writeBy,
                isTrial: push.isTrial
            ) { $0.append(contentsOf: push.payload) }
        }
    }

    /// How many pushes there are.
    public var count: Int { entries.count }

    /// Adds a push. The parameters are those of `Push`.
    ///
    /// - Parameter payload: Appends the JSON body to its argument (`Notification.render(into:)`) and changes nothing
    ///   else in it.
    public mutating func append(
        tag: UInt64,
        token: String,
        topic: String,
        pushType: PushType = .alert,
        priority: PushPriority = .immediate,
        expiration: Int64,
        apnsID: UUID,
        collapseID: String? = nil,
        writeBy: Int64,
        isTrial: Bool = false,
        payload: (inout [UInt8]) -> Void
    ) {
        var fault = Push.fault(token: token, collapseID: collapseID)
        if fault == nil {
            texts.begin()
            texts.appendPath("/3/device/")
            texts.appendPath(token)
            append(expiration)
            texts.appendField(2) { JSONText.append(apnsID, to: &$0) }
            if let collapseID { texts.appendField(3) { $0.append(contentsOf: collapseID.utf8) } }
            let size = texts.appendBody(payload)
            if size > pushType.payloadLimit {
                fault = .payloadTooLarge(bytes: size, limit: pushType.payloadLimit)
                texts.removeLast()
            }
        }
        // Nearly all pushes of a batch are of one kind.
        if let last = kinds.last, last.type == pushType, last.priority == priority, last.topic == topic {
        } else {
            kinds.append(Kind(topic: topic, type: pushType, priority: priority))
        }
        let entry = Entry(
            tag: tag,
            apnsID: apnsID,
            writeBy: writeBy,
            kind: Int32(kinds.count - 1),
            text: fault == nil ? Int32(texts.count - 1) : -1,
            fault: fault,
            isTrial: isTrial
        )
        entries.append(entry)
    }

    private mutating func append(_ value: Int64) {
        if let expiration, expiration.value == value {
            texts.appendField(0) { $0.append(contentsOf: expiration.text) }
        } else {
            let text = Array(value.description.utf8)
            texts.appendField(1) { $0.append(contentsOf: text) }
            expiration = (value, text)
        }
    }
}
