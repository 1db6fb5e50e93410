import HTTP2

/// Reads the input as steps of a connection: bytes from the server, time, more requests, a socket that accepts
/// little.
///
/// A step is an opcode, a length (two bytes, big endian) and that many bytes.
enum FramesTarget {
    private static let template = RequestTemplate(
        authority: "localhost",
        fields: [("apns-topic", "com.example.App"), ("authorization", "bearer 0123456789")],
        varying: []
    )

    private static var configuration: ClientConfiguration {
        var configuration = ClientConfiguration(host: "localhost")
        configuration.requestDeadline = 1_000
        configuration.maximumStreams = 20
        configuration.maximumBody = 8_192
        configuration.keptFields = ["apns-id", "retry-after"]
        return configuration
    }

    static func run(_ input: UnsafeRawBufferPointer) -> Int32 {
        guard let client = BareClient(configuration: configuration) else { return -1 }
        var books = FrameBooks()
        var submitted: UInt64 = 0
        func submit(_ count: Int) {
            let firstTag = submitted + 1
            var requests = RequestBatch()
            for _ in 0..<count where submitted < 300 {
                submitted += 1
                requests.begin()
                requests.appendPath("/3/device/ab")
                // Every seventh request has no body, every fifth has one that fills windows and records.
                let size = submitted % 7 == 0 ? 0 : submitted % 5 == 0 ? 20_000 : 60
                requests.appendBody { $0.append(contentsOf: repeatElement(0x78, count: size)) }
            }
            client.submit(requests, template, firstTag: firstTag)
        }
        submit(5)
        var now: UInt64 = 1_000
        var place = 0
        var isOpen = true
        var room = Int.max
        while isOpen, place + 3 <= input.count {
            let opcode = input[place] % 8
            let length = min(Int(input[place + 1]) << 8 | Int(input[place + 2]), input.count - place - 3)
            var bytes = UnsafeRawBufferPointer(rebasing: input[(place + 3)..<(place + 3 + length)])
            place += 3 + length
            switch opcode {
            case 4: now += UInt64(bytes.first ?? 1) * 10
            case 5: submit(Int(bytes.first ?? 1) % 32)
            case 6: room = bytes.first.map { Int($0) % 4 } ?? .max
            case 7: client.ping()
            default: break
            }
            if opcode >= 4 { bytes = UnsafeRawBufferPointer(start: nil, count: 0) }
            books.receive(bytes)
            isOpen = client.step(bytes, now: now, room: room) { books.offered($0) }
            books.check(client.completions)
        }
        client.end(byUs: input.count % 2 == 0)
        books.check(client.completions)
        require(books.checked == submitted, "\(submitted) requests, \(books.checked) completions")
        return 0
    }
}
