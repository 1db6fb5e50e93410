import Glibc
import LocalPostgres

extension Fault {
    static let restoredBackup = Fault(
        name: "restored-backup",
        obstacle: { access("/usr/bin/pg_restore", X_OK) == 0 ? nil : "needs pg_dump and pg_restore" }
    ) { plan in
        ["before the sweep", "in mid-sweep"].flatMap { moment in
            [false, true].prefix(plan.pick(quick: 1, full: 2)).map { runs in
                let beside = runs ? ", a daemon running" : ""
                return plan.round("backup \(moment)\(beside)", users: 200) { stage in
                    try await restore(stage, inMidSweep: moment != "before the sweep", beside: runs)
                }
            }
        }
    }

    private static func restore(_ stage: Stage, inMidSweep: Bool, beside: Bool) async throws {
        let (dump, gate) = (stage.folder + "/backup", stage.folder + "/gate")
        var first: ChildProcess?
        if inMidSweep {
            let held = try stage.service(["NUDGED_FAIL_POINT": "after_intent:hold:\(gate)"])
            try await stage.wait(for: "the fail point") { exists(gate + ".held") }
            first = held
        }
        let url = stage.cluster.url(database: stage.database)
        try await run(stage, ["pg_dump", "-Fc", "-f", dump, url])
        try TextFile.write(gate, "")
        let daemon = try first ?? stage.service()
        try await stage.serveAll([daemon])
        // Users who were let go are due in a second, and must be sent to before: the restored record lacks them.
        try await stage.finish(stage.startOnce())
        let (cluster, database) = (stage.cluster, stage.database)
        try await onOwnThread {
            try cluster.dropDatabase(named: database)
            try cluster.createDatabase(named: database)
        }
        try await run(stage, ["pg_restore", "--exit-on-error", "-d", url, dump])
        // What the restored record lacks.
        let (taken, restored) = (stage.taken.all, stage.now)
        let gone = Set(stage.population.people.filter { $0.devices.contains { $0.answer != .accepted } }.map(\.id))
        let open = try await stage.openIntents()
        if inMidSweep, open.isEmpty { stage.fail("the backup has no open intent: the round tests nothing") }
        stage.allow {
            $0.recordLost = Set(taken.map(\.apnsID))
            $0.changed = gone
            $0.openAtKill = open
        }
        // A daemon of the backup counts as alive until its lease ends.
        try await stage.endLeases()
        try await afterRestore(stage)
        let second = beside ? try stage.service() : nil
        if beside { try await afterRestore(stage, ["--while-daemons-run"]) }
        let third = try second ?? stage.service()
        try await stage.serveAll([third])
        let again = stage.taken.all.count { $0.at > restored }
        if again > 0 { stage.fail("\(again) pushes after the restore") }
        if taken.isEmpty { stage.fail("nothing was sent before the restore: the round tests nothing") }
        stage.note("\(taken.count) pushes before, \(again) after the restore, \(open.count) recorded as unknown")
    }

    private static func afterRestore(_ stage: Stage, _ options: [String] = []) async throws {
        let process = try stage.start(["after-restore", "--yes", "--json"] + options)
        let exit = try await stage.finish(process)
        let people = try await stage.number("select count(*) from nudged.person")
        let output = process.output
        if exit != .code(0) || !output.hasPrefix("{\"done\":true,")
            || !output.contains("\"users\":\(people),\"unknown\":")
        {
            stage.fail("after-restore: \(exit), \(people) people: \(output) \(process.errorOutput)")
        }
    }

    private static func run(_ stage: Stage, _ arguments: [String]) async throws {
        let process = try stage.spawn(arguments)
        let exit = try await stage.finish(process)
        if exit != .code(0) { throw FaultError("\(arguments[0]): \(process.errorOutput.suffix(1000))") }
    }

    static let erasedUsers = Fault(name: "erased-users") { plan in
        plan.rounds(quick: 2, full: 6, users: 250, scenery: Scenery(answers: 40...120, inFlight: 20)) { stage in
            let daemons = [try stage.service(), try stage.service()]
            try await stage.awaitAccepted(5, by: daemons[0])
            let people = stage.population.people
            let picked = (0..<plan.pick(quick: 80, full: 120)).map { _ in stage.pick(people) }
            let erased = Dictionary(picked.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
            for id in erased.keys.sorted() {
                // One transaction.
                try await stage.sql(
                    """
                    delete from public.push_tokens where user_id = '\(id)';
                    delete from public.context_profiles where user_id = '\(id)';
                    select (nudged_api.forget('\(id)')).done
                    """
                )
            }
            try await stage.serveAll(daemons)
            let traces = try await traces(stage, Array(erased.keys))
            if !traces.isEmpty { stage.fail("erased users are found in \(traces)") }
            try await stage.expectNoDeadlocks()
            let tokens = Set(erased.values.flatMap(\.devices).map(\.token))
            let taken = stage.taken.all.filter { tokens.contains($0.token) }.map(\.apnsID)
            stage.allow {
                $0.changed = Set(erased.keys)
                $0.tokensTaken = tokens
                $0.recordLost = Set(taken)
            }
            stage.note("\(erased.count) erased, \(taken.count) of their pushes sent, found nowhere")
        }
    }

    /// Finds the users in all tables of nudged and the app, by whole rows as text.
    private static func traces(_ stage: Stage, _ users: [String]) async throws -> [String] {
        // Quotes and percent signs are doubled, for a literal within `format`.
        let list = users.map { "(''%%\($0)%%'')" }.joined(separator: ",")
        let queries = try await stage.lines(
            """
            select format('select %L from %I.%I t where exists (select from (values \(list)) v (u) where t::text like u)', relname, nspname, relname)
            from pg_class c join pg_namespace n on n.oid = relnamespace
            where relkind = 'r' and nspname in ('nudged', 'public')
            """
        )
        return Array(Set(try await stage.lines(queries.joined(separator: " union all "))))
    }
}
