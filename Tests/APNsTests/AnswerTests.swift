import Testing

@testable import APNs

@Suite struct AnswerTests {
    /// Every row of the table of answers.
    static let rows: [(status: Int, reason: String, action: AnswerAction)] = [
        (410, "Unregistered", .deleteToken(timestamp: nil)), (410, "ExpiredToken", .deleteToken(timestamp: nil)),
        (400, "BadDeviceToken", .quarantine), (400, "DeviceTokenNotForTopic", .quarantine),
        (400, "BadCollapseId", .reject), (400, "BadExpirationDate", .reject), (400, "BadMessageId", .reject),
        (400, "BadPriority", .reject), (400, "InvalidPushType", .reject), (400, "MissingDeviceToken", .reject),
        (400, "PayloadEmpty", .reject), (413, "PayloadTooLarge", .reject), (400, "DuplicateHeaders", .ourBug),
        (400, "MissingTopic", .ourBug), (404, "BadPath", .ourBug), (405, "MethodNotAllowed", .ourBug),
        (403, "ExpiredProviderToken", .refreshToken), (403, "UnrelatedKeyIdInToken", .newConnection),
        (429, "TooManyProviderTokenUpdates", .restConnection), (429, "TooManyRequests", .delayDevice(retryAfter: nil)),
        (400, "IdleTimeout", .reconnect), (500, "InternalServerError", .backOff(retryAfter: nil, drains: false)),
        (503, "ServiceUnavailable", .backOff(retryAfter: nil, drains: false)),
        (503, "Shutdown", .backOff(retryAfter: nil, drains: true)),
    ]

    static let stopping: [(status: Int, reason: String)] = [
        (400, "BadTopic"), (400, "TopicDisallowed"), (403, "BadCertificate"), (403, "BadCertificateEnvironment"),
        (403, "Forbidden"), (403, "InvalidProviderToken"), (403, "MissingProviderToken"),
        (403, "BadEnvironmentKeyIdInToken"), (403, "BadEnvironmentKeyInToken"),
    ]

    private func answer(_ status: Int, _ body: String) -> Answer { Answer(status: status, body: Array(body.utf8)) }

    @Test(arguments: rows)
    func action_isTheTables_whenReasonIsKnown(row: (status: Int, reason: String, action: AnswerAction)) {
        #expect(answer(row.status, "{\"reason\":\"\(row.reason)\"}").action == row.action)
    }

    @Test(arguments: stopping)
    func action_stopsTheLaneWithARemedy_whenConfigurationIsRefused(row: (status: Int, reason: String)) {
        guard case .stopLane(let remedy) = answer(row.status, "{\"reason\":\"\(row.reason)\"}").action else {
            Issue.record("\(row) does not stop")
            return
        }
        #expect(remedy.contains("apns.") || remedy.contains("clock"))
    }

    /// Status and reason must fit: else nothing is deleted, stopped or sent again.
    @Test func action_goesByTheClass_whenStatusDoesNotFitTheReason() {
        let known = Self.rows.map { ($0.status, $0.reason) } + Self.stopping.map { ($0.status, $0.reason) }
        for (own, reason) in known {
            for status in [400, 403, 404, 405, 410, 413, 418, 429, 451] where status != own {
                if known.contains(where: { $0 == (status, reason) }) { continue }
                #expect(answer(status, "{\"reason\":\"\(reason)\"}").action == .reject, "\(status) \(reason)")
            }
            #expect(answer(502, "{\"reason\":\"\(reason)\"}").action == .backOff(retryAfter: nil, drains: false))
            #expect(answer(200, "{\"reason\":\"\(reason)\"}").action == .accepted)
        }
    }

    @Test(arguments: [
        "", "<html>410</html>", "{\"reason\":\"Unregistered\"", "{\"reason\":410}", "{\"reason\":null}", "[]", "null",
        "\"Unregistered\"", "{\"reason\":\"unregistered\"}", "{\"Reason\":\"Unregistered\"}",
        "{\"reason\":\"Unregistered\",\"timestamp\":\"1\"}", "{\"reason\":\"Unregistered\",\"timestamp\":-1}",
        "{\"reason\":\"Unregistered\",\"timestamp\":0}", "{\"reason\":\"Unregistered\",\"timestamp\":1.5}",
        "{\"reason\":\"Unregistered\",\"timestamp\":1e30}", "{\"reason\":\"Unregistered\",\"timestamp\":{}}",
        "{\"reason\":\"Unregistered\",\"timestamp\":null}",
    ]) func action_neverDeletes_whenBodyIsGarbled(body: String) {
        #expect(answer(410, body).action == .reject && answer(403, body).action == .reject)
        #expect(answer(503, body).action == .backOff(retryAfter: nil, drains: false))
    }

    @Test func action_neverDeletes_whenBodyIsHugeOrTruncated() {
        let long = "{\"reason\":\"Unregistered\",\"x\":\"" + String(repeating: "y", count: 1 << 20) + "\"}"
        #expect(answer(410, long).action == .reject)
        let whole = Array("{\"reason\":\"Unregistered\"}".utf8)
        #expect(Answer(status: 410, body: whole, isTruncated: true).action == .reject)
        #expect(Answer(status: 410, body: [0xFF, 0xFE, 0x00]).action == .reject)
    }

    @Test func timestamp_isRead_whenMilliseconds() {
        let gone = answer(410, "{\"reason\":\"Unregistered\",\"timestamp\":1788000000123}")
        #expect(gone.action == .deleteToken(timestamp: 1_788_000_000_123))
    }

    @Test(
        arguments: [("7", 7), ("0", 0), ("-1", nil), ("soon", nil), ("Fri, 31 Dec 1999 23:59:59 GMT", nil)]
            as [(String, Int?)]
    ) func retryAfter_isRead_whenSeconds(text: String, seconds: Int?) {
        let body = Array("{\"reason\":\"TooManyRequests\"}".utf8)
        #expect(Answer(status: 429, body: body, retryAfter: text).action == .delayDevice(retryAfter: seconds))
        #expect(Answer(status: 500, body: [], retryAfter: text).action == .backOff(retryAfter: seconds, drains: false))
    }
}
