import Glibc
import JSON
import Policy
import Seeded
import TestSupport
import Testing
import TimeZones

struct DecideLineTests {
    private func answer(_ line: String) throws -> JSONValue { try Fixture.answer(line) }

    private static let valid = """
        "id":"x","kind":"message","now":"2026-05-07T12:00:00Z","user_id":"a93db3eb-2346-4f80-a563-f2a9ee7fc5e3",\
        "message":{"title":"SECRETTITLE","body":"SECRETBODY","urgent":false,"expires_at":null},"timezone":"Europe/Berlin"
        """

    /// The valid line with one more member: the last of two equal keys counts.
    private func line(_ member: String) -> String { "{\(Self.valid),\(member)}" }

    @Test func answer_whenValid_hasEveryKey() throws {
        let answer = try answer("{\(Self.valid),\"unknown\":[1]}")
        #expect(answer["action"] == .string("send"))
        #expect(answer["valid_until"] == .string("2026-05-07T20:00:00Z"))
        guard case .array(let steps)? = answer["trace"] else { return fail("no trace") }
        let rules = ["expiry", "paused", "enabled", "devices", "urgency", "zone", "quiet_hours", "caps", "send"]
        #expect(steps.compactMap { $0["rule"] } == rules.map { .string($0) })
        #expect(steps.first { $0["rule"] == .string("zone") }?["facts"]?["offset"] == .int(7200))
        let found = steps.first { $0["rule"] == .string("zone") }?["facts"]?["local_time"]
        #expect(found == .string("2026-05-07T14:00:00"))
    }

    /// Its rules end with the one that lets it pass.
    @Test func answer_whenSilent_isSentWithoutTheRulesThatHoldOthers() throws {
        let message =
            #""message":{"title":"","body":"","urgent":false,"silent":true,"expires_at":"2026-05-07T12:00:09Z"}"#
        let answer = try answer(line(#"\#(message),"preferences":{"muted_until":"never"}"#))
        #expect(answer["reason"] == .string("due") && answer["valid_until"] == .string("2026-05-07T12:00:09Z"))
        guard case .array(let steps)? = answer["trace"] else { return fail("no trace") }
        let found = steps.compactMap { $0["rule"]?.text }
        #expect(found == ["expiry", "paused", "enabled", "devices", "urgency", "silent"])
        #expect(steps.last?["verdict"] == .string("send"))
    }

    /// `Fixtures/decide-fields.tsv` has members, and the field that is wrong. Where none is, the line is decided.
    @Test func answer_whenFieldIsWrong_namesIt() throws {
        let rows = try Fixture.table("decide-fields")
        #expect(rows.count == 71)
        for row in rows {
            let (member, field) = (row[0], row[1])
            let answer = try answer(line(member))
            guard field != "-" else {
                #expect(answer["error"] == nil, "\(member)")
                continue
            }
            guard case .object(let object) = answer, case .string(let error)? = answer["error"] else {
                Issue.record("\(member): \(answer)")
                continue
            }
            #expect(object.members.map(\.key) == ["id", "error"])
            #expect(answer["id"] == (field == "id" ? .null : .string("x")), "\(member)")
            #expect(error.hasPrefix("\(field): found "), "\(member): \(error)")
            #expect(!error.contains("SECRET"), "\(member)")
        }
    }

    @Test(arguments: ["", "{", "[]", "null", "{}", "{\"id\":\"x\"}", "{\"id\":\"x\"", "\u{FEFF}{}"])
    func answer_whenLineIsWrong_isAnError(line: String) throws {
        let answer = try answer(line)
        #expect(answer["error"] != nil && answer["error"] != .null)
        #expect(answer["id"] == (line == "{\"id\":\"x\"}" ? .string("x") : .null))
    }

    @Test func answer_whenInstantsAreExtreme_doesNotTrap() throws {
        let instants = ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "1970-01-01T00:00:00Z"]
        let dates = ["0001-01-01", "9999-12-31"]
        for kind in ["check_in", "message", "reminder"] {
            for frequency in ["daily", "few_times_a_week", "weekly"] {
                for (index, now) in instants.enumerated() {
                    for other in instants {
                        let text = """
                            {\(Self.valid),"kind":"\(kind)","now":"\(now)","since":"\(other)","sent":["\(other)"],"closed":["\(dates[index % 2])"],
                            "check_ins":[{"at":"\(other)","slot":"\(dates[(index + 1) % 2])"}],
                            "preferences":{"check_ins_enabled":true,"frequency":"\(frequency)","max_per_hour":9223372036854775807,"max_per_day":1},
                            "reminder":{"due_at":"\(other)","expires_at":"\(other)","recipient_is_author":true},
                            "rules":{"spread_minutes":1440,"max_staleness_minutes":2880,"quiet_end_jitter_minutes":240,"check_in_time":"23:59"}}
                            """
                        #expect(try answer(text)["error"] == nil)
                    }
                }
            }
        }
    }

    @Test func answer_whenListsAreHuge_ends() throws {
        let days = (0..<20_000).map { "\"\(LocalDate(days: Int32(20_580 + $0)).iso)\"" }.joined(separator: ",")
        let sends = (0..<20_000).map { "\"\(Instant(seconds: 1_778_155_200 - Int64($0)).rfc3339)\"" }.joined(
            separator: ","
        )
        for frequency in ["daily", "few_times_a_week", "weekly"] {
            let preferences =
                "\"preferences\":{\"check_ins_enabled\":true,\"frequency\":\"\(frequency)\",\"max_per_day\":19000}"
            let lists = "\"closed\":[\(days)],\"sent\":[\(sends)]"
            let answer = try answer(line("\"kind\":\"check_in\",\(lists),\(preferences)"))
            #expect(answer["reason"] == .string("not_due"))
            guard case .string(let next)? = answer["next_at"] else { continue }
            #expect(next.hasPrefix("2081"))
        }
    }

    @Test(arguments: Seeds.all) func answer_whenVectorsAreMutated_neverCrashes(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let vectors = try Fixture.vectors().map { Array($0.utf8) }
        let pieces = [
            "null", "-1", "1e999", "9999", "0001-01-01", "\"", "}", "[", "true", "\\ud800", "99999999999999999999",
        ].map { Array($0.utf8) }
        for _ in 0..<4000 {
            var line = random.pick(vectors)
            for _ in 0..<random.int(1...4) {
                let index = random.int(0...line.count - 1)
                switch random.int(0...3) {
                case 0: line[index] = UInt8(random.int(0...255))
                case 1: line.removeSubrange(index..<min(line.count, index + random.int(1...12)))
                case 2: line.insert(contentsOf: random.pick(pieces), at: index)
                default:
                    // A digit for another: most lines stay valid and are decided.
                    if let digit = line[index...].firstIndex(where: { (48...57).contains($0) }) {
                        line[digit] = UInt8(random.int(48...57))
                    }
                }
                if line.isEmpty { line = [32] }
            }
            let answer = try JSONValue(parsing: Fixture.decide.answer(line))
            guard answer["error"] == nil, let now = answer["next_at"], now != .null else { continue }
            #expect(answer["action"] == .string("wait"), "seed \(seed)")
        }
    }

    @Test func answer_whenTheZoneCannotBeReadNow_isAnError() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        // A link to itself: every name below it can be opened by nobody (ELOOP).
        #expect(symlink("Europe", folder.path + "/Europe") == 0)
        let decide = DecideLine(zones: ZoneDatabase(directory: folder.path))
        func ask(_ member: String) throws -> JSONValue { try Fixture.answer(line(member), by: decide) }
        let answer = try ask("\"rules\":{\"default_timezone\":\"UTC\"}")
        #expect(answer["id"] == .string("x") && answer["action"] == nil)
        guard case .string(let error)? = answer["error"] else { return #expect(Bool(false), "\(answer)") }
        #expect(error.contains("Europe/Berlin: Too many levels of symbolic links"))
        // Where no quiet hours are in force, no zone is asked for.
        #expect(try ask("\"rules\":{\"quiet_hours\":null}")["action"] == .string("send"))
    }
}
