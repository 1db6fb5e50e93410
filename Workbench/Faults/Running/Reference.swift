import JSON
import LocalPostgres
import TimeZones

/// A second reading of the policy: Tests/Reference/policy_reference.py, written from docs/POLICY.md alone.
struct Reference {
    let script: String
    /// The folder for the file with the questions.
    let folder: String

    private struct Answer: Equatable {
        var sends = false
        var slot = ""
    }

    /// The check-ins that were due between two instants (seconds since 1970). An answer is certain if it is the same at
    /// both ends. Slots last for hours, so it was then the same in between.
    func due(_ people: [FaultRecipient], from start: Int64, to end: Int64) throws -> [Books.Due] {
        let (before, after) = try ask(people, [start, end])
        var due: [Books.Due] = []
        for person in people {
            let answers = [before[person.id], after[person.id]].compactMap(\.self)
            guard answers.count == 2 else { throw FaultError("the reference has no answer for \(person.id)") }
            for slot in Set(answers.filter(\.sends).map(\.slot)) {
                due.append(Books.Due(user: person.id, key: slot, isCertain: answers[0] == answers[1]))
            }
        }
        return due
    }

    private func ask(_ people: [FaultRecipient], _ instants: [Int64]) throws -> ([String: Answer], [String: Answer]) {
        var lines: [String] = []
        for (place, instant) in instants.enumerated() {
            let now = Instant(seconds: instant).rfc3339
            lines += people.map { Self.question($0, id: "\(place)\($0.id)", now: now) }
        }
        let path = "\(folder)/questions.jsonl"
        try SmallFile.write(lines.joined(separator: "\n") + "\n", to: path)
        let process = try ChildProcess(["python3", script], input: .file(path), output: .captured, error: .captured)
        guard process.wait(.seconds(600)) == .code(0) else {
            process.end(9)
            throw FaultError("the reference script failed: \(process.errorOutput.suffix(2000))")
        }
        var answers: [[String: Answer]] = [[:], [:]]
        for line in process.output.split(separator: "\n") {
            let value = try JSONValue(parsing: String(line))
            guard case .string(let id)? = value["id"], case .string(let action)? = value["action"] else { continue }
            var answer = Answer(sends: action == "send")
            if case .string(let slot)? = value["slot"], answer.sends { answer.slot = slot }
            answers[id.hasPrefix("0") ? 0 : 1][String(id.dropFirst())] = answer
        }
        return (answers[0], answers[1])
    }

    private static func question(_ person: FaultRecipient, id: String, now: String) -> String {
        func instant(_ seconds: Int64) -> String { "\"\(Instant(seconds: seconds).rfc3339)\"" }
        let checkIns = person.checkIns.map { #"{"at":\#(instant($0.at)),"slot":"\#($0.slot)"}"# }.joined(separator: ",")
        return #"{"id":"\#(id)","kind":"check_in","now":"\#(now)","user_id":"\#(person.id)","preferences":"#
            + #"\#(person.preferences ?? "null"),"timezone":\#(person.timezone.map { "\"\($0)\"" } ?? "null"),"#
            + #""first_session_complete":\#(person.firstSession),"devices":\#(person.served.count),"#
            + #""since":\#(person.since.map(instant) ?? "null"),"check_ins":[\#(checkIns)],"#
            + #""sent":[\#(person.sent.map(instant).joined(separator: ","))]}"#
    }
}
