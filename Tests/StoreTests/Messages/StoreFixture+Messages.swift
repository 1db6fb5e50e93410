import Testing

import struct FoundationEssentials.UUID

@testable import Core

extension StoreFixture {
    /// A message as an app sends it. `more` is SQL after the text. Returns its id.
    func sendMessage(_ user: Int, _ text: String = "Hi", more: String = "") throws -> UUID {
        let id = try sql("select nudged_api.send(\(Self.quoted(user)), '\(text)', 'there'\(more))")
        return try #require(UUID(uuidString: id))
    }

    /// An intent of all their messages, a nudge each.
    static func messageIntent(
        _ users: [ClaimedUser],
        member: UUID,
        ends: Bool = false,
        isCounted: Bool = false,
        retry: String? = nil
    ) -> Intent {
        Intent(
            member: member,
            sweepID: UUID(),
            attemptedAt: now,
            entries: users.map { user in
                Intent.Entry(
                    userID: user.userID,
                    version: user.version,
                    retry: retry,
                    devices: user.messages.enumerated().map { place, message in
                        Intent.Target(
                            kind: "message",
                            key: message.id.uuidString.lowercased(),
                            slot: nil,
                            deviceHash: "00000000000000aa",
                            apnsID: UUID(),
                            nudge: Int16(place),
                            isCounted: isCounted,
                            ends: ends
                        )
                    }
                )
            },
            messages: users.flatMap { user in user.messages.map { MessageReference(userID: user.userID, id: $0.id) } }
        )
    }
}
