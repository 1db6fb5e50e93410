import Glibc

/// Makes the first inputs: frames by RFC 9113's layout, answers in Apple's form, the system's own zone files, and texts
/// as an app, a decision service, an operator and PostgreSQL write them.
enum Seeds {
    static func write(_ target: FuzzTarget, to folder: String) {
        for (index, seed) in inputs(of: target).enumerated() { put(seed, folder, index) }
    }

    static func inputs(of target: FuzzTarget) -> [[UInt8]] {
        switch target {
        case .answers: answers
        case .frames: frames
        case .zones: zones
        case .preferences: preferences.map { Array($0.utf8) }
        case .context: contexts
        case .decisions: decisions
        case .yaml: yaml.map { Array($0.utf8) }
        case .scrapes: scrapes.map { input(0x15, $0) }
        case .rows: RowSeeds.all
        case .contents: ContentsTarget.seeds
        }
    }

    private static var zones: [[UInt8]] {
        [
            "UTC", "Europe/Berlin", "Europe/Dublin", "America/New_York", "Africa/Casablanca", "Asia/Kathmandu",
            "Pacific/Apia", "Australia/Lord_Howe", "America/Nuuk",
        ].map { read("/usr/share/zoneinfo/" + $0) }
    }

    private static let preferences = [
        "null", "{}", "[]", "{", "7", "",
        #"{"check_ins_enabled":true,"frequency":"daily"}"#, #"{"smart_enabled":true}"#, #"{"smart_enabled":"yes"}"#,
        #"{"check_ins_enabled":true,"frequency":"weekly","weekday":5,"timezone":"Asia/Tokyo","check_in_time":"09:05"}"#,
        #"{"check_ins_enabled":false,"frequency":"few_times_a_week","quiet_hours_start":"22:00"}"#,
        #"{"check_ins_enabled":true,"frequency":"daily","quiet_hours_start":"22:00","quiet_hours_end":"07:30"}"#,
        #"{"check_ins_enabled":true,"frequency":"daily","priority_keywords":["urgent","a a b","a b","\u7dca\u6025"]}"#,
        #"{"check_ins_enabled":true,"frequency":"daily","max_per_hour":1,"max_per_day":9223372036854775807}"#,
        #"{"check_ins_enabled":true,"frequency":"daily","allow_urgent":false,"messages_enabled":false}"#,
        #"{"check_ins_enabled":true,"frequency":"daily","max_analyses_per_hour":20,"fallback_strategy":"notify_all"}"#,
        #"{"check_ins_enabled":"true","frequency":"hourly","weekday":8,"quiet_hours_end":"24:00","timezone":7}"#,
        #"{"a":[1,2.5e3,-0,1e999],"check_ins_enabled":null,"check_ins_enabled":true,"frequency":"daily","a":1}"#,
        #"{"check_ins_enabled":true,"frequency":"daily","timezone":"../../etc/passwd","theme":{"x":[[[]]]}}"#,
    ]

    private static var contexts: [[UInt8]] {
        let texts = [
            #"{"first_name":"Ann","count":3,"conversation_id":"0f4a1c3e-9b7d-4c2a-8e5f-001122334455","domain":"home"}"#,
            #"{"first_name":" Ann\nBob ","locale":"pt_BR.UTF-8"}"#, #"{"locale":"zh-Hant-TW","first_name":"\u0000"}"#,
            #"{"first_name":"\"\\\ud83d\ude00","domain":"","conversation_id":7}"#, "[]", "{", "",
            "{\"first_name\":\"\(String(repeating: "x", count: 4_000))\"}",
        ]
        let filled = texts.flatMap { text in (0..<4).map { input($0, text) } }
        return filled + [input(0x80, "Hi {first_name}\u{0}{{}} {count}\u{0}\(texts[0])")]
    }

    private static var decisions: [[UInt8]] {
        let texts = [
            #"{"should_notify":true,"priority":"high","reason":"the user is busy"}"#,
            #"{"should_notify":false,"priority":"low","reason":"late","title":"T","body":"B","more":[1]}"#,
            #"{"should_notify":true,"priority":"urgent","reason":"code=482913","title":null,"body":"\u0001\""}"#,
            #"{"should_notify":true,"priority":"medium","reason":"says 'MEET anna, at the Old bridge' now"}"#,
            #"{"should_notify":1,"priority":"normal","reason":"r"}"#, #"{"should_notify":true,"priority":"High"}"#,
            #"{"should_notify":true,"priority":"low","reason":"a\nb\u0000c\u001b[31m\u2028","title":" "}"#,
            "{\"should_notify\":true,\"priority\":\"low\",\"reason\":\"\(String(repeating: "🇫🇷", count: 120))\"}",
            "null", "[]", "{} {}", "",
        ]
        return texts.map { input(0, $0) }
    }

    private static let yaml = [
        "apns:\n  teamId: ABCDE12345\n  keyId: KEY1234567\n  bundleId: com.example.app\n  environment: sandbox\n",
        "apns:\n  apps:\n    - {bundleId: com.example.b, keyId: KEY2345678}\n    - 7\n  maxInFlight: -1\n",
        "policy:\n  quietHours: \"22:00-08:00\"\n  spreadMinutes: 1e3\n  defaultTimezone: none\n",
        "schedule:\n  interval: 500ms\n  batch: 9223372036854775808\n  lease: 0.5h\n",
        "database:\n  url: postgresql://user:planted-password-of-the-database@localhost/app\n  allowInsecure: yes\n",
        "metrics:\n  listen: \"[::1]:9464\"\nmessages:\n  digestTitle: |\n    a\n    b\n  digestBody: >-\n    c\n",
        "apns:\n  privateKey: \"-----BEGIN PRIVATE KEY-----\\nplanted\\n\"\n  endpoint: https://[::1]:443/\n",
        "a: &x 1\nb: *x\n", "a: !!str 1\n", "%TAG ! tag:a,2000:\n--- a\n--- b\n", "? [a]\n: 1\n", "a: 1\na: 2\n",
        "\"\\e[2J\\u202E\": 1\n", "[[[[{a: [", "# only\n", "", "\u{FEFF}a: 1\n", "a: \"open\n", "\ta: b\r\n",
    ]

    private static let scrapes = [
        "GET /metrics HTTP/1.1\r\nHost: localhost:9464\r\nAccept: */*\r\n\r\n", "GET /metrics HTTP/1.0\n\n",
        "HEAD /metrics?x HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", "POST /metrics HTTP/1.1\r\nHost: [::1]:1\r\n\r\nbody",
        "GET http://localhost:9464/metrics HTTP/1.1\r\nHost: x\r\n\r\n", "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n",
        "GET /metrics HTTP/2.0\r\n\r\n", "GET /metrics HTTP/1.1\r\nHost : x\r\n\r\n", "\r\n\r\n", "\u{16}\u{3}\n\n",
        "GET /metrics HTTP/1.1\r\nHost: localhost\r\nlong: \(String(repeating: "a", count: 4_100))\r\n\r\n",
    ]

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

    private static func input(_ head: UInt8, _ text: String) -> [UInt8] { [head] + Array(text.utf8) }

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
