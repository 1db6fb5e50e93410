package import FoundationEssentials
import JSON

/// What a push says: the members of its JSON payload. Members that are nil are left out.
package struct Notification: Sendable {
    package var title: String
    package var body: String
    /// The name of a sound, `default` by default. Nil for silence.
    package var sound: String? = "default"
    /// The sound of a critical alert, instead of `sound`.
    package var criticalSound: CriticalSound?
    package var badge: Int?
    /// How many the badge counts up. 0: `badge` is the app's own number.
    package var badgeIncrement = 0
    package static let largestBadge = Int(Int32.max)
    package var threadID: String?
    package var category: String?
    package var interruptionLevel: InterruptionLevel?
    /// 0 to 1, for the order in a summary. Left out if it is not finite.
    package var relevanceScore: Double?
    /// A service extension of the app may change the notification.
    package var mutableContent = false
    package var subtitle: String?
    /// A localized text replaces the title, subtitle or body.
    package var localizedTitle: LocalizedText?
    package var localizedSubtitle: LocalizedText?
    package var localizedBody: LocalizedText?
    /// A Focus of the device shows or hides it by this value.
    package var filterCriteria: String?
    /// The app's window that a tap opens.
    package var targetContentID: String?
    /// An image that the app's service extension fetches. It is beside `aps`, and implies `mutableContent`.
    package var imageURL: String?
    /// It wakes the app and shows no text. Only the badge and the members beside `aps` count.
    package var isContentAvailable = false
    /// The nudge that the app takes off the screen. It implies `isContentAvailable`.
    package var withdraws: String?
    /// The conversation that a tap opens. Without one, a tap starts a new conversation.
    package var conversationID: UUID?
    package var domain: String?
    package var custom: CustomMembers = .none
    /// It updates this, instead of being a notification.
    package var surface: Surface?

    /// A text of the app's own translations.
    package struct LocalizedText: Sendable, Equatable {
        package var key: String
        /// Texts for the placeholders of this text. nil: none are given.
        package var arguments: [String]?
    }

    /// A sound that is played in silent mode, too. The app needs an entitlement.
    package struct CriticalSound: Sendable, Equatable {
        package var name: String
        /// 0 to 1. nil: Apple's own.
        package var volume: Double?
    }

    /// How urgently the device presents a notification. The raw values are Apple's.
    package enum InterruptionLevel: String, Sendable, CaseIterable {
        /// Listed only, without light or sound.
        case passive
        case active
        /// Breaks through a focus.
        case timeSensitive = "time-sensitive"
        /// Breaks through silent mode. The app needs an entitlement.
        case critical
    }

    /// Whether it shows no text: it wakes the app, it is a badge alone, or it reloads widgets or controls.
    package var isSilent: Bool {
        isContentAvailable || surface == .widgets || surface == .controls
            || badge != nil && title.isEmpty && body.isEmpty && localizedTitle == nil && localizedBody == nil
    }

    package var isCritical: Bool { interruptionLevel == .critical || criticalSound != nil }

    package init(title: String, body: String) { (self.title, self.body) = (title, body) }

    package var type: PushType {
        switch surface {
        case .activity(let activity): .liveActivity(isUrgent: activity.isUrgent)
        case .widgets: .widgets
        case .controls: .controls
        // With a badge, it is an alert for Apple.
        case nil: isContentAvailable && badge == nil ? .background : .alert
        }
    }

    /// What a tap does: `open_conversation` if there is a conversation, else `new_conversation`.
    package var action: String { conversationID == nil ? "new_conversation" : "open_conversation" }

    /// Takes what an app gives as `apns` (docs/SQL.md, "What the phone shows"), without its member `data`.
    /// - Returns: False if `nudged.apns_fault` would refuse it: somebody wrote the row directly.
    package mutating func take(apns text: String) -> Bool {
        guard case .object(let object)? = try? JSONValue(parsing: text) else { return false }
        for member in object.members {
            guard take(member.key, member.value) else { return false }
        }
        localizedTitle = Self.localized(object, "title_loc")
        localizedSubtitle = Self.localized(object, "subtitle_loc")
        localizedBody = Self.localized(object, "loc")
        return true
    }

    /// Whether this version knows all members of the argument `apns`. If it does not, a newer version wrote them.
    package static func knows(apns text: String) -> Bool {
        var notification = Notification(title: "", body: "")
        return notification.take(apns: text)
    }

    private mutating func take(_ name: String, _ value: JSONValue) -> Bool {
        switch (name, value) {
        case ("subtitle", .string(let text)): subtitle = text
        case ("badge", .int(let number)): badge = Int(number)
        case ("badge", .string("increment")):
            badgeIncrement = 1
            // Until it is counted: no number is longer.
            badge = Self.largestBadge
        case ("sound", .string(let name)): sound = name == "none" ? nil : name
        case ("sound", .object(let sound)):
            guard let name = sound["name"]?.text else { return false }
            criticalSound = CriticalSound(name: name, volume: sound["volume"].flatMap(Self.number))
        case ("interruption_level", .string(let name)):
            interruptionLevel = InterruptionLevel(rawValue: name)
            return interruptionLevel != nil
        case ("relevance_score", let value):
            relevanceScore = Self.number(value)
            return relevanceScore != nil
        case ("category", .string(let name)): category = name
        case ("thread_id", .string(let name)): threadID = name
        case ("mutable_content", .bool(let isSet)): mutableContent = isSet
        case ("image_url", .string(let address)): imageURL = address
        case ("filter_criteria", .string(let text)): filterCriteria = text
        case ("target_content_id", .string(let name)): targetContentID = name
        case ("content_available", .bool(let isSet)): isContentAvailable = isSet
        // Only nudged itself writes it.
        case ("withdraw", .string(let nudge)):
            withdraws = nudge
            isContentAvailable = true
        case ("widgets", .bool(true)): surface = .widgets
        case ("controls", .bool(true)): surface = .controls
        case ("live_activity", .object(let object)):
            surface = LiveActivity(object).map(Surface.activity)
            return surface != nil
        // Read together with their arguments.
        case ("title_loc_key", .string), ("subtitle_loc_key", .string), ("loc_key", .string): break
        case ("title_loc_args", .array), ("subtitle_loc_args", .array), ("loc_args", .array): break
        default: return false
        }
        return true
    }

    private static func number(_ value: JSONValue) -> Double? {
        switch value {
        case .int(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }

    private static func localized(_ object: JSONObject, _ name: String) -> LocalizedText? {
        guard let key = object["\(name)_key"]?.text else { return nil }
        guard case .array(let list)? = object["\(name)_args"] else { return LocalizedText(key: key) }
        return LocalizedText(key: key, arguments: list.compactMap(\.text))
    }
}

/// What the sender refuses before it writes a byte. No case holds a token, a key or a payload.
package enum APNsError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The rendered payload is over Apple's limit. Texts are never cut silently.
    case payloadTooLarge(bytes: Int, limit: Int)
    /// The provider token could not be signed; `cause` is the signing key's description.
    case unsignedToken(cause: String)

    package var description: String {
        switch self {
        case .payloadTooLarge(let bytes, let limit): "the payload is \(bytes) bytes, Apple takes \(limit)"
        case .unsignedToken(let cause): "the provider token could not be signed: \(cause)"
        }
    }
}

/// Members of a payload beside `aps`. Checked and rendered once, then copied into each push.
package struct CustomMembers: Sendable, Equatable {
    package static let none = CustomMembers(rendered: [])

    /// Names that the payload uses itself.
    static let reserved: Set<String> = ["aps", "conversation_id", "domain", "action", "image_url", "nudge", "withdraw"]

    /// `,"name":value` for each member.
    let rendered: [UInt8]

    private init(rendered: [UInt8]) { self.rendered = rendered }

    /// These members and then others. Their names must differ.
    package func followed(by others: CustomMembers) -> CustomMembers {
        CustomMembers(rendered: rendered + others.rendered)
    }

    /// Members from names and JSON texts, in order. Nil: a name is reserved or given twice, or a value is not JSON.
    package init?(_ members: [(name: String, json: String)]) {
        // Names are equal if their UTF-8 is. The reserved ones are ASCII.
        var names = Set(Self.reserved.map { Array($0.utf8) })
        var rendered: [UInt8] = []
        for (name, json) in members {
            guard names.insert(Array(name.utf8)).inserted, (try? JSONValue(parsing: json)) != nil else { return nil }
            rendered.append(UInt8(ascii: ","))
            JSONText.append(name, to: &rendered)
            rendered.append(UInt8(ascii: ":"))
            rendered.append(contentsOf: json.utf8)
        }
        self.rendered = rendered
    }

    /// The members of a JSON object. Its text is copied, so numbers keep all their digits. Nil: it is no object, or a
    /// name is reserved. The text comes from a jsonb value, which has no duplicate names.
    package init?(object text: String) {
        guard case .object(let object)? = try? JSONValue(parsing: text),
            !object.members.contains(where: { Self.reserved.contains($0.key) })
        else { return nil }
        // Take the text from the first member to the last. Only white space can be outside the braces.
        var inner = text.utf8[...]
        while let first = inner.popFirst(), first != UInt8(ascii: "{") {}
        while let last = inner.popLast(), last != UInt8(ascii: "}") {}
        rendered = object.members.isEmpty ? [] : [UInt8(ascii: ",")] + inner
    }
}
