import COpenSSL
import Foundation
import JSON
import OpenSSL
import Seeded
import TestSupport
import Testing

@testable import APNs

@Suite struct ProviderTokenScheduleTests {
    typealias Schedule = ProviderTokenSchedule
    static let minute: Int64 = 60_000
    static let epoch: Int64 = 1_788_000_000_000

    /// Two clocks that tests set.
    struct Clocks {
        var now: Int64 = 5_000_000
        var wallOffset: Int64 = epoch
        var wall: Int64 { now + wallOffset }
    }

    private func number(_ outcome: Schedule.Outcome) -> Int? {
        if case .show(let token) = outcome { token.number } else { nil }
    }

    @Test func token_isMadeAnewAtAbout35Minutes_whenUsedFromTheStart() {
        var schedule = Schedule()
        var clocks = Clocks()
        var use: Schedule.Use?
        var changes: [Int64] = []
        let start = clocks.now
        for _ in 0..<(6 * 60) {
            let before = use?.token.number
            _ = schedule.token(for: &use, now: clocks.now, wall: clocks.wall)
            if use?.token.number != before { changes.append((clocks.now - start) / Self.minute) }
            clocks.now += Self.minute
        }
        #expect(changes == [0, 35, 70, 105, 140, 175, 210, 245, 280, 315, 350])
    }

    @Test func token_isKept_whenWallClockIsSlewed() {
        var schedule = Schedule()
        var use: Schedule.Use?
        _ = schedule.token(for: &use, now: 0, wall: Self.epoch)
        let later = 30 * Self.minute
        #expect(number(schedule.token(for: &use, now: later, wall: Self.epoch + later + 20_000)) == 1)
    }

    @Test func nothingIsMade_whenAppleSawTooManyUpdates() {
        var schedule = Schedule()
        var use: Schedule.Use?
        _ = schedule.token(for: &use, now: 0, wall: Self.epoch)
        schedule.forbidMinting(now: 34 * Self.minute)
        var other: Schedule.Use?
        // Due at 35, but forbidden until 54: the old one still serves.
        #expect(number(schedule.token(for: &use, now: 40 * Self.minute, wall: Self.epoch + 40 * Self.minute)) == 1)
        #expect(number(schedule.token(for: &other, now: 50 * Self.minute, wall: Self.epoch + 50 * Self.minute)) == 1)
        #expect(number(schedule.token(for: &use, now: 54 * Self.minute, wall: Self.epoch + 54 * Self.minute)) == 2)
        // First used at 50 and too old at 55: neither shown any longer nor changed before 70.
        let last = schedule.token(for: &other, now: 56 * Self.minute, wall: Self.epoch + 56 * Self.minute)
        #expect(last == .replaceConnection)
    }

    @Test func connectionWaits_whenNoTokenIsLeftWithinTheEmbargo() {
        var schedule = Schedule()
        schedule.forbidMinting(now: 0)
        var use: Schedule.Use?
        #expect(schedule.token(for: &use, now: 1, wall: Self.epoch) == .wait(until: Schedule.embargo))
    }

    /// For random clocks, steps, embargoes and connections the two rules hold at every instant.
    @Test func rules_hold_whateverHappens() {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SplitMix64(seed: seed)
        for _ in 0..<200 {
            var schedule = Schedule()
            var clocks = Clocks()
            var uses: [Schedule.Use?] = [nil, nil, nil]
            for _ in 0..<400 {
                clocks.now += Int64.random(in: 0...(4 * Self.minute), using: &random)
                if Int.random(in: 0..<60, using: &random) == 0 {
                    clocks.wallOffset += Int64.random(in: -120...120, using: &random) * Self.minute
                }
                if Int.random(in: 0..<150, using: &random) == 0 { schedule.forbidMinting(now: clocks.now) }
                if Int.random(in: 0..<100, using: &random) == 0, let current = schedule.current {
                    schedule.expire(current.number)
                    for index in uses.indices where uses[index]?.token == current { uses[index] = nil }
                }
                let index = Int.random(in: 0..<3, using: &random)
                let before = uses[index]
                switch schedule.token(for: &uses[index], now: clocks.now, wall: clocks.wall) {
                case .show(let token):
                    #expect(clocks.now - token.mintedAt < 55 * Self.minute, "seed \(seed)")
                    if let before, before.token != token {
                        #expect(clocks.now - before.since >= 20 * Self.minute, "seed \(seed)")
                    }
                    #expect(uses[index]?.token == token)
                case .replaceConnection:
                    uses[index] = nil
                case .wait(let until):
                    #expect(until > clocks.now, "seed \(seed)")
                }
            }
        }
    }
}

@Suite struct ProviderTokenTests {
    static let pem = GeneratedKey.ellipticCurve(NID_X9_62_prime256v1)

    /// Foundation's decoder, so that ours is not held against itself.
    private func decoded(_ part: Substring) throws -> [UInt8] {
        #expect(!part.contains("=") && !part.contains("+") && !part.contains("/"))
        let text = part.replacing("-", with: "+").replacing("_", with: "/")
        return try Array(#require(Data(base64Encoded: text + String(repeating: "=", count: (4 - text.count % 4) % 4))))
    }

    @Test func token_isAJWTThatVerifies_whenMinted() throws {
        var configuration = SenderConfiguration.test(port: 1, caFile: "")
        configuration.signingKey = try P256SigningKey(pem: Self.pem)
        configuration.teamID = "TEAM\"56789"
        let parts = try configuration.providerToken(issuedAt: 1_788_000_000).split(separator: ".")
        #expect(parts.count == 3)
        let header = try JSONValue(parsing: decoded(parts[0]))
        #expect(header["alg"] == .string("ES256") && header["kid"] == .string("KEY4567890"))
        let claims = try JSONValue(parsing: decoded(parts[1]))
        #expect(claims["iss"] == .string("TEAM\"56789") && claims["iat"] == .int(1_788_000_000))
        let signed = Array("\(parts[0]).\(parts[1])".utf8)
        #expect(try GeneratedKey.verifies(decoded(parts[2]), signed, pem: Self.pem))
    }

    /// RFC 4648, section 10, in the alphabet of section 5.
    @Test(arguments: [
        ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
        ("foobar", "Zm9vYmFy"),
    ]) func base64_equalsTheStandards_whenTextIsAnExample(text: String, expected: String) {
        #expect(SenderConfiguration.base64URL(Array(text.utf8)) == expected)
    }

    @Test func base64_usesTheAlphabetOfURLs_whenBitsAreHigh() {
        #expect(SenderConfiguration.base64URL([0xFB, 0xFF, 0xFE]) == "-__-")
    }
}
