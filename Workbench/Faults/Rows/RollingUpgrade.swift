import LocalPostgres

extension Fault {
    static let rollingUpgrade = Fault(
        "rolling-upgrade",
        row: "Daemons work on a later schema that only adds. If it asks for more, they wait."
    ) { plan in
        let scenery = Scenery(answers: 30...60, environment: ["APNS_MAX_IN_FLIGHT": "8"])
        return [
            plan.round("a later migration that adds", users: 250, scenery: scenery) { stage in
                let running = try stage.service()
                try await stage.awaitAccepted(10, by: running)
                try await later(stage, oldest: "null")
                let fresh = try stage.service()
                try await heard(stage, fresh, "this version can work with it")
                try await stage.serveAll([running, fresh])
                if sent(running) == 0 { stage.fail("the running daemon stopped working") }
                try await ends(stage, ["migrate"], by: 0)
            },
            plan.round("a later migration that asks for more", users: 250, scenery: scenery) { stage in
                let running = try stage.service()
                try await stage.awaitAccepted(10, by: running)
                try await later(stage, oldest: "9999")
                let fresh = try stage.service()
                for daemon in [running, fresh] { try await heard(stage, daemon, "install that version here") }
                // The pushes in flight are settled.
                try await stage.wait(for: "the pushes in flight to be settled") {
                    try await stage.openIntents().isEmpty
                }
                // Their ranges are free for the newer version's daemons.
                try await stage.awaitShares([])
                let before = stage.acceptedCount
                try await ends(stage, ["status"], by: 78)
                if sent(fresh) != 0 { stage.fail("the new daemon worked on a schema that it doesn't know") }
                if stage.acceptedCount != before {
                    stage.fail("the running daemon worked on a schema that it doesn't know")
                }
                // The newer migration is removed, and both daemons go on by themselves.
                try await stage.sql("delete from nudged.migration where number = 9999")
                try await stage.serveAll([running, fresh])
                if stage.acceptedCount == before { stage.fail("no user was left to send to: the round tests nothing") }
            },
        ]
    }

    private static func later(_ stage: Stage, oldest: String) async throws {
        try await stage.sql(
            """
            begin;
            alter table nudged.person add column later_text text default 'x';
            alter table nudged.delivery add column later_text text;
            create table nudged.later (user_id uuid primary key);
            insert into nudged.migration (number, name, checksum, oldest) values (9999, 'later', 1, \(oldest));
            commit
            """
        )
    }

    private static func heard(_ stage: Stage, _ daemon: ChildProcess, _ text: String) async throws {
        try await stage.wait(for: "the line \"\(text)\"") {
            daemon.errorOutput.contains(text) || daemon.exit != nil
        }
        if !daemon.errorOutput.contains(text) { stage.fail("it ended: \(daemon.errorOutput.suffix(1000))") }
    }

    private static func ends(_ stage: Stage, _ arguments: [String], by code: Int32) async throws {
        let process = try stage.start(arguments)
        let exit = try await stage.finish(process)
        if exit != .code(code) {
            stage.fail(
                "nudged \(arguments[0]) ended by \(String(describing: exit)): \(process.errorOutput.suffix(500))"
            )
        }
    }
}
