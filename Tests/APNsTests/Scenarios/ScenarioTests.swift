import APNsSimulator
import Foundation
import HTTP2Server
import TestSupport
import Testing

@testable import APNs

/// `Tests/Reference/scenarios.txt` says what Apple and a sender do, and what is seen then.
@Suite("Scenarios", .ownThreads, .timeLimit(.minutes(10))) struct ScenarioTests {
    struct Chapter: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let lines: [String]
    }

    private static let text = (try? Checkout.text("Tests/Reference/scenarios.txt")) ?? ""

    /// A chapter for each of its `with` lines, whose values stand for `$1`, `$2` and so on.
    static let chapters: [Chapter] =
        text.components(separatedBy: "\n## ").dropFirst().flatMap { chapter -> [Chapter] in
            let lines = chapter.split(separator: "\n").map(String.init)
            let own = lines.dropFirst().filter { !$0.hasPrefix("#") && !$0.hasPrefix("with ") }
            let variants = lines.filter { $0.hasPrefix("with ") }.map { $0.dropFirst(5).components(separatedBy: " & ") }
            return (variants.isEmpty ? [[]] : variants).map { values in
                let title = ([lines[0]] + values).joined(separator: ", ")
                return Chapter(testDescription: title, lines: own.map { fill($0, values) })
            }
        }

    private static func fill(_ line: String, _ values: [String]) -> String {
        let filled = (1...5).reduce(line) { $0.replacing("$\($1)", with: $1 <= values.count ? values[$1 - 1] : "") }
        return filled.trimmingCharacters(in: .whitespaces)
    }

    @Test func file_isWhole() {
        #expect(Self.chapters.count == 79 && Self.chapters.map(\.lines.count).reduce(0, +) == 246)
        let refusals = AnswerTests.rows.filter { [.reject, .ourBug].contains($0.action) }.map { ($0.status, $0.reason) }
        for (status, reason) in refusals + AnswerTests.stopping {
            let marks = ["with \(status) \(reason) & ", "with \(status) & \(reason) & "]
            #expect(marks.contains { Self.text.contains("\n" + $0) }, "no scenario has \(status) \(reason)")
        }
    }

    @Test(arguments: chapters) func scenario_isAsWritten(chapter: Chapter) async throws {
        var play = ScenarioPlay()
        for line in chapter.lines {
            let parts = line.components(separatedBy: " | ")
            for step in parts[0].components(separatedBy: "; ") { try await play.perform(step) }
            guard parts.count > 1 else { continue }
            try #require(parts.count == 2, "\(line)")
            for fact in parts[1].components(separatedBy: "; ") { try await play.expect(fact) }
        }
        #expect(play.isOver, "a scenario ends with its log")
    }
}

/// A scenario while it is played.
private struct ScenarioPlay {
    private struct Unknown: Error { let text: String }

    private struct Rule: Sendable {
        let tags: ClosedRange<UInt64>
        let isForFirst: Bool
        let answer: ScriptedAnswer
    }

    private static let known: Set = [
        "deadline", "first-streams", "in-flight", "no-pongs", "no-updates", "ping-interval", "ping-timeout", "streams",
    ]

    private var rules: [Rule] = []
    private var settings: [String: Int] = [:]
    private var made: ScenarioRig?
    private var payloads: [String: [UInt8]] = [:]
    private var drained: Task<Void, Never>?
    private(set) var isOver = false

    /// Made at the first step that is no setting.
    private mutating func rig() throws -> ScenarioRig {
        if let made { return made }
        let (rules, settings) = (rules, settings)
        func wide(_ name: String) -> Int64? { settings[name].map { Int64($0) } }
        let rig = try ScenarioRig(
            settings: {
                $0.firstStreams = UInt32(settings["first-streams"] ?? 1)
                $0.streams = UInt32(settings["streams"] ?? 1_000)
            },
            server: {
                if settings["no-pongs"] != nil { $0.answersPings = false }
                if settings["no-updates"] != nil { ($0.updatesWindows, $0.connectionWindowSize) = (false, 65_535) }
            },
            configure: {
                $0.maxInFlight = settings["in-flight"] ?? $0.maxInFlight
                $0.client.requestDeadline = wide("deadline") ?? $0.client.requestDeadline
                $0.client.pingInterval = wide("ping-interval") ?? $0.client.pingInterval
                $0.client.pingTimeout = wide("ping-timeout") ?? $0.client.pingTimeout
            }
        ) { tag, attempt in
            rules.first { $0.tags.contains(tag) && (attempt == 1 || !$0.isForFirst) }?.answer
        }
        made = rig
        return rig
    }

    // MARK: What happens

    mutating func perform(_ step: String) async throws {
        let words = step.components(separatedBy: " ")
        let detail = words.dropFirst().joined(separator: " ")
        if words[0] == "set" || words[0] == "apple" { return try prepare(words, step) }
        let rig = try rig()
        switch words[0] {
        case "prime": await rig.prime()
        case "send": try send(detail, rig)
        case "wait": _ = await rig.outcomes(try Self.number(detail))
        case "pass": rig.clock.pass(try Self.time(detail))
        case "wall": rig.clock.stepWall(to: try Self.time(detail))
        case "hold": await rig.hold(try Self.number(detail))
        case "release": rig.simulator.release()
        case "do": rig.simulator.perform(try Self.action(detail))
        case "refuse": rig.simulator.refuseConnections()
        case "allow": try rig.simulator.acceptConnections()
        case "drain":
            let deadline = rig.clock.now + (try Self.time(detail))
            drained = Task { await rig.sender.drain(deadline: deadline) }
        case "drained": await drained?.value
        case "lines":
            let count: Int = try Self.number(detail)
            await rig.told.log.wait { $0.count >= count }
        case "told": await rig.event { $0.line == detail }
        // `until pings 3`, or `3+` for at least so many.
        case "until" where words.count == 3:
            let isLeast = words[2].hasSuffix("+")
            let wanted: Int = try Self.number(words[2].prefix { $0 != "+" })
            await rig.eventually {
                let found = Self.count(of: words[1], rig) ?? -1
                return isLeast ? found >= wanted : found == wanted
            }
        default: throw Unknown(text: step)
        }
    }

    private mutating func prepare(_ words: [String], _ step: String) throws {
        guard made == nil, words.count > 1 else { throw Unknown(text: step) }
        if words[0] == "set" {
            guard Self.known.contains(words[1]) else { throw Unknown(text: step) }
            let value: Int = words.count > 2 ? try Self.number(words[2]) : 1
            settings[words[1]] = value
        } else {
            let isForFirst = words.count > 2 && words[2] == "first"
            let answer = try Self.answer(words.dropFirst(isForFirst ? 3 : 2).joined(separator: " "))
            rules.append(Rule(tags: try Self.tags(words[1]), isForFirst: isForFirst, answer: answer))
        }
    }

    private mutating func send(_ text: String, _ rig: ScenarioRig) throws {
        var pushes: [Push] = []
        for part in text.components(separatedBy: ", ") {
            let words = part.components(separatedBy: " of ")
            for tag in try Self.tags(words[0]) {
                var push = rig.push(tag)
                if words.count > 1 { push.payload = Self.payload(try Self.number(words[1])) }
                payloads[push.token] = push.payload
                pushes.append(push)
            }
        }
        rig.send(pushes)
    }

    // MARK: What is seen

    mutating func expect(_ fact: String) async throws {
        let rig = try rig()
        let name = String(fact.prefix { $0 != " " })
        let detail = String(fact.dropFirst(name.count + 1))
        switch name {
        case "ended":
            var wanted: [String] = []
            for part in detail.components(separatedBy: ", ") {
                let words = part.components(separatedBy: " x")
                wanted += Array(repeating: words[0], count: words.count > 1 ? try Self.number(words[1]) : 1)
            }
            let found = await rig.outcomes(wanted.count).map { Self.text($0) }
            #expect(found == wanted, "\(fact)")
        case "arrivals", "accepted", "tokens":
            let found = name == "arrivals" ? rig.arrivals : name == "accepted" ? rig.accepted : rig.providerTokens
            let wanted = try Self.places(detail)
            #expect(found == wanted, "\(fact)")
        case "all" where detail == "accepted": #expect(rig.accepted == rig.arrivals)
        case "whole":
            for push in rig.simulator.snapshot().accepted {
                let wanted = payloads[push.token] ?? rig.push(1).payload
                #expect(push.payload == wanted)
            }
        case "status": #expect(Self.text(rig.sender.status, now: rig.clock.now) == detail)
        case "advises":
            guard case .stopped(_, let remedy, _) = rig.sender.status else { throw Unknown(text: fact) }
            #expect(remedy.contains(detail))
        case "log", "logged", "begins":
            isOver = true
            let lines = detail.components(separatedBy: " / ")
            if name == "log" { return await rig.expectLog(lines) }
            await rig.end()
            let found = rig.log.map(\.line)
            if name == "logged" { #expect(found.sorted() == lines.sorted()) }
            if name == "begins" { #expect(found.starts(with: lines), "\(found)") }
        default:
            guard let found = Self.count(of: name, rig) else { throw Unknown(text: fact) }
            let wanted: Int = try Self.number(detail)
            #expect(found == wanted, "\(fact)")
        }
    }

    private static func count(of name: String, _ rig: ScenarioRig) -> Int? {
        let (counts, server) = (rig.simulator.counts, rig.simulator.serverCounters)
        let all = [
            "free": rig.sender.freeSlots, "results": rig.resultCount, "held": counts.held, "most-held": counts.mostHeld,
            "requests": counts.requests, "received": rig.simulator.snapshot().received.count, "begun": server.begun,
            "closed": server.closed, "pings": server.pingsReceived, "pongs": server.pongsReceived,
            "resets": server.resetsReceived,
        ]
        return all[name]
    }

    private static func text(_ outcome: PushOutcome) -> String {
        switch outcome {
        case .accepted: return "accepted"
        case .rejected(let status, let reason, let deletes):
            let age =
                switch deletes {
                case nil: ""
                case .olderThanSend: " older than the send"
                case .olderThan(let timestamp): " older than \(timestamp)"
                }
            return "rejected \(status.map { "\($0) " } ?? "")\(reason)\(age)"
        case .suspect(let status, let reason): return "suspect \(status) \(reason)"
        case .delayed(let reason, let status, let retryAfter):
            return "delayed \(status) \(reason)" + (retryAfter.map { " after \($0)" } ?? "")
        case .unsent(let reason): return "unsent \(reason)"
        case .unknown(let reason): return "unknown \(reason)"
        }
    }

    private static func text(_ status: LaneStatus, now: Int64) -> String {
        switch status {
        case .stopped(let reason, _, _): "stopped \(reason)"
        case .backingOff(let until, _): "backs off for \(until - now)"
        default: "\(status)"
        }
    }

    // MARK: Reading

    private static func number<Number: FixedWidthInteger>(_ text: some StringProtocol) throws -> Number {
        guard let number = Number(text) else { throw Unknown(text: String(text)) }
        return number
    }

    /// Milliseconds, or `20min`.
    private static func time(_ text: String) throws -> Int64 {
        guard text.hasSuffix("min") else { return try number(text) }
        return 60_000 * (try number(text.dropLast(3)))
    }

    /// `2`, `2-9`, or `12-` for all from there on.
    private static func tags(_ text: String) throws -> ClosedRange<UInt64> {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false)
        let first: UInt64 = try number(ends[0])
        guard let last = ends.dropFirst().first else { return first...first }
        return first...(last.isEmpty ? .max : try number(last))
    }

    /// `1-4 on 1, 5 on 1 2`.
    private static func places(_ text: String) throws -> [UInt64: [Int]] {
        var places: [UInt64: [Int]] = [:]
        for part in text.components(separatedBy: ", ") {
            let words = part.components(separatedBy: " on ")
            guard words.count == 2 else { throw Unknown(text: part) }
            let numbers: [Int] = try words[1].split(separator: " ").map { try number($0) }
            for tag in try tags(words[0]) { places[tag] = numbers }
        }
        return places
    }

    /// `held > accept`: first the one, then the other.
    private static func answer(_ text: String) throws -> ScriptedAnswer {
        let parts = text.components(separatedBy: " > ")
        let words = parts[0].components(separatedBy: " ")
        let detail = words.dropFirst().joined(separator: " ")
        func next() throws -> ScriptedAnswer { try answer(parts.dropFirst().joined(separator: " > ")) }
        switch words[0] {
        case "accept": return .accept
        case "silence": return .silence
        case "held": return .held(then: try next())
        case "accepted": return .accepted(then: try next())
        case "goaway": return .goAway(.afterThis, reason: detail, then: try next())
        case "do": return .doing(try action(detail), then: try next())
        case "raw" where words.count > 1:
            return .rawBody(status: try number(words[1]), bytes: Array(words.dropFirst(2).joined().utf8))
        case "unfinished" where words.count > 1:
            return .unfinished(status: try number(words[1]), bytes: Array(words.dropFirst(2).joined().utf8))
        // `410 Unregistered at 1788000000123`, `429 TooManyRequests after 30`.
        default:
            let status: Int = try number(words[0])
            switch (words.count, words.dropFirst(2).first) {
            case (2, nil): return .answer(status: status, reason: words[1])
            case (4, "at"): return .answer(status: status, reason: words[1], timestamp: try number(words[3]))
            case (4, "after"): return .answer(status: status, reason: words[1], retryAfter: try number(words[3]))
            default: throw Unknown(text: text)
            }
        }
    }

    private static func action(_ text: String) throws -> ConnectionAction {
        let words = text.components(separatedBy: " ")
        let detail = words.dropFirst().joined(separator: " ")
        switch words[0] {
        case "close": return .close
        case "reset": return .resetTCP
        case "stop-reading": return .stopReading
        case "truncated-frame": return .truncatedFrame
        case "shutdown": return .shutdown(reason: detail)
        case "window": return .window(try number(detail))
        case "connection-window": return .connectionWindow(try number(detail))
        case "HTTP/1.1": return .garbage(Array("\(text)\r\n\r\n".utf8))
        case "bytes": return .garbage(try words.dropFirst().map { try number($0) })
        default: throw Unknown(text: text)
        }
    }

    /// A payload of so many bytes.
    private static func payload(_ count: Int) -> [UInt8] {
        let start = Array("{\"aps\":{},\"x\":\"".utf8)
        return start + Array(repeating: UInt8(ascii: "a"), count: count - start.count - 2) + Array("\"}".utf8)
    }
}
