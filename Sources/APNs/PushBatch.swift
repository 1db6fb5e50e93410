public import FoundationEssentials
internal import HTTP2

/// Pushes that are handed over together, what they say in one piece of memory: a further push allocates nothing, and its payload can be
/// rendered to where it is sent from.
public struct PushBatch: Sendable {
    /// A push without its text.
    struct Entry: Sendable {
        let tag: UInt64
        let apnsID: UUID
        let writeBy: Int64
        /// Which of `kinds`.
        let kind: Int32
        /// Which of `texts`; -1 where it has a fault.
        let text: Int32
        let fault: APNsError?
    }

    /// What decides a push's template, besides the connection and the provider token.
    struct Kind: Sendable, Equatable {
        let topic: String
        let type: PushType
        let priority: PushPriority
    }

    /// The places of the varying fields. An expiration that the last push had too goes into HPACK's table; one that
    /// differs each time would push the bearer token out of it.
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

    /// No pushes yet.
    ///
    /// - Parameter room: for so many.
    public init(room: Int = 0) {
        entries.reserveCapacity(room)
        // A path of today's 64 digits of token, the fields, what frames them, and a usual payload.
        texts.reserve(texts: room, bytes: room * (74 + 13 + 39 + 67 + 320))
    }

    /// These pushes.
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
                writeBy: push.writeBy
            ) { $0.append(contentsOf: push.payload) }
        }
    }

    /// How many pushes there are.
    public var count: Int { entries.count }

    /// Adds a push; the parts are those of `Push`.
    ///
    /// - Parameter payload: appends the JSON body to what it is given (`Notification.render(into:)`), and changes nothing else of it.
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
            fault: fault
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
