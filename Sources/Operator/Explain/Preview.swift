package import Configuration
import Core
import Policy
import Service
import Base
import TimeZones

package import struct FoundationEssentials.UUID

/// What would become of a message to a user, as `nudged_api.preview` answers it. Nothing is sent or written.
package struct PreviewReport: CommandOutput {
    let preview: Preview
    let now: Instant
    let zone: Zone?

    package static func read(
        _ user: UUID,
        title: String,
        body: String,
        urgent: Bool,
        _ configuration: Configuration
    ) async throws -> PreviewReport {
        let planner = try Assembly(configuration, zones: ZoneDatabase()).planner
        let decider = try configuration.decision.map { try Decider($0, clock: PolicyClock()) { _ in } }
        return try await ending({ await decider?.close() }) {
            try await DatabaseAccess(configuration).withStore { store in
                let now = Instant(seconds: try await store.clock() / 1_000_000)
                var message = PendingMessage(id: .random(), createdAt: now, title: title, body: body)
                message.urgent = urgent
                let preview = try await store.preview(message, to: user, by: planner, decider, now: now)
                let read = try await store.reading { reader in try await reader.user(user, now: now)?.user }
                return PreviewReport(preview: preview, now: now, zone: read.flatMap(planner.zone))
            }
        }
    }

    package var json: String { preview.json }

    package func text(on screen: Screen) -> String {
        let explanation = preview.explanation.map { " (\($0.printable))" } ?? ""
        let (title, body) = preview.texts
        let lines: [String?] = [
            headline, "decided by: \(preview.origin)\(explanation)", preview.priority.map { "priority: \($0)" },
            title.map { "title: \($0.printable)" }, body.map { "body: \($0.printable)" },
        ]
        return lines.compactMap(\.self).joined(separator: "\n")
    }

    private var headline: String {
        switch preview.action {
        case .send:
            let devices = Elapsed.counted(preview.devices, "device", "devices")
            return "The message would be sent now to \(devices) (\(preview.reason))"
                + (preview.isDigest ? ", together with others." : ".")
        case .wait:
            let place = zone?.name ?? "UTC"
            let next = preview.nextAt.map { " until \(InstantText.day($0, from: now, zone)) (\(place))" } ?? ""
            return "The message would wait\(next): \(preview.reason)."
        case .hold: return "The message would be held until something changes: \(preview.reason)."
        case .drop: return "The message would be dropped: \(preview.reason)."
        }
    }
}
