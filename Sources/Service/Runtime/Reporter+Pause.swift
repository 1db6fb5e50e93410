import Policy
import Systemd

extension Reporter {
    /// `nudged pause` or `nudged resume` changed the paused kinds.
    func paused(_ kinds: Set<NudgeKind>, before: Set<NudgeKind>) {
        let (held, freed) = (kinds.subtracting(before), before.subtracting(kinds))
        if !held.isEmpty {
            let words = Self.words(held)
            say(
                .kindsPaused,
                "paused: \(words); nothing of these kinds is sent until nudged resume",
                ["kinds": "\(words)"]
            )
        }
        if !freed.isEmpty {
            let words = Self.words(freed)
            say(.kindsResumed, "resumed: \(words)", ["kinds": "\(words)"])
        }
    }

    private static func words(_ kinds: Set<NudgeKind>) -> String {
        kinds.map(\.rawValue).sorted().joined(separator: ", ")
    }
}
