@testable import Core
import TimeZones

import struct FoundationEssentials.UUID

extension DaemonRow {
    /// A daemon that was last seen so many milliseconds before now.
    init(
        id: UUID = UUID(),
        host: String = "web-1",
        version: String = "0.1.0",
        now: Instant,
        unseen: Int64 = 0,
        state: String = "{}",
        ranges: [Int16] = []
    ) {
        self.init(
            id: id,
            host: host,
            pid: 4711,
            version: version,
            startedAt: now - 10_800,
            seenAt: now - unseen / 1000,
            unseenMilliseconds: unseen,
            state: state,
            ranges: ranges
        )
    }
}

extension WorkStatus {
    /// Nothing is being sent, and nobody waits unless it is said.
    init(now: Instant, due: Int = 0, firstDue: Instant? = nil, touches: Int = 0, daemons: [DaemonRow]) {
        self.init(
            now: now,
            dueUsers: due,
            firstDue: due > 0 ? firstDue : nil,
            touches: touches,
            openIntents: 0,
            openPushes: 0,
            unknownPushes: 0,
            daemons: daemons
        )
    }
}
