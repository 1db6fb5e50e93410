import LocalPostgres

extension Fault {
    static let synchronousPromotion = promotion("standby-promoted-synchronous", quick: 2, full: 6, [.late, .atOnce])
    static let asynchronousPromotion = promotion(
        "standby-promoted-asynchronous",
        quick: 1,
        full: 5,
        [.beside, .behind]
    )

    private static func promotion(_ name: String, quick: Int, full: Int, _ kinds: [StandbyPromotion.Course]) -> Fault {
        Fault(name: name) { plan in
            (1...plan.pick(quick: quick, full: full)).map { time in
                let course = kinds[time % 2]
                let text = "promotion \(time), \(course.rawValue)"
                return plan.round(text, users: 300, scenery: StandbyPromotion.scenery) {
                    try await StandbyPromotion(stage: $0, course: course).play()
                }
            }
        }
    }
}

/// One promotion in mid-sweep, under a living daemon whose URL names both hosts.
struct StandbyPromotion {
    enum Course: String {
        case atOnce = "at once"
        /// After so long an outage the daemon's pauses between attempts to connect have grown to the longest.
        case late
        case beside, behind
    }

    let stage: Stage
    let course: Course
    private var isSynchronous: Bool { course == .atOnce || course == .late }

    static let scenery = Scenery(ownCluster: [:], answers: 20...120, environment: ["APNS_MAX_IN_FLIGHT": "40"])

    /// The `apns-id`s in the standby's record and in its open intents when it is promoted.
    private typealias Snapshot = (recorded: Set<String>, open: Set<String>)

    func play() async throws {
        let standby = try await onOwnThread {
            let standby = try LocalCluster(standbyOf: stage.cluster, stage.cluster.options)
            stage.atEnd { standby.stop() }
            if isSynchronous { try stage.cluster.setSynchronousStandbys("standby") }
            return standby
        }
        let url = stage.cluster.url(database: stage.database, orThatOf: standby)
        let process = try await stage.service(["DATABASE_URL": url], accepting: 20 + stage.draw(60))
        try await loseThePrimary(process)
        let left = try await snapshot(standby)
        if course == .late { try await Task.sleep(for: .seconds(20)) }
        try await onOwnThread { try standby.promote() }
        let promoted = Moment.now
        // A user whose devices are served in parts is due again a second later.
        let idle = Stage.idle.replacing("now()", with: "now() + interval '3 seconds'")
        let isIdle: @Sendable () async throws -> Bool = { try await stage.lines(idle, of: standby) == ["t"] }
        try await stage.measureRecovery(since: promoted, within: .seconds(5), isIdle: isIdle)
        try await stage.wait(for: "nobody to be due", every: .milliseconds(100), until: isIdle)
        try await stage.stop(process)
        if !isSynchronous { try await excuse(left, promoted, standby) }
        try await moveBack(standby)
    }

    private func loseThePrimary(_ process: ChildProcess) async throws {
        guard course == .behind else { return try await onOwnThread { stage.cluster.halt(.immediate) } }
        let held = try await onOwnThread { try stage.cluster.holdStreaming() }
        // Pushes whose intents and outcomes the standby surely lacks. Outcomes that are not recorded yet at the loss are
        // kept by the daemon, so these pushes would not be sent again.
        let had = Set(stage.taken.all.map(\.apnsID)).union(try await stage.openIntents())
        let more = 5 + stage.draw(40)
        let recorded = "select distinct apns_id from nudged.delivery where outcome = 'accepted'"
        try await stage.wait(for: "pushes that the standby doesn't know", by: [process], every: .milliseconds(2)) {
            Set(try await stage.lines(recorded)).subtracting(had).count >= more
        }
        try await onOwnThread { stage.cluster.halt(withStreaming: held) }
    }

    /// Reads the standby when it has replayed everything. Nothing changes there until it is promoted.
    private func snapshot(_ standby: LocalCluster) async throws -> Snapshot {
        let state = """
            select pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() and not exists (select from pg_stat_wal_receiver)
            """
        try await stage.wait(for: "the standby to replay") { try await stage.lines(state, of: standby) == ["t"] }
        let recorded = "select distinct apns_id from nudged.delivery where apns_id is not null"
        let open = "select encode(o.content, 'hex') from \(Stage.openUsers)"
        return (
            Set(try await stage.lines(recorded, of: standby)),
            Stage.pushes(try await stage.lines(open, of: standby))
        )
    }

    /// What the standby didn't have may come once more, with its id. If only its outcome was lost,
    /// it is unknown, or missing after a later attempt.
    private func excuse(_ left: Snapshot, _ promoted: Moment, _ standby: LocalCluster) async throws {
        let known = left.recorded.union(left.open)
        // Answers to pushes from before arrive within milliseconds of machine time.
        let before = stage.taken.timed.filter { $0.machine < promoted.machine + 2500 }.map(\.push)
        let forgotten = Set(before.map(\.apnsID)).subtracting(known)
        let twice = Dictionary(grouping: stage.taken.all, by: \.apnsID).filter { $0.value.count > 1 }
        for (id, pushes) in twice where !forgotten.contains(id) || pushes.count > 2 {
            stage.fail(
                "apns-id \(id) was sent \(pushes.count) times, \(pushes.map { $0.at - promoted.at }) ms after the promotion; "
                    + "in the standby's record: \(left.recorded.contains(id)), open there: \(left.open.contains(id))"
            )
        }
        if course == .behind, twice.isEmpty { stage.fail("the standby was behind, but nothing was sent again") }
        let users = Set(twice.values.compactMap { $0.first.flatMap { stage.population.owners[$0.token]?.id } })
        // A later attempt's outcome took the place of one that the standby lacked.
        let kept = try await stage.rows("select distinct user_id, apns_id from nudged.delivery", of: standby)
        let recorded = Set(kept.map { $0[1] })
        let goneOn = Set(kept.filter { !$0[1].isEmpty && !left.recorded.contains($0[1]) }.map { $0[0] })
        let lost = before.filter { push in
            !left.recorded.contains(push.apnsID) && !recorded.contains(push.apnsID)
                && stage.population.owners[push.token].map { goneOn.contains($0.id) } == true
        }
        stage.allow {
            $0.changed.formUnion(users)
            $0.recordLost.formUnion(lost.map(\.apnsID))
            $0.further += left.open.count
        }
        stage.note("\(twice.count) sent again")
    }

    /// The comparison reads the first server. So the old primary follows the new one, and is promoted again.
    private func moveBack(_ standby: LocalCluster) async throws {
        let primary = stage.cluster
        try await onOwnThread {
            try primary.follow(standby, name: "primary")
            // A fast stop waits until the standby has everything.
            standby.halt(.fast)
            try primary.promote()
        }
    }
}

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
