import APNs
import JSON
package import Store
package import TimeZones

/// A user's devices that Apple refuses: the column `nudged.person.quarantine`.
package struct Quarantine: Sendable {
    /// A device that gets nothing on a lane until it registers again.
    package struct Entry: Sendable, Equatable {
        let deviceHash: String
        let lane: LaneIdentity
        /// The registration that was refused, in microseconds since 1970.
        let registration: Int64?
        /// When the device was quarantined.
        package let at: Instant
        package let reason: String
    }

    private let entries: [Entry]

    /// Ignores what it can't read: at worst, a push is refused once more.
    package init(json text: String) {
        guard case .array(let items)? = try? JSONValue(parsing: text) else {
            entries = []
            return
        }
        entries = items.compactMap { item in
            guard case .string(let device)? = item["device"], case .string(let environment)? = item["environment"],
                case .string(let topic)? = item["topic"], case .string(let at)? = item["at"],
                let at = Instant(rfc3339: at), case .string(let reason)? = item["reason"]
            else { return nil }
            var registration: Int64?
            if case .int(let number)? = item["registered_at"] { registration = number }
            return Entry(
                deviceHash: device,
                lane: LaneIdentity(environment: environment, topic: topic),
                registration: registration,
                at: at,
                reason: reason
            )
        }
    }

    /// The entry that blocks a device. nil: it may be sent to. Any registration other than the refused one lifts the
    /// quarantine, so clocks don't matter.
    package func entry(for device: Device, on lane: LaneIdentity) -> Entry? {
        guard !entries.isEmpty else { return nil }
        let hash = PushIdentity.deviceHash(token: device.token)
        return entries.first {
            $0.deviceHash == hash && $0.lane == lane && $0.registration == device.registration
        }
    }
}
