import APNsSimulator
import Core
import JSON
import Service
import TestSupport
import Testing
import TimeZones

/// A user who travels from Paris to Tokyo, and one whose clocks change, from the SQL calls to what Apple takes. The
/// policy's clock is simulated, and everything else is real.
@Suite(.ownThreads, .timeLimit(.minutes(5))) struct JourneyTests {
    private static let paris = "Europe/Paris"
    private static let tokyo = "Asia/Tokyo"

    /// How a change of the zone reaches the database.
    enum Journey: CaseIterable, Sendable {
        /// The user stays in Paris.
        case stays
        /// The app registers its device again, with the phone's zone.
        case registers
        /// The app's backend writes the profile.
        case writesProfile
    }

    /// A user with a daily check-in, and a daemon whose clock the test turns.
    private struct Traveller {
        let scene: Scene
        let clock: PolicyClock
        let engine: Engine
        /// The zone at the start.
        let home: String
        /// The first day of the test, at least two days ahead: calls refuse what is past.
        let today: String

        /// In Paris, with a check-in at ten.
        init() async throws {
            let scene = try await Scene()
            let today = try scene.sql("select (now() at time zone 'UTC')::date + 2")
            try await self.init(scene, JourneyTests.paris, today, checkIn: "10:00", quiet: ("22:00", "07:00"))
        }

        init(_ scene: Scene, _ home: String, _ today: String, checkIn: String, quiet: (String, String)) async throws {
            try scene.sql(
                """
                create schema auth;
                create function auth.uid() returns uuid language sql stable as $$ select '\(Scene.user(1))'::uuid $$;
                insert into public.context_profiles (user_id, notification_preferences, first_session_complete)
                values ('\(Scene.user(1))', jsonb_build_object(
                    'check_ins_enabled', true, 'frequency', 'daily', 'check_in_time', '\(checkIn)',
                    'quiet_hours_start', '\(quiet.0)', 'quiet_hours_end', '\(quiet.1)'), true)
                """
            )
            clock = PolicyClock(at: try Self.instant(scene, today, "08:00", home))
            engine = try scene.engine(clock: clock)
            self.scene = scene
            self.home = home
            self.today = today
            try register(in: home)
        }

        /// What the phone does at each start of the app.
        func register(in zone: String) throws {
            try scene.sql("select nudged_me.register_device('\(Scene.token(1))', timezone => '\(zone)')")
        }

        /// A reminder and a message for a wall time in the user's own zone.
        func set(on date: String, reminder: String, message: String) throws {
            let user = Scene.user(1)
            try scene.sql(
                """
                select nudged_api.set_reminder('\(user)', 'task', '7', 'Water', '', due_local => '\(date) \(reminder)');
                select (nudged_api.send('\(user)', 'Lunch', '', deliver_local => '\(date) \(message)')).id
                """
            )
        }

        private static func instant(_ scene: Scene, _ date: String, _ time: String, _ zone: String) throws -> Instant {
            let text = try scene.sql(
                "select extract(epoch from (timestamp '\(date) \(time)') at time zone '\(zone)')::bigint"
            )
            return Instant(seconds: try #require(Int64(text)))
        }

        /// The wall time of a zone, on the day of the test or on the next one.
        func instant(_ day: Int, _ time: String, _ zone: String) throws -> Instant {
            try Self.instant(scene, try date(day), time, zone)
        }

        func date(_ day: Int) throws -> String { try scene.sql("select date '\(today)' + \(day)") }

        /// Turns the clock and sweeps until nobody is due. Returns the titles of what Apple took then.
        func titles(at instant: Instant) async throws -> [String] {
            let before = scene.simulator.counts.accepted
            clock.turn(to: instant)
            try await scene.sweep(engine, untilNobodyIsDueAt: "to_timestamp(\(instant.seconds))", atMost: 100)
            var titles: [String] = []
            for push in scene.simulator.snapshot().accepted[before...] {
                #expect(push.token == Scene.token(1))
                titles.append(try JSONValue(parsing: push.payload)["aps"]?["alert"]?["title"]?.text ?? "")
            }
            return titles
        }

        /// The first push also connects the lane. Until it is connected, a push is tried again a second later.
        func connect() async throws {
            try scene.sql("select (nudged_api.send('\(Scene.user(1))', 'First', '', expires_at => 'infinity')).id")
            let start = try instant(0, "08:00", home)
            for second in 0..<3_000 { if try await titles(at: start + Int64(second)) == ["First"] { return } }
            Issue.record("the lane is not connected")
        }
    }

    /// What was set in Paris comes at its hour in the zone where the user is then, once, and at no other hour.
    @Test(arguments: Journey.allCases)
    func nudges_whenTheUserTravels_comeAtTheirHourInTheNewZone(journey: Journey) async throws {
        let user = try await Traveller()
        try await user.connect()
        let ten = try user.instant(0, "10:00", Self.paris)
        #expect(try await user.titles(at: ten - 1) == [])
        #expect(try await user.titles(at: ten) == [Scene.title])

        try user.set(on: try user.date(1), reminder: "11:00", message: "12:30")
        #expect(try await user.titles(at: try user.instant(0, "20:00", Self.paris)) == [])

        switch journey {
        case .stays: break
        case .registers: try user.register(in: Self.tokyo)
        case .writesProfile: try user.scene.sql("update public.context_profiles set timezone = '\(Self.tokyo)'")
        }
        let here = journey == .stays ? Self.paris : Self.tokyo
        #expect(try await user.titles(at: try user.instant(0, "21:30", Self.paris)) == [])

        // Each hour in either zone, and the second before.
        let hours = [("10:00", Scene.title), ("11:00", "Water"), ("12:30", "Lunch")]
        var instants: [Instant] = []
        for (time, _) in hours {
            for zone in [Self.paris, Self.tokyo] {
                let instant = try user.instant(1, time, zone)
                instants += [instant - 1, instant]
            }
        }
        var came: [String] = []
        for instant in instants.sorted() {
            for title in try await user.titles(at: instant) { came.append("\(title) \(instant.rfc3339)") }
        }
        let expected = try hours.map { time, title in
            let instant = try user.instant(1, time, here)
            return "\(title) \(instant.rfc3339)"
        }
        #expect(came == expected)
        let accepted = "select kind, count(*) from nudged.delivery where outcome = 'accepted' group by 1 order by 1"
        #expect(try user.scene.lines(accepted) == ["check_in|2", "message|2", "reminder|1"])
        #expect(try user.scene.sql("select count(*) from nudged.message") == "0")
        #expect(try user.scene.sql("select count(*) from nudged.occurrence") == "0")
        await user.engine.finish()
    }

    /// The hour is past in Tokyo when the phone says where it is: message and reminder go at once.
    @Test func nudges_whenTheirHourIsPastInTheNewZone_comeAtOnce() async throws {
        let user = try await Traveller()
        try await user.connect()
        try user.set(on: user.today, reminder: "15:00", message: "14:00")
        // 16:00 or 17:00 in Tokyo. The check-in of ten o'clock is too late there, and it is not ten in Paris yet.
        let now = try user.instant(0, "09:00", Self.paris)
        #expect(try await user.titles(at: now) == [])
        try user.register(in: Self.tokyo)
        #expect(try await user.titles(at: now + 60).sorted() == ["Lunch", "Water"])
        for time in ["14:00", "15:00"] {
            #expect(try await user.titles(at: try user.instant(0, time, Self.paris)) == [])
        }
        await user.engine.finish()
    }

    /// Check-in, reminder and message of an hour that the clocks skip or show twice: each comes once, at the first
    /// instant that the clocks show the hour or a later one.
    @Test(arguments: ["1 hour", "-1 hour"])
    func nudges_whenClocksChangeAtTheirHour_comeOnce(change: String) async throws {
        let scene = try await Scene()
        // In both zones clocks change between two and three. A call takes an hour of the next 366 days.
        let next = try scene.sql(
            """
            select day - 1, zone
            from generate_series(now()::date + 5, now()::date + 360, interval '1 day') as d (moment)
            cross join lateral (select d.moment::date) as t (day)
            cross join unnest(array['Europe/Berlin', 'Australia/Sydney']) as z (zone)
            where (((day - 1) + time '12:00') at time zone zone) - ((day + time '12:00') at time zone zone)
                = interval '\(change)' - interval '24 hours'
            order by day limit 1
            """
        ).split(separator: "|").map(String.init)
        let user = try await Traveller(scene, next[1], next[0], checkIn: "02:30", quiet: ("00:00", "00:00"))
        try await user.connect()
        try user.set(on: try user.date(1), reminder: "02:30", message: "02:30")
        // Half past one is once, and half an hour later clocks change: to three, or back to two an hour later.
        let first = try user.instant(1, "01:30", user.home) + (change == "1 hour" ? 1_800 : 3_600)
        #expect(try await user.titles(at: first - 1) == [])
        #expect(try await user.titles(at: first).sorted() == ["Lunch", "Water", Scene.title].sorted())
        for later in [1, 1_800, 3_600, 7_200] { #expect(try await user.titles(at: first + Int64(later)) == []) }
        await user.engine.finish()
    }
}
