import APNsSimulator
import TestSupport
import Testing

extension Scene {
    static let reminderText = "planted-reminder-text"

    /// Users who get no check-ins and have no quiet hours.
    static func withoutCheckIns(_ users: Int, devices: Int = 1, perDevice: Answers? = nil) async throws -> Scene {
        let scene = try await Scene(perDevice: perDevice)
        try scene.seedDue(users, devices: devices)
        try scene.setPreferences(#"{"quiet_hours_start": "00:00", "quiet_hours_end": "00:00"}"#)
        return scene
    }

    /// They have a device each, in UTC.
    static func withReminders(_ users: Int, perDevice: Answers? = nil) async throws -> Scene {
        let scene = try await withoutCheckIns(users, perDevice: perDevice)
        try scene.sql("update public.context_profiles set timezone = 'UTC'")
        scene.secrets.withLock { $0.append(Scene.reminderText) }
        return scene
    }

    /// A message; `what` is SQL after the user. Returns its id.
    @discardableResult
    func send(_ user: Int, _ what: String = "'Ann', 'Hello.'") throws -> String {
        try sql("select (nudged_api.send('\(Scene.user(user))', \(what))).id")
    }

    func send(to users: ClosedRange<Int>) throws { for user in users { try send(user) } }

    /// Returns the reminder's id.
    @discardableResult
    func setReminder(_ user: Int, _ more: String = "due_at => now()", subject: String = "7") throws -> String {
        let what = "'task', '\(subject)', 'Water', '\(Scene.reminderText)'"
        return try sql("select id from nudged_api.set_reminder('\(Scene.user(user))', \(what), \(more))")
    }

    /// Everyone of the app is a member of task 7.
    func everyoneIsMember() throws {
        try sql(
            """
            create or replace view nudged.subject_member as
            select 'task'::text as subject_type, '7'::text as subject_id, user_id from public.context_profiles
            """
        )
    }

    /// While a daemon slowly sends what `made` makes, one for each user, a call takes each back, in a transaction of its
    /// own. It is true if it was in time: then nothing arrives. Returns the tokens of users by what it said.
    func takeBack(_ made: String, by call: String, isOwn: Bool = false, until isOver: String) async throws
        -> (inTime: Set<String>, tooLate: Set<String>)
    {
        try sql(
            """
            create table asked (subject text, token text, id uuid, in_time boolean);
            insert into asked (subject, token) select user_id::text, device_token from public.push_tokens
            """
        )
        try sql(made)
        try sql(
            """
            update asked set id = r.id from nudged.reminder r where r.subject_id = asked.subject;
            update asked set id = m.id from nudged.message m where m.user_id::text = asked.subject
            """
        )
        let process = try startFast(["APNS_MAX_IN_FLIGHT": "20", "SCHEDULE_BATCH": "10"])
        #expect(await simulator.waitUntil(accepted: 5))
        try sql(
            """
            do $$
            declare one record;
            begin
                for one in select * from asked order by md5(asked::text) loop
                    \(isOwn ? "perform set_config('request.jwt.claim.sub', one.subject, false);" : "")
                    update asked set in_time = \(call) where token = one.token;
                    commit;
                    perform pg_sleep(0.004);
                end loop;
            end $$
            """
        )
        try await wait(for: isOver, of: process)
        try await stop(process)
        let inTime = Set(try lines("select token from asked where in_time"))
        let tooLate = Set(try lines("select token from asked where not in_time"))
        #expect(try sql("select count(*) from asked") == "\(inTime.count + tooLate.count)")
        #expect(inTime.isDisjoint(with: accepted().keys))
        print("\(inTime.count) in time, \(tooLate.count) too late")
        #expect(!inTime.isEmpty && !tooLate.isEmpty)
        return (inTime, tooLate)
    }

    /// What Apple accepted for a user's first device.
    func payloads(of user: Int) -> [String] {
        simulator.snapshot().accepted.filter { $0.token == Scene.token(user) }.map(\.text)
    }

    /// How long SQL says that the waiting message's payload is.
    func payloadBytes() throws -> Int? {
        let arguments = "title, body, data, urgent, category, thread_id, apns"
        return Int(try sql("select nudged.payload_bytes(\(arguments)) from nudged.message"))
    }

    /// No query finds the text once it ended.
    func expectGone(_ text: String) throws {
        let tables = try lines(
            """
            select format('select %L from %I.%I t where t::text like %L', c.relname, n.nspname, c.relname, '%\(text)%')
            from pg_class c join pg_namespace n on n.oid = c.relnamespace
            where n.nspname in ('nudged', 'public') and c.relkind = 'r'
            """
        )
        #expect(try lines(tables.joined(separator: " union all ")) == [])
    }
}

extension TestDatabase {
    /// Users' preferences, as JSON.
    func setPreferences(_ json: String, where condition: String = "true") throws {
        try sql("update public.context_profiles set notification_preferences = '\(json)' where \(condition)")
    }

    /// Changes them by an operator of SQL and what is right of it.
    func changePreferences(_ change: String, where condition: String = "true") throws {
        let changed = "notification_preferences = notification_preferences \(change)"
        try sql("update public.context_profiles set \(changed) where \(condition)")
    }
}

extension AcceptedPush {
    /// Its payload.
    var text: String { String(decoding: payload, as: UTF8.self) }
}
