import Glibc
import LocalPostgres
import TestSupport
import Testing

/// What a running daemon's memory holds of the signing key's text.
@Suite(.ownThreads, .timeLimit(.minutes(10))) struct SecretMemoryTests {
    /// Only root may look: a daemon is not dumpable.
    @Test(.enabled(if: geteuid() == 0), arguments: [false, true])
    func keysText_whenTheKeyIsParsed_isNotInMemory(isCredential: Bool) async throws {
        let scene = try await Scene()
        try scene.seedDue(1)
        let key = try Scene.certificate.get().providerKey.privateKey
        scene.write(key, to: "apns.privateKey")
        let credential: [String: String?] = ["APNS_PRIVATE_KEY_FILE": nil, "CREDENTIALS_DIRECTORY": scene.folder]
        let process = try scene.start(["run"], isCredential ? credential : [:])
        // A provider token was signed for it.
        #expect(await scene.simulator.waitUntil(accepted: 1))
        let lines = key.split(separator: "\n")
        // The private number is in bytes 36 to 67 (RFC 5915): the end of the first line and the start of the second.
        let parts = [lines[1].suffix(16), lines[2].prefix(26)]
        #expect(try !parts.contains { try Self.holds(process.id, $0) })
        process.signal(SIGHUP)
        #expect(process.waitForOutput(.seconds(60)) { $0.contains("were read again") })
        // The configuration goes just after that line.
        #expect(try await eventually { try !parts.contains { try Self.holds(process.id, $0) } })
        // So the search finds what is there.
        #expect(try Self.holds(process.id, Scene.title[...]))
        try await scene.stop(process)
    }

    /// Whether a process has a text in the memory that it can write to.
    private static func holds(_ process: Int32, _ text: Substring) throws -> Bool {
        let memory = open("/proc/\(process)/mem", O_RDONLY | O_CLOEXEC)
        try #require(memory >= 0)
        defer { close(memory) }
        let wanted = Array(text.utf8)
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        for range in try writable(process) {
            var place = range.lowerBound
            while place < range.upperBound {
                let count = pread(memory, &buffer, min(buffer.count, range.upperBound - place), off_t(place))
                if count <= 0 { break }
                if contains(buffer[..<count], wanted) { return true }
                // The text may begin at the end of this part.
                place += count == buffer.count ? count - wanted.count : count
            }
        }
        return false
    }

    private static func contains(_ bytes: ArraySlice<UInt8>, _ wanted: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return false }
            var place = 0
            while bytes.count - place >= wanted.count,
                let hit = memchr(start + place, Int32(wanted[0]), bytes.count - place - wanted.count + 1)
            {
                if memcmp(hit, wanted, wanted.count) == 0 { return true }
                place = start.distance(to: UnsafeRawPointer(hit)) + 1
            }
            return false
        }
    }

    /// The address ranges that a process can write to (proc(5), maps).
    private static func writable(_ process: Int32) throws -> [Range<Int>] {
        let file = try #require(fopen("/proc/\(process)/maps", "r"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let text = String(decoding: bytes[..<fread(&bytes, 1, bytes.count, file)], as: UTF8.self)
        return text.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ")
            let ends = fields[0].split(separator: "-").compactMap { Int($0, radix: 16) }
            return fields[1].hasPrefix("rw") && ends.count == 2 ? ends[0]..<ends[1] : nil
        }
    }
}
