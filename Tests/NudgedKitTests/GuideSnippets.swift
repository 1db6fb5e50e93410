import Foundation
import NudgedKit

/// The Swift of docs/CLIENT.md, compiled: `ClientGuideTests` looks for each of its blocks in the text of this file and
/// of the sample app, line by line.
struct GuideSnippets {
    /// What a snippet showed or opened, as `left:right`.
    var shown: [String] = []

    mutating func permission(_ stored: inout String?, _ now: Int64) -> PermissionEffect {
        var permission = Permission(rawValue: stored ?? "") ?? Permission()
        let effect = permission.handle(.sessionEnded(at: now))
        stored = permission.rawValue
        return effect
    }

    mutating func preferences(_ column: String?, calendarWeekday: Int) throws -> String {
        func show(_ key: PreferenceKey, _ wanted: String) { shown.append("\(key.rawValue):\(wanted)") }
        var draft = PreferencesDraft(Preferences(parsing: column))  // nil where the column is null
        draft.checkInsEnabled = true
        draft.frequency = .weekly
        draft.weekday = (calendarWeekday + 5) % 7 + 1  // a Calendar's week starts with 1 for Sunday
        draft.checkInTime = TimeOfDay("09:30")
        draft.quietHoursStart = TimeOfDay("22:00")
        draft.quietHoursEnd = TimeOfDay("07:30")
        for problem in draft.problems { show(problem.key, problem.wanted) }
        let text = try draft.encoded(over: column)
        return text
    }

    func optIn(_ server: some NudgedServer) async throws {
        let column = try await server.preferences()
        let draft = PreferencesDraft.optingIn(over: Preferences(parsing: column))
        try await server.setPreferences(draft.encoded(over: column))
    }

    func remind(_ server: some NudgedServer, _ tomorrow: Date) async throws {
        guard let task = Subject(type: "task", id: "42") else { return }
        let reminder = OwnReminder(subject: task, title: "Call Ada", dueLocal: "2040-05-07T09:00:00")
        let set = try await server.setReminder(reminder)
        guard let id = set.id else { return }
        try await server.snoozeReminder(id, until: tomorrow)
        let cancelled = try await server.cancel(id)
        _ = cancelled
    }

    func read(_ server: some NudgedServer) async throws -> [Int] {
        let waiting = try await server.waiting()
        let history = try await server.history(most: 20)
        let next = try await server.history(after: history.last, most: 20)
        let held = try await server.export()
        try await server.cancelMessages(category: "chat")
        return [waiting.count, history.count, next.count, held.count]
    }

    @MainActor
    func surfaces(_ nudges: Nudges, _ startToken: [UInt8], _ token: [UInt8], _ id: String) async {
        await nudges.received(DeviceToken(startToken), for: .start(type: "OrderAttributes"))
        await nudges.received(DeviceToken(token), for: .activity(id: id))
    }

    @MainActor
    func foreground(_ nudges: Nudges, _ openConversation: ConversationID?) {
        nudges.isShowing = { $0.conversationID != nil && $0.conversationID == openConversation }
    }

    mutating func names() {
        func show(_ key: String, _ name: String) { shown.append("\(key):\(name)") }
        for frequency in Frequency.allCases {
            show(frequency.displayKey, frequency.displayName)  // nudged.frequency.few_times_a_week, A few times a week
        }
    }

    mutating func tap(_ json: String, _ conversations: Set<ConversationID>) {
        func open(_ what: String, _ which: String) { shown.append("\(what):\(which)") }
        switch Payload(parsing: json).route(isUsers: { conversations.contains($0) }) {
        case .subject(let subject): open(subject.type, subject.id)
        case .conversation(let id, _): open("conversation", id.description)
        case .message(let data): open("order", data.string("order") ?? "")
        case .newConversation(let domain): open("new", domain ?? "")
        }
    }
}
