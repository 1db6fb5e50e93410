import APNs
import JSON
import TimeZones

import struct FoundationEssentials.UUID

/// The text and data of a nudge's pushes: a notification that may be filled from a row.
@dynamicMemberLookup
struct PushText: Sendable {
    private var notification: Notification
    /// Whether a payload can hold the row's data and options. False only if the row was written directly.
    private var isRenderable = true
    private var data: String?
    /// Whether one of a digest's messages is a mention.
    private var holdsMention = false

    /// - Parameter at: when it was sent, or was to be sent.
    init(_ message: PendingMessage, at instant: Instant) {
        var notification = Notification(title: message.title, body: message.body)
        (notification.category, notification.threadID) = (message.category, message.threadID)
        self.init(notification, message.conversationID, message.domain, data: message.data, apns: message.apns)
        if case .activity(var activity)? = self.notification.surface {
            activity.timestamp = instant.seconds
            self.notification.surface = .activity(activity)
        }
    }

    init(_ reminder: PendingReminder) {
        let own = Notification(title: reminder.title, body: reminder.body)
        self.init(own, reminder.conversationID, reminder.domain, data: reminder.data, apns: reminder.apns)
        let (type, id) = (reminder.subjectType.document, reminder.subjectID.document)
        let subject = CustomMembers([("subject_type", type), ("subject_id", id)])
        notification.custom = notification.custom.followed(by: subject ?? CustomMembers.none)
        // Only a message can be without text.
        if subject == nil || notification.isSilent || notification.surface != nil { isRenderable = false }
    }

    private init(_ own: Notification, _ conversation: String?, _ domain: String?, data: String?, apns: String?) {
        notification = own
        (notification.conversationID, notification.domain) = (conversation.flatMap(UUID.init(uuidString:)), domain)
        let custom: CustomMembers? = data.map { CustomMembers(object: $0) } ?? CustomMembers.none
        notification.custom = custom ?? CustomMembers.none
        let takesOptions = apns.map { notification.take(apns: $0) } ?? true
        isRenderable = custom != nil && takesOptions
        self.data = data
    }

    /// A digest: its own text, and what all contents share. The newest badge counts: each replaces the one before.
    init(title: String, body: String, of contents: [PushText]) {
        func common<Value>(_ member: KeyPath<Notification, Value?>, _ isSame: (Value, Value) -> Bool) -> Value? {
            guard let first = contents.first?.notification[keyPath: member] else { return nil }
            return contents.allSatisfy { $0.notification[keyPath: member].map { isSame($0, first) } == true }
                ? first : nil
        }
        func common<Value: Equatable>(_ member: KeyPath<Notification, Value?>) -> Value? { common(member, ==) }
        func common(_ member: KeyPath<Notification, String?>) -> String? {
            common(member) { ExactText($0) == ExactText($1) }
        }
        var notification = Notification(title: title, body: body)
        notification.conversationID = common(\.conversationID)
        notification.domain = common(\.domain)
        notification.threadID = common(\.threadID)
        notification.badge = contents.last(where: { $0.notification.badge != nil })?.notification.badge
        notification.badgeIncrement = contents.reduce(0) { $0 + $1.badgeIncrement }
        // Silent only if each of them is.
        notification.sound = contents.allSatisfy { $0.notification.sound == nil } ? nil : common(\.sound) ?? "default"
        notification.interruptionLevel = common(\.interruptionLevel)
        notification.relevanceScore = common(\.relevanceScore)
        notification.filterCriteria = common(\.filterCriteria)
        notification.targetContentID = common(\.targetContentID)
        self.notification = notification
        holdsMention = contents.contains(where: \.isMention)
    }

    init(_ notification: Notification) { self.notification = notification }

    subscript<Value>(dynamicMember path: KeyPath<Notification, Value>) -> Value { notification[keyPath: path] }

    /// Whether it is shown by itself, and in no digest.
    var isShownAlone: Bool { notification.isSilent || notification.isCritical || notification.surface != nil }
    /// Whether all that it does is to set the badge to the app's own number.
    var isBadgeAlone: Bool {
        notification.isSilent && !notification.isContentAvailable && notification.surface == nil
            && notification.badgeIncrement == 0
    }

    /// Whether it mentions this user: its category is `mention`, or its data contains `"mention": true`.
    var isMention: Bool {
        if holdsMention || notification.category == "mention" { return true }
        guard let data, case .bool(true)? = (try? JSONValue(parsing: data))?["mention"] else { return false }
        return true
    }

    /// The same with another title or body, which also replaces a key of the app's translations. nil: unchanged.
    func saying(_ title: String?, _ body: String?) -> PushText {
        var other = self
        if let title { (other.notification.title, other.notification.localizedTitle) = (title, nil) }
        if let body { (other.notification.body, other.notification.localizedBody) = (body, nil) }
        return other
    }

    var isWithoutText: Bool { notification.title.isEmpty && notification.body.isEmpty }

    /// The same without a text: it updates what is shown already, and nobody hears it.
    var silenced: PushText {
        var other = self
        (other.notification.title, other.notification.body) = ("", "")
        return other
    }

    /// With the number that its badge shows now. Devices that follow get it without counting again.
    func counted(after attempt: PlannedNudge.Values) -> PushText {
        let increment = notification.badgeIncrement
        guard increment > 0 else { return self }
        var other = self
        let number = attempt.retry?.counts == true ? max(attempt.unseen, increment) : attempt.unseen + increment
        other.notification.badge = min(number, Notification.largestBadge)
        return other
    }

    /// The payload. nil: it can't be rendered. `passesFocus`: it is time-sensitive, for a focus mode of the phone.
    func payload(passesFocus: Bool) -> [UInt8]? {
        guard isRenderable else { return nil }
        var notification = notification
        if passesFocus, !notification.isCritical, notification.surface == nil {
            notification.interruptionLevel = .timeSensitive
        }
        var bytes: [UInt8] = []
        notification.render(into: &bytes)
        // Too long with the level. `nudged_api.send` could not know that a keyword makes it urgent, so leave it out.
        guard bytes.count > Notification.unnamedLimit, passesFocus else { return bytes }
        return payload(passesFocus: false)
    }
}
