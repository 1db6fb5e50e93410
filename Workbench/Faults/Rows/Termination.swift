import Glibc
import LocalPostgres
import Seeded

extension Fault {
    static let termination = Fault(name: "sigterm-in-mid-sweep") { plan in
        plan.rounds(quick: 3, full: 20, users: 250, scenery: Scenery(answers: 100...300, inFlight: 40)) { stage in
            let process = try await stage.service(accepting: stage.draw(100) + 5)
            let begin = Moment.now
            try await stage.stop(process)
            let took = begin.elapsed
            // The slowest answer and the time for the database. Not the response time-out: Apple answers.
            if took > 2000 + 5000 { stage.fail("the stop took \(took) ms") }
            let after = stage.taken.all.count { $0.at > begin.at }
            if after > 40 { stage.fail("\(after) pushes after SIGTERM: it went on claiming") }
            let left = try await stage.number("select (\(Stage.openRows)) + (select count(*) from nudged.member)")
            if left != 0 { stage.fail("\(left) intents and memberships are left") }
            stage.recovered(after: took)
        }
    }

    static let badReload = Fault(name: "sighup-with-a-bad-file") { plan in
        plan.once("bad, then good", users: 250, scenery: Scenery(answers: 40...80, inFlight: 8)) { stage in
            let file = stage.folder + "/nudged.yaml"
            try TextFile.write(file, "policy:\n  maxStalenessMinutes: 240\n")
            let process = try stage.start(["run", "--config", file])
            try await stage.awaitAccepted(5, by: process)
            // With the bad files' value in force, most check-ins would be too old to be sent.
            let stale = "policy:\n  maxStalenessMinutes: 1\n"
            let bad = [
                (stale + "  checkInTime: \"25:00\"\n", ["\(file):3", "policy.checkInTime"]),
                (stale + "schedule:\n  interval: [\n", ["\(file):", "the old configuration stays in force"]),
            ]
            for (text, parts) in bad {
                try TextFile.write(file, text)
                process.signal(SIGHUP)
                try await stage.wait(for: "the line about \(parts)") {
                    parts.allSatisfy { process.errorOutput.contains($0) } || process.exit != nil
                }
            }
            try await stage.serveAll([process])
        }
    }
}
