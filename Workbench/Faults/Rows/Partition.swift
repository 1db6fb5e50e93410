import LocalPostgres

extension Fault {
    static let partition = Fault(name: "partition", obstacle: SplitNetwork.obstacle) { plan in
        let scenery = Scenery(answers: 60...200, inFlight: 20)
        let cuts = ["from the database", "from Apple"]
        return plan.rounds(of: cuts, full: 4, users: 300, scenery: scenery) { stage, cut in
            let far = try await onOwnThread { try SplitNetwork(stage, impatient) }
            try await stage.awaitAccepted(20, by: far.daemon)
            try await cut == "from Apple" ? fromApple(stage, far) : fromDatabase(stage, far)
            try await far.stop(stage)
        }
    }

    /// The cut-off daemon gives up in time, and its lease ends by its own time.
    static let impatient = ["APNS_RESPONSE_TIMEOUT": "2s", "SCHEDULE_LEASE": "5s", "DATABASE_STATEMENT_TIMEOUT": "2s"]

    private static func fromDatabase(_ stage: Stage, _ far: SplitNetwork) async throws {
        let near = try stage.service()
        try await stage.wait(for: "the other one", "select count(*) from nudged.daemon", is: 2)
        try await far.set(.database, "down")
        let cut = stage.now
        let open = try await stage.openIntents()
        // The cut-off daemon can't settle its pushes. The other daemon's are counted too, but it settles them itself.
        stage.allow { $0.further += open.count + 20 }
        try await stage.awaitIdle()
        stage.recovered(after: stage.now - cut)
        let late = stage.taken.all.count { $0.at > cut + 5_000 }
        let unknown = try await stage.number("select count(*) from nudged.delivery where outcome = 'unknown'")
        try await far.set(.database, "up")
        let reconnectedAt = stage.now
        let seen = "select count(*) from nudged.daemon where seen_at > to_timestamp(\(reconnectedAt) / 1000.0)"
        try await stage.wait(for: "the cut-off daemon to be back", seen, is: 2)
        let back = "back \(stage.now - reconnectedAt) ms after the cut"
        stage.note("\(unknown) unknown, \(late) pushes by the other daemon after the lease, \(back)")
        if far.daemon.exit != nil { stage.fail("the cut-off daemon ended") }
        try await stage.stop(near)
    }

    private static func fromApple(_ stage: Stage, _ far: SplitNetwork) async throws {
        try await far.set(.apple, "down")
        let open = try await stage.openIntents()
        // These pushes were written but not answered. An intent that was committed during the cut adds at most 20.
        stage.allow { $0.further += open.count + 20 }
        try await stage.wait(for: "the pushes in flight to be given up", Stage.openRows)
        let still = stage.taken.count
        try await stage.awaitLook()
        if stage.taken.count != still { stage.fail("a push passed the cut line") }
        try await far.set(.apple, "up")
        try await stage.measureRecovery(since: .now)
        try await stage.awaitIdle()
    }
}
