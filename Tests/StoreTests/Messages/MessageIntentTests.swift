import Postgres
import TestSupport
import Testing

import struct FoundationEssentials.UUID

@testable import Core

/// Messages between the intent of their push and a call that cancels them.
@Suite(.ownThreads) struct MessageIntentTests {
    /// While the intent's transaction holds the row, a cancellation does not wait for it.
    @Test(arguments: [Query.holdMessages, .holdMessagesDistributed])
    func cancel_whileTheIntentIsBeingCommitted_doesNotWait(query: Query) async throws {
        let fixture = try await F.withUsers(1...1)
        let id = try fixture.sendMessage(1)
        let daemon = try await fixture.connection()
        try await daemon.transaction { transaction in
            let held = try await transaction.run(
                Statement("hold", sql: query.sql, parameters: [.uuidArray([F.user(1)]), .uuidArray([id])])
            )
            #expect(held.count == 1)
            let cancel = "set lock_timeout = '5s'; select done from nudged_api.cancel(\(F.quoted(1)), '\(id)')"
            try fixture.expect(cancel, "0")
        }
    }
}
