import Foundation
import TestSupport
import Testing

@testable import HTTPClient

@Suite(.ownThreads, .timeLimit(.minutes(10))) struct CallTests {
    @Test func post_whenAnswered_givesStatusAndBody() async throws {
        let rig = try Rig { _ in HTTPSAct.answer(201, #"{"a":"é"}"#) }
        let response = try await rig.send("{}")
        #expect(response == HTTPResponse(status: 201, body: Array(#"{"a":"é"}"#.utf8)))
        let request = try #require(rig.server.seen.now.requests.first)
        #expect(request.line == "POST \(Rig.path) HTTP/1.1" && request.body == Array("{}".utf8))
        #expect(request.fields["authorization"] == "Bearer \(Rig.token)")
        #expect(request.fields["content-type"] == "application/json")
        #expect(request.fields["accept"] == "application/json" && request.fields["user-agent"] == "nudged")
        #expect(request.fields["accept-encoding"] == nil)
    }

    /// A long body is sent without asking first, and the connection is kept for the next calls.
    @Test func posts_goOverOneConnection() async throws {
        let rig = try Rig()
        #expect(try await rig.send(String(repeating: "x", count: 1_100_000)).status == 200)
        let request = try #require(rig.server.seen.now.requests.first)
        #expect(request.fields["expect"] == nil && request.body.count == 1_100_000)
        for _ in 1..<20 { #expect(try await rig.send().status == 200) }
        #expect(rig.server.seen.now.requests.count == 20 && rig.server.seen.now.accepted == 1)
        // Clients of other tests may be just beginning: theirs hold the signal a moment later.
        #expect(await eventually { Threads.areHolding(signal: 13, named: "http-client") })
    }

    @Test func get_overHTTP_isSent() async throws {
        let rig = try Rig(names: nil) { _ in HTTPSAct.answer(204, "") }
        let response = try await rig.client.send(HTTPRequest(get: rig.url("/beat", scheme: "http", host: "127.0.0.1")))
        #expect(response == HTTPResponse(status: 204, body: []))
        let request = try #require(rig.server.seen.now.requests.first)
        #expect(request.line == "GET /beat HTTP/1.1" && request.fields["authorization"] == nil)
    }

    @Test(arguments: [400, 401, 429, 500, 503]) func status_whateverItSays_isAnAnswer(status: Int) async throws {
        let rig = try Rig { _ in HTTPSAct.answer(status, "planted-words") }
        let response = try await rig.send()
        #expect(response.status == status && "\(response)" == "status \(status), 13 bytes")
    }

    @Test func answer_inSeveralPieces_isWhole() async throws {
        let rig = try Rig { _ in
            [
                .send("HTTP/1.1 103 Word\r\nlink: a\r\n\r\nHTTP/1.1 200 Word\r\ntransfer-encoding: chunked\r\n\r\n"),
                .send("2\r\nab\r\n"), .send("1\r\nc\r\n0\r\ntrailer: d\r\n\r\n"),
            ]
        }
        #expect(try await rig.send() == HTTPResponse(status: 200, body: Array("abc".utf8)))
    }

    @Test func redirect_isNotFollowed() async throws {
        let rig = try Rig { request in
            if request.line.contains("/elsewhere") { return HTTPSAct.answer() }
            return HTTPSAct.answer(307, "", fields: "location: /elsewhere\r\n")
        }
        #expect(try await rig.send().status == 307)
        #expect(rig.server.seen.now.requests.count == 1)
    }

    @Test func connection_whenDeadAtTheNextCall_isReplaced() async throws {
        // The second request of a connection finds it closed: libcurl sends it once more.
        let rig = try Rig { request in
            request.connection == 1 && request.line.hasPrefix("GET") ? [.close] : HTTPSAct.answer()
        }
        #expect(try await rig.send().status == 200)
        #expect(try await rig.client.send(HTTPRequest(get: rig.url())).status == 200)
        #expect(rig.server.seen.now.requests.map(\.connection) == [1, 1, 2])
    }
}

/// What the kernel says of this process's threads.
enum Threads {
    /// Whether there are threads of this name, and all of them block the signal.
    static func areHolding(signal: UInt64, named name: String) -> Bool {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        let statuses = tasks.compactMap { try? String(contentsOfFile: "/proc/self/task/\($0)/status", encoding: .utf8) }
            .filter { $0.hasPrefix("Name:\t\(name)\n") }
        return !statuses.isEmpty
            && statuses.allSatisfy { status in
                let line = status.split(separator: "\n").first { $0.hasPrefix("SigBlk:\t") }
                let mask = line.flatMap { UInt64($0.dropFirst(8), radix: 16) } ?? 0
                return mask >> (signal - 1) & 1 == 1
            }
    }
}
