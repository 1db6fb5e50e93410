import Fixtures
import Policy
import TimeZones

@testable import Postgres
@testable import Core

/// The first inputs of `RowsTarget`: answers to claims as PostgreSQL gives them, in the layout of `DrawnResult`.
enum RowSeeds {
    static var all: [[UInt8]] { cells + claims }

    // MARK: Cells

    private static var cells: [[UInt8]] {
        let values: [(PostgresType, [UInt8])] = [
            (.int8, integer(Int64.min)), (.int4, integer(Int32(7))), (.int2, integer(Int16(-1))), (.bool, [1]),
            (.text, Array("text".utf8)), (.jsonb, [1] + Array("{}".utf8)), (.uuid, id(1)), (.date, integer(Int32.max)),
            (.timestamptz, integer(Int64.max)), (.bytea, [0, 255]),
            (.textArray, list(.text, [Array("a".utf8), []])), (.dateArray, list(.date, [integer(Int32.min)])),
            (.timestamptzArray, list(.timestamptz, [integer(Int64(0))])), (.uuidArray, list(.uuid, [])),
            (.int8Array, list(.int8, [integer(Int64(1)), integer(Int64(2))])),
        ]
        return values.map { type, value in
            let place = PostgresType.allCases.firstIndex(of: type) ?? 0
            return [0, UInt8(place), 0] + value
        }
    }

    // MARK: Claims

    private static var claims: [[UInt8]] {
        let retry =
            #"[{"kind":"message","key":"00000000-0000-4000-8000-000000000001","valid_until":null,"version":1,"#
            + #""attempt":2,"left":[{"device":"a","not_before":"2026-11-20T01:00:00Z","repeat":true}]},"#
            + #"{"slot":"2026-11-20","valid_until":"2026-11-20T05:00:00Z","version":1,"attempt":0,"left":[]}]"#
        let quarantine =
            #"[{"device":"a","environment":"sandbox","topic":"com.example.app","at":"2026-11-19T01:00:00Z","#
            + #""registered_at":7,"reason":"BadDeviceToken"}]"#
        let context = #"{"first_name":"Ann","domain":"home","locale":"de"}"#
        let smart = #"{"check_ins_enabled":true,"frequency":"daily","timezone":"Asia/Tokyo","smart_enabled":true}"#
        return [
            claim(people: [person()], profiles: [profile()], devices: [device(1)]),
            claim(
                people: [person(retry: retry, quarantine: quarantine)],
                profiles: [profile(preferences: smart, context: context)],
                devices: [device(1), device(2)],
                messages: [message(1), message(2)],
                templates: [template]
            ),
            claim(
                people: [person()],
                profiles: [profile()],
                devices: [device(1)],
                reminders: [reminder(1), reminder(2, rule: "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR")],
                live: [[cell(id(200))]]
            ),
            claim(people: [person(slot: LocalDate(days: .max))], profiles: [profile(preferences: "{")], devices: []),
            claim(people: [], profiles: [], devices: []),
        ]
    }

    private static func claim(
        people: [[[UInt8]]],
        profiles: [[[UInt8]]],
        devices: [[[UInt8]]],
        messages: [[[UInt8]]] = [],
        reminders: [[[UInt8]]] = [],
        live: [[[UInt8]]] = [],
        templates: [[[UInt8]]] = []
    ) -> [UInt8] {
        var bytes: [UInt8] = [1]
        for rows in [people, profiles, devices, messages, reminders, live, templates] {
            bytes += [UInt8(rows.count), 0xFF, 0, 0]
            for row in rows { bytes += row.joined() }
        }
        return bytes
    }

    private static func person(
        slot: LocalDate = PlannerFixture.date("2026-11-19"),
        retry: String? = nil,
        quarantine: String? = nil
    ) -> [[UInt8]] {
        let sent = PlannerFixture.at("2026-11-19T01:00:00Z")
        let state = UserState(
            fingerprint: 7,
            template: 3,
            history: History(checkIns: [CheckIn(at: sent, slot: slot)], closed: [slot - 1], sent: [sent])
        )
        return [
            user, cell(integer(Int32(5))), cell(integer(Int64(1) << 32)), cell(instant("2026-11-20T01:00:00Z")),
            cell(instant("2026-11-19T02:00:00Z")), cell(instant("2026-11-01T00:00:00Z")), null, text(retry),
            text(quarantine), cell(state.bytes),
        ]
    }

    private static func profile(preferences: String = PlannerFixture.daily, context: String? = nil) -> [[UInt8]] {
        [user, text(preferences), text("Europe/Berlin"), cell([1]), text(context), cell(integer(Int64(100)))]
    }

    private static func device(_ number: Int) -> [[UInt8]] {
        [
            user, text(PlannerFixture.token(number)), cell(instant("2026-01-01T00:00:00Z")), null,
            text("com.example.app"),
        ]
    }

    private static func message(_ number: UInt8) -> [[UInt8]] {
        [
            user, cell(id(number)), cell(instant("2026-11-20T01:20:00Z")), text("Ann"), text("How are you?"),
            text(#"{"n": [1, 2]}"#), text("0f4a1c3e-9b7d-4c2a-8e5f-001122334455"), text("home"), cell([0]),
            text("mention"), null, text("key"), cell(instant("2026-11-21T00:00:00Z")), cell(integer(Int64(2))),
        ]
    }

    private static func reminder(_ number: UInt8, rule: String? = nil) -> [[UInt8]] {
        let due = cell(instant("2026-11-20T01:00:00Z"))
        return [
            user, cell(id(number)), cell(id(200)), user, text("task"), text("7"), text("Water"), text("the plants"),
            rule == nil ? due : null, rule == nil ? null : due, text("Asia/Tokyo"), cell([1]), text(rule),
            cell(integer(Int32(1))), null, due, null, null, due, cell([0]),
        ]
    }

    private static var template: [[UInt8]] {
        [
            cell(integer(Int32(1))), null, text("de"), text("Hallo {first_name}"), text("{{}}"),
            cell(integer(Int32(2))), null,
        ]
    }

    // MARK: Values in PostgreSQL's binary format

    private static var null: [UInt8] { length(DrawnResult.null) }
    private static var user: [UInt8] { length(DrawnResult.user) }

    private static func cell(_ value: [UInt8]) -> [UInt8] { length(value.count) + value }

    private static func text(_ value: String?) -> [UInt8] { value.map { cell(Array($0.utf8)) } ?? null }

    private static func length(_ count: Int) -> [UInt8] { [UInt8(count >> 8), UInt8(count & 0xFF)] }

    private static func id(_ number: UInt8) -> [UInt8] { [0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, number] }

    private static func integer(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }

    private static func instant(_ text: String) -> [UInt8] {
        integer(PlannerFixture.at(text).microseconds - PostgresEpoch.microseconds)
    }

    /// Dimensions, a flag, the element's type; size and lower bound. Then the elements, each with its length.
    private static func list(_ type: PostgresType, _ elements: [[UInt8]]) -> [UInt8] {
        var bytes = integer(Int32(elements.isEmpty ? 0 : 1)) + integer(Int32(0)) + integer(type.rawValue)
        if !elements.isEmpty { bytes += integer(Int32(elements.count)) + integer(Int32(1)) }
        for element in elements { bytes += integer(Int32(element.count)) + element }
        return bytes
    }
}
