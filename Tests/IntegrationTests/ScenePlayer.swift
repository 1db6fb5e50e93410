import APNsSimulator
import Foundation
import Glibc
import JSON
import LocalPostgres
import Postgres
import TestSupport
import Testing

/// Plays the steps of a script.
struct ScenePlayer {
    private struct Unknown: Error {
        let step: String
    }
    private struct RolledBack: Error {}

    /// To attempts with tokens that begin so, up to the last one.
    private typealias Answers = [(token: String, last: Int, answer: ScriptedAnswer)]

    /// By the step that says them: `apple` and `production`.
    private var answers: [String: Answers] = [:]
    private var production: SecondApple?
    private var arguments: [String] = []
    private var acts: [HTTPSAct]?
    private var made: Scene?
    private var decision: DecisionScene?
    /// The scene's own one.
    private var cluster: LocalCluster?
    private var settings: [String: String?] = [:]
    private var daemon: ChildProcess?
    /// To be compared with its file at the end.
    private(set) var transcript: Transcript?
    /// A transaction of another session. `end`: nil while it is open, then whether it commits.
    private var other: (end: Observed<Bool?>, task: Task<Void, any Error>)?
    private var names = [
        "text": DecisionScene.text, "words": DecisionScene.answerText, "reminder": Scene.reminderText,
        "topic": Scene.topic, "title": Scene.title, "body": Scene.body,
    ]

    private var scene: Scene { get throws { try #require(made, "no users yet") } }
    private var pushes: [AcceptedPush] { get throws { try scene.simulator.snapshot().accepted } }

    mutating func play(_ step: String) async throws {
        let named = step.prefixMatch(of: #/([a-z]+) = /#)
        let value = try await perform(try filled(named.map { String(step[$0.range.upperBound...]) } ?? step))
        if let named { names[String(named.output.1)] = try #require(value.isEmpty ? nil : value, "\(step)") }
    }

    func end() {
        if daemon != nil { Issue.record("a daemon was not stopped") }
        if other != nil { Issue.record("a transaction was not ended") }
        other?.end.change { $0 = false }
        cluster?.stop()
    }

    /// With users, devices and what was named.
    private func filled(_ step: String) throws -> String {
        try step.replacing(/<([a-z]+)(?: (\d+))?(?: (\d+))?>/) { match -> String in
            let numbers = [match.output.2, match.output.3].map { $0.flatMap { Int($0) } ?? 0 }
            switch match.output.1 {
            case "user": return Scene.user(numbers[0])
            case "device": return Scene.token(numbers[0], numbers[1])
            default: return try #require(names[String(match.output.1)], "\(step)")
            }
        }
    }

    /// Returns what the step gives, to be named.
    private mutating func perform(_ step: String) async throws -> String {
        let (verb, rest) = Self.halves(step)
        switch verb {
        case "apple", "production":
            guard made == nil else { throw Unknown(step: step) }
            let words = rest.split(separator: " ").map(String.init)
            let last = words[1] == "always" ? Int.max : Int(words[1])
            let answer = (words[0], try #require(last, "\(step)"), try Self.answer(words.dropFirst(2)))
            answers[verb, default: []].append(answer)
        case "two-apples":
            let topic = rest.isEmpty ? nil : rest
            let apple = try SecondApple(scene, topic: topic, perDevice: Self.script(answers["production"]))
            (production, arguments) = (apple, ["--config", apple.path])
        case "one-apple": arguments = []
        case "service":
            let isHeld = rest.hasPrefix("held ")
            let (answer, more) = Self.halves(rest.dropFirst(isHeld ? 5 : 0))
            let isKnown = ["true", "false"].contains(answer) || Int(answer) != nil
            guard made == nil, isKnown else { throw Unknown(step: step) }
            let last = Int(answer).map { HTTPSAct.answer($0) } ?? DecisionScene.answer(answer == "true", more)
            let first: [HTTPSAct] = isHeld ? [.hold] : []
            acts = first + last
        case "due" where made != nil: try scene.seedDue(try #require(Int(rest), "\(step)"))
        case "users", "reminded", "due", "unmigrated", "doctored", "daemons-role", "own-cluster":
            try await make(verb, rest.split(separator: " ").compactMap { Int($0) })
        case "members": try scene.everyoneIsMember()
        case "with":
            let parts = rest.split(separator: "=", maxSplits: 1).map(String.init)
            guard !parts[0].contains(" ") else { throw Unknown(step: step) }
            settings.updateValue(parts.count > 1 ? parts[1] : nil, forKey: parts[0])
        case "without": settings[rest] = nil
        case "as":
            let (user, other) = Self.halves(rest)
            let password = other.isEmpty ? Scene.password : other
            let url = try scene.cluster.tcpURL(database: scene.database, user: user, password: password)
            settings["DATABASE_URL"] = url
        case "database":
            let (name, more) = Self.halves(rest)
            let (user, script) = Self.halves(more)
            if !script.isEmpty {
                try scene.cluster.createDatabase(named: name)
                try scene.cluster.sql(script, database: name)
            }
            settings["DATABASE_URL"] = try scene.cluster.tcpURL(database: name, user: user)
        case "sql": return try scene.sql(rest)
        case "accept-all": try scene.acceptAll()
        case "repeat":
            let (count, text) = Self.halves(rest)
            return String(repeating: text, count: try #require(Int(count), "\(step)"))
        case "secret": try scene.secrets.withLock { $0.append(rest) }
        case "rewind": try scene.rewind(where: rest, dueAt: "now()")
        case "size":
            let push = try push(try #require(Int(rest), "\(step)"))
            return "\(push.payload.count)"
        case "tally": return try "\(scene.simulator.snapshot().received.count)"
        case "measure":
            let bytes = try #require(try scene.payloadBytes(), "\(step)")
            return "\(bytes)"
        case "send":
            let (user, what) = Self.halves(rest)
            return try scene.send(try #require(Int(user), "\(step)"), what)
        case "remind":
            let (user, what) = Self.halves(rest)
            return try scene.setReminder(try #require(Int(user), "\(step)"), what)
        case "run": try check(try await once(settings), Self.counted(rest))
        case "dies":
            let failing = settings.merging(["NUDGED_FAIL_POINT": rest]) { $1 }
            #expect(try await once(failing).exit == .signal(SIGKILL), "\(step)")
        case "expire": try scene.expireLeases()
        case "start":
            let fast = settings.merging(["SCHEDULE_INTERVAL": "100ms"]) { own, _ in own }
            daemon = try scene.start(["run"] + arguments, fast)
        case "until": try await scene.wait(for: rest, of: daemon)
        case "asks":
            let service = try #require(decision?.service)
            #expect(await eventually { "\(service.seen.now.requests.count)" == rest }, "\(step)")
        case "answer": try #require(decision?.service).release()
        case "writes":
            let process = try #require(daemon, "\(step)")
            let (count, text) = Self.halves(rest)
            let least = try #require(Int(count), "\(step)")
            #expect(await eventually { process.errorOutput.occurrences(of: text) >= least || process.exit != nil })
            #expect(process.exit == nil, "\(step): \(process.errorOutput)")
        case "hold":
            let connection = try await Connection.open(.parse(url: scene.cluster.url(database: scene.database)))
            let (isHeld, end) = (Observed(false), Observed<Bool?>(nil))
            let task: Task<Void, any Error> = Task {
                do {
                    try await connection.transaction(timeout: .seconds(300)) { transaction in
                        try await transaction.execute(script: rest)
                        isHeld.change { $0 = true }
                        if await end.wait(until: { $0 != nil }) != true { throw RolledBack() }
                    }
                } catch is RolledBack {}
                await connection.close()
            }
            other = (end, task)
            #expect(await eventually(within: .seconds(60)) { isHeld.now }, "\(step)")
        case "commit", "rollback":
            guard let (end, task) = other else { throw Unknown(step: step) }
            end.change { $0 = verb == "commit" }
            try await task.value
            other = nil
        case "reload": try #require(daemon, "\(step)").signal(SIGHUP)
        case "pauses":
            let gate = try scene.folder + "/gate"
            for file in [gate, gate + ".held"] { unlink(file) }
            let held = settings.merging(["NUDGED_FAIL_POINT": "\(rest):hold:\(gate)"]) { $1 }
            let process = try scene.start(["run", "--once", "--json"] + arguments, held)
            // The process says by this file that it holds.
            #expect(await eventually { access(gate + ".held", F_OK) == 0 || process.exit != nil }, "\(step)")
            #expect(process.exit == nil, "\(step): \(process.errorOutput)")
            daemon = process
        case "goes":
            try scene.write("", to: "gate")
            try check(try await scene.finish(try #require(daemon, "\(step)")), Self.counted(rest))
            daemon = nil
        case "held": #expect(try await scene.simulator.wait { "\($0.held)" == rest }, "\(step)")
        case "release": try scene.simulator.release()
        case "arrive":
            let count = try #require(Int(rest), "\(step)")
            #expect(try await scene.simulator.waitUntil(accepted: count), "\(step)")
        case "stop":
            let (more, parts) = Self.parts(rest)
            guard more.isEmpty else { throw Unknown(step: step) }
            try check(try await scene.stop(try #require(daemon, "\(step)")), parts)
            daemon = nil
        case "kill":
            let process = try #require(daemon, "\(step)")
            process.signal(SIGKILL)
            try await scene.finish(process)
            daemon = nil
        case "doctor": try await doctor(rest.split(separator: " | ").map(String.init))
        case "nudged", "await":
            let (line, parts) = Self.parts(rest)
            let command = line.matches(of: /"([^"]*)"|\S+/).map { String($0.output.1 ?? $0.output.0) }
            let time: Duration = verb == "await" ? .seconds(40) : .zero
            let end = ContinuousClock.now + time
            var run = try await scene.nudged(command, settings)
            while try ContinuousClock.now < end && !Self.facts(parts).allSatisfy({ try Self.holds(run, $0) }) {
                run = try await scene.nudged(command, settings)
            }
            try check(run, parts)
            return run.output
        case "transcript":
            let (name, more) = Self.halves(rest)
            transcript = try Transcript(scene, name, masksSpans: more == "spans")
        case "title": try #require(transcript, "\(step)").note(rest)
        case "shows", "findings":
            let transcript = try #require(transcript, "\(step)")
            if verb == "findings" { try await transcript.doctor(settings) }
            for command in rest.split(separator: " && ") { try await transcript.run(String(command), settings) }
        case "apple-key": try DoctorScene.script(scene, key: rest)
        case "file":
            let words = rest.split(separator: " ", maxSplits: 2).map(String.init)
            guard words.count == 3, let mode = mode_t(words[1], radix: 8) else { throw Unknown(step: step) }
            try scene.write(words[2].replacing("\n  ", with: "\n") + "\n", to: words[0], mode: mode)
        case "config": arguments = ["--config", rest]
        case "member":
            let (number, path) = Self.halves(rest)
            let payload = try push(try #require(Int(number), "\(step)")).payload
            let member = try #require(try Self.member(path, of: payload)?.integer, "\(step)")
            return "\(member)"
        default: try expect(step)
        }
        return ""
    }

    private func expect(_ step: String) throws {
        let (verb, rest) = Self.halves(step)
        switch verb {
        case "asked":
            let service = try #require(decision?.service).seen.now
            #expect("\(service.requests.count)" == rest && (rest != "0" || service.accepted == 0), "\(step)")
        case "question":
            let parts = rest.split(separator: " | ").map(String.init)
            let number = try #require(Int(parts[0]), "\(step)")
            let request = try #require(decision?.service.seen.now.requests.dropFirst(number - 1).first, "\(step)")
            for part in parts.dropFirst() { try check(request, part) }
        case "unheard":
            let received = String(decoding: try #require(decision?.service).seen.now.received, as: UTF8.self)
            #expect(!received.contains(rest), "\(step)")
        case "?":
            let parts = rest.split(separator: "\n= ").map(String.init)
            try scene.expect(parts[0], Array(parts.dropFirst()))
        case "closed":
            let users = try scene.states().filter { !$0.value.history.closed.isEmpty }.map(\.key)
            #expect(users == [rest], "\(step)")
        case "closed-slots":
            let slots = try scene.states().values.map { $0.history.closed.map(\.iso).joined(separator: " ") }
            #expect(slots.sorted().joined(separator: ", ") == rest, "\(step)")
        case "taken":
            let (count, token) = Self.halves(rest)
            #expect(try "\(pushes.count { $0.token == token })" == count, "\(step)")
        case "apple-requests": #expect(try "\(scene.simulator.snapshot().received.count)" == rest, "\(step)")
        case "production-requests": #expect(production.map { "\($0.simulator.counts.requests)" } == rest, "\(step)")
        case "received":
            let tokens = try scene.simulator.snapshot().received.map(\.token)
            #expect(tokens.sorted() == rest.split(separator: " ").map(String.init).sorted(), "\(step)")
        case "reached": #expect(try pushes.contains { $0.token == rest }, "\(step)")
        case "gone": try scene.expectGone(rest)
        case "pushes":
            let pushes = try pushes
            let (collapses, ids) = (Set(pushes.map(\.collapseID)).count, Set(pushes.map(\.apnsID)).count)
            let tokens = Set(pushes.map(\.token)).count
            let found = ["pushes": pushes.count, "tokens": tokens, "collapses": collapses, "ids": ids]
            for (name, wanted) in try Self.numbers(step) { #expect(found[name] == wanted, "\(step)") }
        case "collapse":
            let words = rest.split(separator: " as ").map { $0.split(separator: " ").compactMap { Int($0) } }
            let sets = try words.map { try Set($0.map { try push($0).collapseID }) }
            #expect(sets.count == 2 && sets[0] == sets[1], "\(step)")
        case "tokens", "production-tokens":
            let apple = verb == "tokens" ? made?.simulator : production?.simulator
            let tokens = apple?.snapshot().accepted.map(\.token).sorted()
            #expect(tokens == rest.split(separator: " ").map(String.init).sorted(), "\(step)")
        case "badges":
            let found = try pushes.map { try JSONValue(parsing: $0.payload)["aps"]?["badge"]?.integer ?? -1 }
            #expect(found.sorted().map { "\($0)" }.joined(separator: " ") == rest, "\(step)")
        case "history" where rest == "none":
            #expect(try scene.states().values.allSatisfy { $0.history == .init() }, "\(step)")
        case "history":
            let counts = try scene.states().values.map { "\($0.history.sent.count)" }
            #expect(counts.joined(separator: " ") == rest, "it counts once")
        case "template":
            let templates = try scene.states().sorted { $0.key < $1.key }.map { "\($0.value.template ?? 0)" }
            #expect(templates.joined(separator: " ") == rest, "\(step)")
        case "push", "got", "each": try check(verb, rest.split(separator: " | ").map(String.init))
        default: throw Unknown(step: step)
        }
    }

    private func once(_ settings: [String: String?]) async throws -> Scene.Run {
        try await scene.nudged(["run", "--once", "--json"] + arguments, settings)
    }

    private static func script(_ answers: Answers?) -> Scene.Answers? {
        guard let answers else { return nil }
        return { token, attempt in
            answers.first { (token.hasPrefix($0.token) || $0.token == "any") && attempt <= $0.last }?.answer
        }
    }

    private mutating func make(_ kind: String, _ counts: [Int]) async throws {
        let script = Self.script(answers["apple"])
        let devices = counts.count > 1 ? counts[1] : 1
        let scene: Scene
        if let acts {
            let other =
                if kind == "due" {
                    try await DecisionScene(counts[0], perDevice: script) { _ in acts }
                } else {
                    try await DecisionScene.withoutCheckIns(counts[0], perDevice: script) { _ in acts }
                }
            scene = other.scene
            (decision, settings) = (other, other.environment())
            names["service"] = settings["DECISION_URL"] ?? nil
        } else if kind == "daemons-role" {
            let role = try await DoctorScene.daemonsRole()
            scene = role.0
            (cluster, settings) = (role.1, role.2)
        } else if kind == "own-cluster" {
            let own = try LocalCluster(LocalCluster.Options(password: Scene.password))
            cluster = own
            scene = try await Scene(migrated: false, cluster: own, perDevice: script)
        } else if kind == "doctored" {
            scene = try await DoctorScene.scene()
        } else if kind == "unmigrated" {
            scene = try await Scene(migrated: false, perDevice: script)
        } else if kind == "due" {
            scene = try await Scene(perDevice: script)
            try scene.seedDue(counts[0], devices: devices)
        } else {
            scene = try await Scene.withoutCheckIns(counts[0], devices: devices, perDevice: script)
        }
        if kind == "reminded" { try scene.sql("update public.context_profiles set timezone = 'UTC'") }
        scene.secrets.withLock { $0 += [DecisionScene.text, Scene.reminderText, "c0ffee00000000"] }
        names["folder"] = scene.folder
        names["database"] = scene.database
        names["pem"] = try Scene.certificate.get().providerKey.privateKey
        names["server"] = String(scene.simulator.endpoint.dropFirst("https://".count))
        made = scene
    }

    private static func answer(_ words: ArraySlice<String>) throws -> ScriptedAnswer {
        switch words.first {
        case "silence": return .silence
        case "closed": return .closeTCP
        case "accepted": return .accepted(then: try answer(words.dropFirst()))
        case "held": return .held(then: try answer(words.dropFirst()))
        default:
            let status = try #require(words.first.flatMap { Int($0) }, "\(words)")
            let more = words.dropFirst()
            let timestamp = try more.dropFirst().first.map { try #require(Int64($0), "\(words)") }
            return .answer(status: status, reason: try #require(more.first, "\(words)"), timestamp: timestamp)
        }
    }

    private func check(_ run: Scene.Run, _ parts: [String]) throws {
        for part in Self.facts(parts) { #expect(try Self.holds(run, part), "\(part): \(run.text)") }
    }

    /// It ends with 0, unless a part says otherwise.
    private static func facts(_ parts: [String]) -> [String] {
        parts.contains { $0.hasPrefix("exit ") } ? parts : ["exit 0"] + parts
    }

    /// Its exit code, and facts of findings, such as `database.rights level ok`.
    private func doctor(_ parts: [String]) async throws {
        let (run, findings) = try await scene.doctor(settings)
        let exits = parts.filter { $0.hasPrefix("exit ") }
        let all = try DoctorScene.findings(run)
        try check(run, exits)
        for part in parts where !exits.contains(part) {
            let (id, fact) = Self.halves(part)
            let (name, wanted) = Self.halves(fact)
            let finding = findings[id]
            let own = all.filter { $0.id == id }
            guard !wanted.isEmpty || name == "none" || id == "odd" else { throw Unknown(step: part) }
            switch name {
            case _ where id == "odd": #expect(DoctorScene.odd(findings).joined(separator: " ") == fact, "\(run.text)")
            case "none": #expect(!findings.keys.contains(id), "\(run.text)")
            case "level": #expect(finding?.level == wanted, "\(part): \(run.text)")
            case "is": #expect(finding?.found == wanted, "\(run.text)")
            case "says": #expect(finding?.found.contains(wanted) == true, "\(part): \(run.text)")
            case "ends": #expect(finding?.found.hasSuffix(wanted) == true, "\(part): \(run.text)")
            case "fix": #expect(finding?.remedy?.contains(wanted) == true, "\(part): \(run.text)")
            case "exit": #expect(finding.map { "\($0.exit)" } == wanted, "\(part): \(run.text)")
            case "levels": #expect(own.map(\.level).joined(separator: " ") == wanted, "\(part): \(run.text)")
            case "exits": #expect(own.map { "\($0.exit)" }.joined(separator: " ") == wanted, "\(part): \(run.text)")
            case "some": #expect(own.contains { $0.found.contains(wanted) }, "\(part): \(run.text)")
            case "fixes":
                let isSo = own.allSatisfy { $0.remedy?.hasPrefix(wanted) == true }
                #expect(!own.isEmpty && isSo, "\(part): \(run.text)")
            default: throw Unknown(step: part)
            }
        }
    }

    private static func holds(_ run: Scene.Run, _ part: String) throws -> Bool {
        let (how, wanted) = halves(part)
        let isAlone = ["narrow", "folded", "plain", "mute", "quiet"].contains(how)
        guard !wanted.isEmpty || isAlone else { throw Unknown(step: part) }
        let (first, rest) = halves(wanted)
        switch how {
        case "exit" where wanted == "any": return true
        case "exit": return run.exit == .code(Int32(wanted) ?? -1)
        case "number": return run.number(first).map { "\($0)" } == rest
        case "says": return run.output == wanted + "\n"
        case "ends": return run.output.hasSuffix(wanted + "\n")
        case "begins": return run.words.hasPrefix(wanted) && run.output.first?.isWhitespace == false
        case "line": return run.output.contains(wanted + "\n")
        case "lines": return "\(run.output.split(separator: "\n").count)" == wanted
        case "output": return run.output.contains(wanted)
        case "words": return run.words.contains(wanted)
        case "matches": return run.words.contains(try Regex(wanted))
        case "logs": return run.errors.contains(wanted)
        case "spares": return !run.errors.contains(try Regex(wanted))
        case "logged": return "\(run.errors.occurrences(of: rest))" == first
        case "tells": return run.text.contains(wanted)
        case "lacks": return !run.output.contains(wanted) && !run.words.contains(wanted)
        case "hides": return !run.text.contains(wanted)
        case "narrow": return run.output.split(separator: "\n").allSatisfy { $0.count <= 80 }
        case "folded": return run.output.split(separator: "\n").allSatisfy { !$0.dropFirst(80).contains(" ") }
        case "plain": return !run.output.contains("\u{1B}") && !run.errors.contains("\u{1B}")
        case "mute": return run.output.isEmpty
        case "quiet": return run.errors.isEmpty
        default: throw Unknown(step: part)
        }
    }

    /// Which pushes, and what is expected of each.
    private func check(_ verb: String, _ parts: [String]) throws {
        var found = try pushes
        if verb == "each" {
            try #require(!found.isEmpty, "\(parts)")
        } else {
            let number = try #require(Int(parts[0]), "\(parts)")
            found = try verb == "got" ? found.filter { $0.token == Scene.token(number) } : [push(number)]
            try #require(found.count == 1, "\(parts)")
        }
        for push in found {
            for part in parts.dropFirst(verb == "each" ? 0 : 1) { try check(push, part) }
        }
    }

    private func check(_ push: AcceptedPush, _ part: String) throws {
        let (name, wanted) = Self.halves(part)
        guard !wanted.isEmpty || name == "collapsing" else { throw Unknown(step: part) }
        switch name {
        case "token": #expect(push.token == wanted)
        case "topic": #expect(push.topic == wanted)
        case "type": #expect(push.pushType == wanted)
        case "priority": #expect("\(push.priority)" == wanted)
        case "bytes": #expect("\(push.payload.count)" == wanted)
        case "text": #expect(push.text == wanted)
        case "begins": #expect(push.text.hasPrefix(wanted), "\(push.text)")
        case "contains": #expect(push.text.contains(wanted), "\(push.text)")
        case "collapsing": #expect(push.collapseID?.isEmpty == false)
        default: try check(push.payload, part)
        }
    }

    private func check(_ question: HTTPSRequest, _ part: String) throws {
        let (name, wanted) = Self.halves(part)
        switch name {
        case "line": #expect(question.line == wanted)
        case "field":
            let (field, value) = Self.halves(wanted)
            #expect(question.fields[field] == value, "\(part)")
        default: try check(question.body, part)
        }
    }

    /// A member of a document.
    private func check(_ document: [UInt8], _ part: String) throws {
        let (path, wanted) = Self.halves(part)
        guard path.hasPrefix(".") else { throw Unknown(step: part) }
        let expected: JSONValue? = try wanted == "none" ? nil : JSONValue(parsing: wanted)
        let found = try Self.member(path, of: document)
        #expect(found == expected, "\(part): \(String(decoding: document, as: UTF8.self))")
    }

    /// By number, from 1.
    private func push(_ number: Int) throws -> AcceptedPush {
        try #require(try pushes.dropFirst(number - 1).first, "no push \(number)")
    }

    /// Such as `.aps.badge`.
    private static func member(_ path: String, of payload: [UInt8]) throws -> JSONValue? {
        let document: JSONValue? = try JSONValue(parsing: payload)
        return path.split(separator: ".").reduce(document) { $0?[String($1)] }
    }

    private static func halves(_ text: some StringProtocol) -> (String, String) {
        let parts = text.split(separator: " ", maxSplits: 1).map { String($0) }
        return (parts.first ?? "", parts.count > 1 ? parts[1] : "")
    }

    /// The numbers are parts, too.
    private static func counted(_ text: String) -> [String] {
        let (numbers, parts) = parts(text)
        return numbers.split(separator: ", ").map { "number \($0)" } + parts
    }

    /// Such as `sent 1 | logs a | exit 75`: what stands before the first mark, and the others.
    private static func parts(_ text: String) -> (String, [String]) {
        let parts = " \(text)".split(separator: " | ", omittingEmptySubsequences: false).map(String.init)
        return (parts[0].trimmingCharacters(in: .whitespaces), Array(parts.dropFirst()))
    }

    /// Such as `sent 1, rejected 2`.
    private static func numbers(_ text: String) throws -> [String: Int] {
        var numbers: [String: Int] = [:]
        for part in text.split(separator: ", ") {
            let (name, number) = halves(part)
            guard let number = Int(number) else { throw Unknown(step: String(text)) }
            numbers[name] = number
        }
        return numbers
    }
}
