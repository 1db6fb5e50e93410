import Seeded
import Glibc
import LocalPostgres
import TimeZones

extension Fault {
    static let clockSteps = Fault(name: "clock-steps") { plan in
        plan.once("two hours on, back, and back again", users: 1) { stage in
            let database = ZoneDatabase()
            let names = ["UTC", "Asia/Kathmandu", "America/St_Johns", "Pacific/Chatham"]
            let begin = stage.now / 1000
            var sleepers: [SteppedClock.Sleeper] = []
            // Slots from an hour ago to two hours ahead. Half have quiet hours, in half an hour for an hour.
            for place in 0..<plan.pick(quick: 72, full: 170) {
                let name = names[place % names.count]
                guard let zone = try database.zone(named: name) else { continue }
                func minute(_ away: Int) -> Int {
                    zone.localTime(at: Instant(seconds: begin + Int64(away) * 60)).secondOfDay / 60
                }
                let quiet = place % 2 == 0 ? Night(start: minute(30), end: minute(90)) : nil
                sleepers.append(.init(zone: name, minute: minute(-60 + place * 5 % 170), quiet: quiet))
            }
            let clock = try await SteppedClock.start(stage, offset: 0, sleepers)
            // A step makes all leases look ended. Each daemon has 4 s to renew its own.
            let daemons = try (1...2).map { _ in try stage.service(["NUDGED_RENEWAL": "2000"]) }
            try await clock.settle()
            for offset: Int64 in [7200, 0, -7200, 0, 3600, 7200, -7200, 7200] { try await clock.step(to: offset) }
            for daemon in daemons { try await stage.stop(daemon) }
            let counts = try await clock.accepted()
            let missing = sleepers.indices.filter { counts[$0]?.count != 1 }
            if !missing.isEmpty { stage.fail("not sent exactly once: sleepers \(missing)") }
            stage.note("\(sleepers.count) slots, each sent once")
        }
    }

    static let summerTime = Fault(name: "summer-time") { plan in
        [true, false].map { begins in
            plan.round("summer time \(begins ? "begins" : "ends")", users: 1) { stage in
                guard let zone = try ZoneDatabase().zone(named: "Europe/Berlin"),
                    let change = nextChange(of: zone, forward: begins, after: stage.now / 1000)
                else { throw FaultError("no zone files, or no summer time") }
                let date = zone.localDate(at: change)
                let sleepers = (0..<24).flatMap { quarter in
                    [nil, Night(start: 90, end: 195)].map {
                        SteppedClock.Sleeper(zone: "Europe/Berlin", minute: quarter * 15, quiet: $0)
                    }
                }
                let pace = Int64(plan.pick(quick: 30, full: 10) * 60)
                let begin = change.seconds - 3 * 3600 - stage.now / 1000
                let clock = try await SteppedClock.start(stage, offset: begin, sleepers)
                let daemon = try stage.service()
                try await clock.settle()
                for step in 1...(10 * 3600 / pace) { try await clock.step(to: begin + step * pace) }
                try await stage.stop(daemon)
                let sent = try await clock.accepted()
                for (number, sleeper) in sleepers.enumerated() {
                    let slots = sent[number] ?? []
                    let earliest = SteppedClock.earliest(sleeper, date, zone)
                    // The next step may be in quiet hours, an hour longer if clocks go back. Then the slot waits.
                    let quiet = sleeper.quiet.map { Int64($0.end - $0.start) * 60 + 3600 + pace } ?? 0
                    if slots.count != 1 || slots[0].slot != date || slots[0].at >= earliest + quiet + pace + 60 {
                        let late = slots.map { "\($0.slot.iso) \($0.at - earliest) s late" }
                        stage.fail("sleeper \(number), minute \(sleeper.minute): \(late)")
                    }
                }
                stage.note("\(sleepers.count) slots of the night, each sent once and on time")
            }
        }
    }

    /// The next instant, to the hour, at which the zone's clocks go forward or back, within 400 days.
    private static func nextChange(of zone: Zone, forward: Bool, after now: Int64) -> Instant? {
        let hour = now / 3600 * 3600
        return stride(from: hour, to: hour + 400 * 86_400, by: 3600).map(Instant.init(seconds:)).first { at in
            let (before, after) = (zone.offset(at: at - 1), zone.offset(at: at))
            return forward ? after > before : after < before
        }
    }

    static let suspension = Fault(name: "suspended-for-a-day") { plan in
        plan.once("a day", users: 1) { stage in
            guard let zone = try ZoneDatabase().zone(named: "Asia/Tokyo") else { throw FaultError("no zone files") }
            let begin = stage.now / 1000
            // Hours from the start to the slot.
            let hours = [-1, 1, 5, 10, 19]
            let sleepers = (0..<plan.pick(quick: 100, full: 500)).map { place in
                let at = Instant(seconds: begin + Int64(hours[place % hours.count]) * 3600)
                return SteppedClock.Sleeper(zone: "Asia/Tokyo", minute: zone.localTime(at: at).secondOfDay / 60)
            }
            let clock = try await SteppedClock.start(stage, offset: 0, sleepers)
            let daemon = try stage.service()
            try await clock.settle()
            daemon.signal(SIGSTOP)
            try await stage.sql("update faulted.step set seconds = 86400")
            daemon.signal(SIGCONT)
            try await clock.settle()
            try await stage.stop(daemon)
            let all = Dictionary(grouping: try await clock.entries(), by: \.number)
            for number in sleepers.indices {
                let outcomes = (all[number] ?? []).map(\.outcome).sorted()
                // The first kind: today's slot before the sleep, tomorrow's after it. The others are too old by then.
                let hour = hours[number % hours.count]
                let wanted = hour < 0 ? ["accepted", "accepted"] : ["skipped"]
                if outcomes != wanted { stage.fail("slot \(hour) h from the start: \(outcomes)") }
            }
            stage.note("\(sleepers.count) users: fresh slots sent once, stale slots recorded as skipped")
        }
    }

    static let zoneFiles = Fault(name: "zone-files-upgraded") { plan in
        plan.once("an hour further east, broken, and back", users: 1) { stage in
            let zones = stage.folder + "/zones"
            let copy = "mkdir -p '\(zones)/Europe' && cp -L /usr/share/zoneinfo/Europe/Berlin '\(zones)/Europe/'"
            try ChildProcess.run(["sh", "-c", copy])
            guard let zone = try ZoneDatabase().zone(named: "Europe/Berlin") else { throw FaultError("no zone files") }
            let minute = zone.localTime(at: Instant(seconds: stage.now / 1000 + 1800)).secondOfDay / 60
            let all = Array(repeating: SteppedClock.Sleeper(zone: "Europe/Berlin", minute: minute), count: 20)
            let clock = try await SteppedClock.start(stage, offset: 0, all, zones: false)
            let daemon = try stage.service(["TZDIR": zones])
            try await clock.settle()
            // By Berlin's file the slot is half an hour ahead, by Athens' file it was half an hour ago.
            for (source, expected, text) in [
                ("cat /usr/share/zoneinfo/Europe/Berlin", 0, "with the same file"),
                ("cat /usr/share/zoneinfo/Europe/Athens", 20, "with the new file"),
                ("head -c 100 /usr/share/zoneinfo/Europe/Berlin", 20, "with a broken file"),
                ("cat /usr/share/zoneinfo/Europe/Berlin", 20, "with the old file again"),
            ] {
                try await upgrade(clock, daemon, source)
                if stage.taken.count != expected {
                    stage.fail("\(text): \(stage.taken.count) pushes, \(expected) expected")
                }
            }
            let sent = stage.taken.count
            try await clock.step(to: 7200)
            try await stage.stop(daemon)
            if stage.taken.count != sent { stage.fail("a second push for one day") }
        }
    }

    /// Replaces Berlin's whole file, as a package does, and waits until the daemon has read it and done what is due.
    private static func upgrade(_ clock: SteppedClock, _ daemon: ChildProcess, _ source: String) async throws {
        let stage = clock.stage
        let zones = stage.folder + "/zones"
        let replace = "\(source) > '\(zones)/new' && mv '\(zones)/new' '\(zones)/Europe/Berlin'"
        try ChildProcess.run(["sh", "-c", replace])
        let reloads = daemon.errorOutput.ranges(of: "were read again").count
        daemon.signal(SIGHUP)
        try await stage.wait(for: "the reload") {
            daemon.errorOutput.ranges(of: "were read again").count > reloads || daemon.exit != nil
        }
        try await stage.sql("select nudged_api.touch(faulted.id(number)) from faulted.sleeper")
        try await clock.settle()
    }
}
