import Glibc

/// Makes the first inputs: frames by RFC 9113's layout, answers in Apple's form, and the system's own zone files.
enum Seeds {
    static func write(_ target: String, to folder: String) {
        switch target {
        case "answers": for (index, seed) in answers.enumerated() { put(seed, folder, index) }
        case "frames": for (index, seed) in frames.enumerated() { put(seed, folder, index) }
        case "zones":
            let names = [
                "UTC", "Europe/Berlin", "Europe/Dublin", "America/New_York", "Africa/Casablanca", "Asia/Kathmandu",
                "Pacific/Apia", "Australia/Lord_Howe", "America/Nuuk",
            ]
            for (index, name) in names.enumerated() { put(read("/usr/share/zoneinfo/" + name), folder, index) }
        default: exit(64)
        }
    }

    private static var answers: [[UInt8]] {
        let bodies = [
            "{\"reason\":\"Unregistered\",\"timestamp\":1788000000123}", "{\"reason\":\"ExpiredToken\"}",
            "{\"reason\":\"BadDeviceToken\"}", "{\"reason\":\"TooManyRequests\"}", "{\"reason\":\"Shutdown\"}",
            "{\"reason\":\"InvalidProviderToken\"}", "{\"reason\":\"BadTopic\"}", "{\"reason\":\"Unregis", "<html>",
            "{\"reason\":\"\\u0055nregistered\",\"timestamp\":-1}", "{\"timestamp\":1e3,\"reason\":null}", "",
        ]
        return bodies.enumerated().map { index, body in
            [UInt8(index), 1, 2] + Array("60".utf8) + Array(body.utf8)
        } + (0..<11).map { [$0, 0, 0] + Array(bodies[0].utf8) }
    }

    private static var frames: [[UInt8]] {
        let settings = frame(4, 0, 0, [0, 3, 0, 0, 0, 10])
        let ack = frame(4, 1, 0, [])
        // :status 200 is entry 8 of HPACK's static table. 410 is a literal with that entry's name (RFC 7541 section
        // 6.2.2).
        let ok = { (stream: UInt8) in frame(1, 5, stream, [0x88]) }
        let gone = { (stream: UInt8) in
            frame(1, 4, stream, [0x08, 3] + Array("410".utf8))
                + frame(0, 1, stream, Array("{\"reason\":\"Unregistered\"}".utf8))
        }
        let begin = bytes(settings) + bytes(ack)
        return [
            begin, begin + bytes(ok(1)) + bytes(ok(3)), begin + bytes(gone(1)) + bytes(gone(5)),
            begin + bytes(ok(1)) + bytes(frame(7, 0, 0, [0, 0, 0, 3, 0, 0, 0, 0] + Array("{\"reason\":\"x\"}".utf8))),
            begin + bytes(frame(7, 0, 0, [0x7F, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0]))
                + bytes(frame(7, 0, 0, [0, 0, 0, 1, 0, 0, 0, 0])),
            begin + bytes(frame(3, 0, 3, [0, 0, 0, 7])) + bytes(frame(3, 0, 5, [0, 0, 0, 2])),
            begin + bytes(frame(6, 0, 0, [1, 2, 3, 4, 5, 6, 7, 8])) + step(7, [0])
                + bytes(frame(6, 1, 0, [0, 0, 0, 0, 0, 0, 0, 0])),
            begin + bytes(frame(8, 0, 0, [0, 1, 0, 0])) + bytes(frame(8, 0, 9, [0, 1, 0, 0])),
            begin + step(5, [20]) + bytes(frame(4, 0, 0, [0, 3, 0, 0, 0, 1, 0, 4, 0, 0, 0, 0])) + step(4, [120]),
            begin + bytes(frame(1, 4, 1, [0x08, 3] + Array("103".utf8))) + bytes(ok(1)) + step(7, [1]),
            step(6, [1]) + begin + bytes(frame(1, 4, 1, [0x88]))
                + bytes(frame(0, 0, 1, [UInt8](repeating: 65, count: 9_000)))
                + bytes(frame(9, 4, 1, [])) + bytes(frame(0xEE, 0, 0, [1])),
        ]
    }

    private static func bytes(_ frame: [UInt8]) -> [UInt8] { step(0, frame) }

    private static func step(_ opcode: UInt8, _ payload: [UInt8]) -> [UInt8] {
        [opcode, UInt8(payload.count >> 8), UInt8(payload.count & 255)] + payload
    }

    private static func frame(_ type: UInt8, _ flags: UInt8, _ stream: UInt8, _ payload: [UInt8]) -> [UInt8] {
        [0, UInt8(payload.count >> 8), UInt8(payload.count & 255), type, flags, 0, 0, 0, stream] + payload
    }

    private static func read(_ path: String) -> [UInt8] {
        guard let file = fopen(path, "r") else { return [] }
        defer { fclose(file) }
        var content = [UInt8](repeating: 0, count: 65_536)
        return Array(content[..<fread(&content, 1, content.count, file)])
    }

    private static func put(_ content: [UInt8], _ folder: String, _ index: Int) {
        guard !content.isEmpty, let file = fopen("\(folder)/seed-\(index)", "w") else { return }
        defer { fclose(file) }
        fwrite(content, 1, content.count, file)
    }
}
