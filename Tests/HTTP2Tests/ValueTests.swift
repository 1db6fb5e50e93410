import CNGHTTP2
import Glibc
import Seeded
import TestSupport
import Testing

@testable import HTTP2
@testable import HTTP2Server

/// The decisions that are values, without threads or sockets.
struct ValueTests {
    private static let template = RequestTemplate(authority: "a", fields: [])

    private func submission(_ requests: [Request]) -> Submission {
        Submission(RequestBatch(requests), Self.template, firstTag: requests.first?.tag ?? 0)
    }

    private func append(_ requests: [Request], to queue: inout RequestQueue) {
        queue.append(submission(requests), 0..<requests.count)
    }

    @Test func queue_keepsOrder_overManyBatches() {
        var queue = RequestQueue()
        var popped: [UInt64] = []
        var tag: UInt64 = 0
        for size in [1, 7, 0, 3] + Array(repeating: 2, count: 300) {
            append((tag..<tag + UInt64(size)).map { Request(tag: $0) }, to: &queue)
            tag += UInt64(size)
            if size == 2, let (submission, slot) = queue.popFirst() { popped.append(submission.tag(slot)) }
        }
        popped += queue.removeAll()
        #expect(popped == Array(0..<tag) && queue.isEmpty)
    }

    /// A wake-up that is lost leaves its thread asleep for a minute.
    @Test(
        arguments: [
            ([EINTR, 0], 2), ([ENOSPC, EINTR, 0], 3), ([EAGAIN], 1), ([0], 1), (Array(repeating: EBADF, count: 20), 8),
        ] as [([Int32], Int)]
    ) func wakeUp_whenItFails_isTriedAgain(errors: [Int32], attempts: Int) {
        var left = errors[...]
        WakeDescriptor.insist { left.removeFirst() }
        #expect(errors.count - left.count == attempts)
    }

    @Test func queue_whenLate_givesThoseAlone() {
        var queue = RequestQueue()
        append([Request(tag: 1, writeBy: 50), Request(tag: 2), Request(tag: 3, writeBy: 10)], to: &queue)
        append([Request(tag: 4, writeBy: 51)], to: &queue)
        #expect(queue.earliestWriteBy == 10)
        #expect(queue.removeLate(boottime: 9).isEmpty)
        #expect(queue.removeLate(boottime: 50) == [1, 3])
        #expect(queue.earliestWriteBy == 51)
        #expect(queue.removeAll() == [2, 4])
        #expect(queue.earliestWriteBy == .max)
    }

    @Test func fields_areKept_asTheConfigurationNames() throws {
        var configuration = ClientConfiguration(host: "a")
        configuration.keptFields = ["retry-after"]
        let session = try #require(ClientSession(configuration: configuration))
        for (name, isKept) in [("retry-after", true), ("retry-afte", false), ("apns-idabcd", false)] {
            #expect(Array(name.utf8).withUnsafeBufferPointer(session.keeps) == isKept)
        }
    }

    @Test func fields_areKeptUpTo8KiB_andTheFirstValueCounts() {
        let content = Response.Content()
        content.add(field: "a", "1")
        content.add(field: "a", "2")
        content.add(field: "b", String(repeating: "x", count: 8_000))
        content.add(field: "c", String(repeating: "x", count: 200))
        #expect(content.headers.mapValues(\.count) == ["a": 1, "b": 8_000] && content.headers["a"] == "1")
    }

    @Test func table_keepsDeadlinesInOrder_whenSlotsAreReused() {
        let table = StreamTable(capacity: 5)
        var slots: [Int] = []
        for number in 1...5 {
            slots.append(table.open(stream: Int32(number), tag: UInt64(number), deadline: UInt64(number) * 10))
        }
        table.close(slots[0])
        table.close(slots[2])
        // The table can't be copied, which the macro would do.
        let nearest = table.nearestDeadline
        #expect(nearest == 20)
        let again = table.open(stream: 9, tag: 9, deadline: 60)
        #expect(again == slots[2])
        let holds = (table.holds(again, stream: 3), table.holds(again, stream: 9))
        #expect(holds == (false, true))
        var order: [UInt64] = []
        while table.first >= 0 {
            order.append(table[Int(table.first)].tag)
            table.close(Int(table.first))
        }
        #expect(order == [2, 4, 5, 9])
        let end = (count: table.count, nearest: table.nearestDeadline)
        #expect(end.count == 0 && end.nearest == nil)
    }

    @Test func output_countsWhatWasOffered() {
        var output = OutputBuffer()
        let bytes = [UInt8](repeating: 1, count: 20_000)
        let fits = bytes.withUnsafeBytes { output.append($0.baseAddress!, $0.count) }
        #expect(fits)
        let before = (output.produced, output.offered)
        #expect(before == (20_000, 0))
        // The buffer can't be copied, which the macro would do.
        func offer(_ output: inout OutputBuffer) -> [Int] { [output.offer().count, Int(output.offered)] }
        let first = offer(&output)
        // Refused by a full socket and offered again: no more than before is in doubt.
        let again = offer(&output)
        output.accept(16_384)
        let rest = offer(&output)
        output.accept(3_616)
        let isEmpty = output.isEmpty
        #expect([first, again, rest] == [[16_384, 16_384], [16_384, 16_384], [3_616, 20_000]])
        #expect(isEmpty)
    }

    @Test func output_whenFull_movesItsRestToTheFront() {
        var output = OutputBuffer()
        let frame = (0..<16_000).map { UInt8(truncatingIfNeeded: $0) }
        for _ in 0..<50 {
            let fits = frame.withUnsafeBytes { output.append($0.baseAddress!, $0.count) }
            #expect(fits)
            while output.isFull { output.accept(output.offer().count) }
        }
        let produced = output.produced
        #expect(produced == 800_000)
        let rest = output.offer()
        #expect(rest.count == Int(produced % 16_384) && rest.elementsEqual(frame.suffix(rest.count)))
    }

    @Test(arguments: Seeds.all) func delays_comeInOrder_andEqualOnesAsInserted(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var queue = DelayQueue<Int>()
        let dues = (0..<300).map { _ in random.next() % 50 }
        for (element, due) in dues.enumerated() { queue.insert(element, due: due) }
        var order: [Int] = []
        for now in UInt64(0)..<50 {
            order += queue.takeDue(now)
            #expect(queue.nextDue ?? .max > now, "seed \(seed)")
        }
        let sorted = dues.enumerated().sorted { ($0.element, $0.offset) < ($1.element, $1.offset) }
        #expect(order == sorted.map(\.offset), "seed \(seed)")
    }

    @Test func fields_whenRepeatedOrAbsent() {
        var fields: HeaderFields = ["a": "1", "bb": "", "a": "2"]
        #expect(fields["a"] == "1" && fields["bb"] == "" && fields["b"] == nil)
        fields.append("big", String(repeating: "x", count: 70_000))
        #expect(fields.count == 3 && fields.all.map(\.value) == ["1", "", "2"])
    }

    /// Without a socket: what was made but never offered is unsent, what was offered is unknown.
    @Test func session_whenAbandoned_tellsUnsentFromUnknown() throws {
        let session = try #require(ClientSession(configuration: ClientConfiguration(host: "a")))
        // An empty SETTINGS frame of the server.
        let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]
        settings.withUnsafeBytes { session.receive($0) }
        #expect(session.capacity == 1_000)
        append([Request(tag: 1, body: [1]), Request(tag: 2)], to: &session.queue)
        session.fill(now: 0)
        session.output.accept(session.output.offer().count)
        append([Request(tag: 3, body: [UInt8](repeating: 3, count: 100)), Request(tag: 4)], to: &session.queue)
        session.fill(now: 0)
        append([Request(tag: 5)], to: &session.queue)
        session.abandon(byUs: false)
        let results = Dictionary(uniqueKeysWithValues: session.completions.map { ($0.tag, $0.result) })
        for tag in UInt64(1)...2 { #expect(results[tag] == .unknown(.connectionLost)) }
        for tag in UInt64(3)...5 { #expect(results[tag] == .unsent(.connectionLost)) }
    }
}
