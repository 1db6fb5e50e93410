import Planning
import Policy

/// The kill switch: read at each look around, and by each commit of an intent once more (`Store.commit`), so that what waits to be sent is not written.
extension Sweeper {
    /// Kinds that are held from now on.
    func hear(paused: Set<NudgeKind>) {
        guard paused != judge.paused else { return }
        onEvent(.paused(paused, before: judge.paused))
        judge.paused = paused
    }
}
