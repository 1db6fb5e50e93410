/// Plays faults, and compares both sides after each round.
public struct FaultRun: Sendable {
    private let workshop: Workshop
    private let plan: FaultPlan
    private let nudged: String

    /// A run of this plan in this workshop.
    public init(_ workshop: Workshop, _ plan: FaultPlan) {
        self.workshop = workshop
        self.plan = plan
        nudged = workshop.binary
    }

    /// Plays all rounds of a fault.
    ///
    /// - Parameter onRound: called after each round with its result.
    public func play(_ fault: Fault, onRound: (RoundResult) -> Void = { _ in }) async -> FaultRow {
        var row = FaultRow(fault: fault.name)
        if let obstacle = fault.obstacle() {
            row.notes.append("skipped: \(obstacle)")
            return row
        }
        let begin = ContinuousClock.now
        // Several at a time, because most of a round is waiting for Apple's answers.
        var waiting = fault.rounds(plan).prefix(plan.rounds ?? .max)
        await withTaskGroup(of: RoundResult.self) { group in
            for round in waiting.prefix(plan.width) { group.addTask { await play(round) } }
            waiting = waiting.dropFirst(plan.width)
            for await result in group {
                row.add(result)
                onRound(result)
                if let round = waiting.popFirst() { group.addTask { await play(round) } }
            }
        }
        row.seconds = Int((ContinuousClock.now - begin) / .seconds(1))
        return row
    }

    /// Plays one round. If it can't be played, that is a failure too.
    public func play(_ round: Round) async -> RoundResult {
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
            return RoundResult(
                name: round.name,
                books: Books(),
                allowance: Allowance(),
                check: BookCheck(Books()),
                recovery: nil,
                notes: [],
                failures: ["could not be played: \(error)"]
            )
        }
    }

    /// The command that repeats a fault with the same seed.
    public func command(_ fault: Fault) -> String {
        var words = ["nudged-bench faults --only", fault.name, "--seed", "\(plan.seed)"]
        if plan.scale != .full { words.append("--quick") }
        if let users = plan.users { words += ["--users", "\(users)"] }
        return (words + ["--nudged", nudged]).joined(separator: " ")
    }
}
