import Testing

import struct FoundationEssentials.UUID

@testable import Core

extension StoreFixture {
    /// A message as an app sends it. `more` is SQL after the text. Returns its id.
    func sendMessage(_ user: Int, _ text: String = "Hi", more: String = "") throws -> UUID {
        let id = try sql("select (nudged_api.send(\(Self.quoted(user)), '\(text)', 'there'\(more))).id")
        return try #require(UUID(uuidString: id))
    }

    /// A message's or reminder's row of the record; `outcome` is nudged's own if nothing was sent.
    static func messageRecord(
        _ user: ClaimedUser,
        _ id: UUID,
        _ outcome: DeliveryRecord.Outcome = .unknown,
        reason: String? = nil,
        apnsID: UUID? = UUID(),
        decision: String? = nil,
        kind: String = "message"
    ) -> DeliveryRecord {
        DeliveryRecord(
            userID: user.userID,
            kind: kind,
            key: id.uuidString.lowercased(),
            slot: nil,
            deviceHash: apnsID == nil ? "" : "00000000000000aa",
            apnsID: apnsID,
            outcome: outcome,
            reason: reason,
            attemptedAt: now,
            decision: decision
        )
    }
}
