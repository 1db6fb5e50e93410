import Base
import LocalPostgres

package struct FaultRun: Sendable {
    private let workshop: Workshop
    private let plan: FaultPlan

    package init(_ workshop: Workshop, _ plan: FaultPlan) { (self.workshop, self.plan) = (workshop, plan) }

    /// Plays all rounds of a fault, and calls `onRound` after each with its result.
    package func play(_ fault: Fault, onRound: (RoundResult) -> Void = { _ in }) async -> FaultRow {
        var row = FaultRow(fault: fault.name)
        if let obstacle = fault.obstacle() {
            row.notes.append("skipped: \(obstacle)")
            return row
        }
        let begin = ContinuousClock.now
        // Several at a time, because most of a round is waiting for Apple's answers.
        // Rounds of several faults have one name, such as `1`.
        var own = plan
        own.seed ^= fault.name.stableHash
        var waiting = fault.rounds(own).prefix(plan.mostRounds ?? .max)
        await withTaskGroup(of: RoundResult.self) { group in
            for round in waiting.prefix(3) { group.addTask { await play(round) } }
            waiting = waiting.dropFirst(3)
            for await result in group {
                row.add(result)
                onRound(result)
                if let round = waiting.popFirst() { group.addTask { await play(round) } }
            }
        }
        row.seconds = Int((ContinuousClock.now - begin) / .seconds(1))
        return row
    }

    func play(_ round: Round) async -> RoundResult {
        do {
            let (workshop, round) = (workshop, round)
            let stage = try await onOwnThread { try Stage(round, workshop) }
            do {
                try await stage.seed()
                try await round.play(stage)
                let result = try await stage.close()
                try await onOwnThread { stage.strike() }
                return result
            } catch {
                try? await onOwnThread { stage.strike() }
                throw error
            }
        } catch {
            return RoundResult(name: round.name, failures: ["could not be played: \(error)"])
        }
    }

    package func command(_ fault: Fault) -> String {
        var words = ["nudged-bench faults --only", fault.name, "--seed", "\(plan.seed)"]
        if plan.isQuick { words.append("--quick") }
        if let users = plan.users { words += ["--users", "\(users)"] }
        return (words + ["--nudged", workshop.binary]).joined(separator: " ")
    }
}

/// A fault could not be played. What a fault broke is a `Breach` instead.
struct FaultError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
