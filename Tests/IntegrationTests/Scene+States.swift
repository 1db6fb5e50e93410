import Core
import FoundationEssentials
import Policy
import Testing

/// What nudged remembers of its users, which only the daemon reads and writes (`nudged.person.state`).
extension Scene {
    /// Users of open intents: `count(*) from \(Scene.openUsers)`.
    static let openUsers = """
        nudged.intent i cross join lateral unnest(i.user_ids, i.turns) as o (user_id, turn)
        join nudged.person p on p.user_id = o.user_id and p.turn = o.turn
        """

    /// Pushes of users of open intents.
    func openPushes() throws -> Int {
        let contents = try lines(
            """
            select encode(o.content, 'hex') from nudged.intent i cross join lateral unnest(i.user_ids, i.turns, i.contents) as o (user_id, turn, content)
            join nudged.person p on p.user_id = o.user_id and p.turn = o.turn
            """
        )
        return try contents.reduce(0) { sum, hex in
            let change = Change(userID: UUID(), turn: 0, content: Self.bytes(hex: hex[...]), attemptedAt: 0, reason: "")
            return sum + (try #require(change)).records.count { $0.apnsID != nil }
        }
    }

    /// By user, for users who have a state.
    func states(where condition: String = "true") throws -> [String: UserState] {
        let rows = try lines(
            "select user_id || ' ' || encode(state, 'hex') from nudged.person where state is not null and \(condition)"
        )
        var states: [String: UserState] = [:]
        for row in rows {
            let parts = row.split(separator: " ")
            states[String(parts[0])] = UserState(bytes: Self.bytes(hex: parts[1]))
        }
        return states
    }

    /// Makes users due for the same slots, as if nothing had been sent. Only the last template is remembered.
    func rewind(where condition: String = "true", dueAt: String = "now() - interval '1 minute'") throws {
        var script = "update nudged.person set due_at = \(dueAt) where \(condition);"
        for (user, var state) in try states(where: condition) {
            state.history = History()
            script += "update nudged.person set state = '\\x\(Self.hex(state.bytes))' where user_id = '\(user)';"
        }
        try sql(script)
    }

    static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    private static func bytes(hex: Substring) -> [UInt8] {
        let digits = hex.utf8.map { UInt8($0 > 57 ? $0 - 87 : $0 - 48) }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
