import Glibc
import Testing

@testable import Systemd

@Suite struct JournalTests {
    /// What a reader of the native protocol finds in a datagram.
    static func fields(_ bytes: [UInt8]) -> [String: [String]] {
        var found: [String: [String]] = [:]
        var rest = bytes[...]
        while let newline = rest.firstIndex(of: 10) {
            let line = rest[..<newline]
            rest = rest[(newline + 1)...]
            if let equals = line.firstIndex(of: 61) {
                found[String(decoding: line[..<equals], as: UTF8.self), default: []]
                    .append(String(decoding: line[(equals + 1)...], as: UTF8.self))
            } else {
                let length = rest.prefix(8).reversed().reduce(0) { $0 << 8 | Int($1) }
                let value = rest.dropFirst(8).prefix(length)
                found[String(decoding: line, as: UTF8.self), default: []].append(String(decoding: value, as: UTF8.self))
                rest = rest.dropFirst(8 + length + 1)
            }
        }
        return found
    }

    private func output(to journald: TestReceiver, level: LogLevel = .trace) -> LogOutput {
        LogOutput(journal: Journal(socketPath: journald.path), descriptor: -1, level: level, now: { 0 })
    }

    @Test func entry_whenLoggedWithMetadata() throws {
        let journald = try TestReceiver()
        let output = output(to: journald)
        output.write(LogLine(.kindsResumed, "sent 3", ["sweep_id": "7", "sent": "3", "last_error": "[a, b]"]))
        let fields = Self.fields(try #require(journald.receive()).bytes)
        let expected = [
            "MESSAGE": "sent 3", "PRIORITY": "5", "SYSLOG_IDENTIFIER": "nudged", "NUDGED_SWEEP_ID": "7",
            "NUDGED_SENT": "3", "NUDGED_LAST_ERROR": "[a, b]", "NUDGED_EVENT": "kinds_resumed",
            "NUDGED_LOGGER": "nudged",
            "MESSAGE_ID": Event.kindsResumed.messageID,
        ]
        for (name, value) in expected { #expect(fields[name] == [value], "\(name)") }
        #expect(output.lost == 0)
    }

    @Test func entry_whenAValueHasNewlinesCantForgeAField() throws {
        let journald = try TestReceiver()
        output(to: journald).write(LogLine(.daemonReady, "first\nPRIORITY=0\n", ["zone": "x\nMESSAGE_ID=forged"]))
        let fields = Self.fields(try #require(journald.receive()).bytes)
        #expect(fields["MESSAGE"] == ["first\nPRIORITY=0\n"])
        #expect(fields["PRIORITY"] == ["6"])
        #expect(fields["NUDGED_ZONE"] == ["x\nMESSAGE_ID=forged"])
        #expect(fields["MESSAGE_ID"] == [Event.daemonReady.messageID])
    }

    @Test func entry_whenItIsTooLargeForADatagram() throws {
        let journald = try TestReceiver()
        let output = output(to: journald)
        let large = String(repeating: "0123456789abcdef", count: 1 << 20)
        output.write(LogLine(.sweep, "large", ["body": large]))
        let datagram = try #require(journald.receive())
        #expect(datagram.bytes.isEmpty)
        let file = try #require(datagram.attachment)
        defer { close(file) }
        // F_GET_SEALS: all four, else journald refuses it.
        #expect(fcntl(file, 1034) == 15)
        let size = lseek(file, 0, SEEK_END)
        var bytes = [UInt8](repeating: 0, count: Int(size))
        #expect(pread(file, &bytes, bytes.count, 0) == bytes.count)
        #expect(Self.fields(bytes)["NUDGED_BODY"] == [large])
        #expect(output.lost == 0)
    }

    @Test func entry_whenJournaldIsGoneIsCounted() throws {
        let gone = Journal(socketPath: "/nonexistent/journal")
        let output = LogOutput(journal: gone, descriptor: -1, level: .info, now: { 0 })
        output.write(LogLine(.sweep, "lost"))
        output.write(LogLine(.providerTokenMinted, "not asked for"))
        output.write(LogLine(.sweep, "lost"))
        #expect(output.lost == 2)
    }

    @Test func entry_whenJournaldIsStoppedComesBack() throws {
        let journald = try TestReceiver()
        let made = Journal(socketPath: journald.path)
        let journal = try #require(made)
        func send(_ text: String) -> Bool { journal.send([("MESSAGE", text)]) }
        var sent = 0
        while sent < 100_000, send("\(sent)") { sent += 1 }
        #expect(sent < 100_000 && !send("full"))
        for expected in 0..<sent {
            #expect(Self.fields(try #require(journald.receive()).bytes)["MESSAGE"] == ["\(expected)"])
        }
        #expect(send("again"))
    }

    @Test func level_whenChanged() throws {
        let journald = try TestReceiver()
        let output = output(to: journald, level: .error)
        output.write(LogLine(.sweep, "not this"))
        output.setLevel(.debug)
        output.write(LogLine(.providerTokenMinted, "this"))
        #expect(Self.fields(try #require(journald.receive()).bytes)["MESSAGE"] == ["this"])
    }

    @Test func connected_whenTheStreamIsOurs() throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        var file = stat()
        fstat(ends[1], &file)
        let ours = "\(file.st_dev):\(file.st_ino)"
        #expect(Journal.isConnected(environment: ["JOURNAL_STREAM": ours], descriptor: ends[1]))
        let other = ["JOURNAL_STREAM": "\(file.st_dev):\(file.st_ino + 1)"]
        #expect(!Journal.isConnected(environment: other, descriptor: ends[1]))
        #expect(!Journal.isConnected(environment: ["JOURNAL_STREAM": "x"], descriptor: ends[1]))
        #expect(!Journal.isConnected(environment: ["JOURNAL_STREAM": ours], descriptor: -1))
        #expect(!Journal.isConnected(environment: [:], descriptor: ends[1]))
    }

    @Test func fieldName_whenTheKeyIsOdd() {
        #expect(Journal.fieldName("sweep_id") == "NUDGED_SWEEP_ID")
        #expect(Journal.fieldName("sweep-7") == "NUDGED_SWEEP_7")
        #expect(Journal.fieldName("a=b\nc") == "NUDGED_A_B_C")
        #expect(Journal.fieldName(String(repeating: "k", count: 100)).utf8.count == 64)
    }
}
