/// Plays faults, and judges each round.
public struct FaultRun: Sendable {
    private let workshop: Workshop
    private let plan: Plan
    private let nudged: String

    /// - Parameter nudged: the binary's path, for the command that repeats a run.
    public init(_ workshop: Workshop, _ plan: Plan) {
        self.workshop = workshop
        self.plan = plan
        nudged = workshop.binary
    }

    /// Plays all rounds of a fault.
    ///
    /// - Parameter onRound: hears of each round, good or bad.
    public func play(_ fault: Fault, onRound: (RoundResult) -> Void = { _ in }) async -> FaultRow {
        var row = FaultRow(fault: fault.name)
        if let obstacle = fault.obstacle() {
            row.notes.append("skipped: \(obstacle)")
            return row
        }
        // Side by side: most of a round's time is waiting for leases to end.
        var waiting = fault.rounds(plan)[...]
        await withTaskGroup(of: RoundResult.self) { group in
            for round in waiting.prefix(plan.width) { group.addTask { await play(round) } }
            waiting = waiting.dropFirst(plan.width)
            for await result in group {
                row.add(result)
                onRound(result)
                if let round = waiting.popFirst() { group.addTask { await play(round) } }
            }
        }
        return row
    }

    /// Plays one round; what keeps it from being played is a failure too.
    public func play(_ round: Round) async -> RoundResult {
        do {
            let (workshop, round) = (workshop, round)
            let stage = try await offThePool { try Stage(round, workshop) }
            do {
                try await stage.seed()
                try await round.play(stage)
                let result = try await stage.close()
                try await offThePool { stage.strike() }
                return result
            } catch {
                try? await offThePool { stage.strike() }
                throw error
            }
        } catch {
            return RoundResult(
                name: round.name,
                books: Books(),
                allowance: Allowance(),
                verdict: Verdict(Books()),
                recovery: nil,
                notes: [],
                failures: ["could not be played: \(error)"]
            )
        }
    }

    /// The command that plays a fault again as it was.
    public func command(_ fault: Fault) -> String {
        var words = ["nudged-bench faults --only", fault.name, "--seed", "\(plan.seed)"]
        if plan.scale != .full { words.append("--quick") }
        if let users = plan.users { words += ["--users", "\(users)"] }
        return (words + ["--nudged", nudged]).joined(separator: " ")
    }
}
