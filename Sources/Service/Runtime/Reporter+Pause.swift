import Policy
import Systemd

extension Reporter {
    /// `nudged pause` or `nudged resume` changed the paused kinds.
    func paused(_ kinds: Set<NudgeKind>, before: Set<NudgeKind>) {
        let (held, freed) = (kinds.subtracting(before), before.subtracting(kinds))
        if !held.isEmpty {
            let text = Self.text(held)
            say(
                .kindsPaused,
                "paused: \(text); nothing of these kinds is sent until nudged resume",
                ["kinds": "\(text)"]
            )
        }
        if !freed.isEmpty {
            let text = Self.text(freed)
            say(.kindsResumed, "resumed: \(text)", ["kinds": "\(text)"])
        }
    }

    private static func text(_ kinds: Set<NudgeKind>) -> String {
        kinds.map(\.rawValue).sorted().joined(separator: ", ")
    }
}
