import APNs
import Fixtures
@testable import Core
import Service
import Testing
import TimeZones

@testable import Operator

/// Why a user has no device: each reason of its own.
@Suite struct ExplainedDeviceTests {
    typealias F = PlannerFixture

    /// Less than a day after the refusal.
    private static let now = Instant(seconds: 1_795_140_000)

    private static func devices(_ devices: [Device]) -> [ExplainedDevice] {
        ExplainedDevice.all(
            of: F.user(devices: devices),
            LaneDirectory(standard: F.lane),
            DeviceNames(secret: ""),
            now: now
        )
    }

    private static func device(environment: String? = nil, topic: String? = nil) -> Device {
        Device(token: F.token(1), registeredAt: nil, environment: environment, topic: topic)
    }

    @Test func state_whenNoLaneServesTheDevice_tellsEnvironmentFromApp() {
        let found = Self.devices([
            Self.device(), Self.device(environment: "production"), Self.device(topic: "com.example.other"),
        ])
        #expect(found.map(\.state.name) == ["served", "other_environment", "other_topic"])
        #expect(DeviceGap.all(found, DevicesLeftOut()).isEmpty)
    }

    @Test(arguments: [("suspected", true), ("moved", false)])
    func state_whenTheDeviceIsServedInTheOtherEnvironment_saysSo(state: String, isTried: Bool) {
        let device = Self.device()
        let entry =
            #"[{"device":"\#(PushIdentity.deviceHash(token: device.token))","environment":"sandbox","#
            + #""topic":"com.example.app","at":"2026-11-20T00:00:00Z","reason":"BadDeviceToken","state":"\#(state)"}]"#
        let production = LaneIdentity(environment: "production", topic: F.lane.topic)
        let found = ExplainedDevice.all(
            of: F.user(quarantine: entry, devices: [device]),
            LaneDirectory(standard: F.lane, others: [production]),
            DeviceNames(secret: ""),
            now: Self.now
        )
        #expect(found.map(\.state.name) == [isTried ? "tried" : "moved"])
        #expect(found[0].state.text.contains(" in production"))
        #expect(DeviceGap.all(found, DevicesLeftOut()).isEmpty)
    }

    @Test func gaps_whenNothingIsServed_areToldApart() {
        let found = Self.devices([Self.device(environment: "production"), Self.device(topic: "com.example.other")])
        let gaps = DeviceGap.all(found, DevicesLeftOut(withoutToken: 2, platforms: "android"))
        #expect(gaps.map(\.name) == ["other_environment", "other_topic", "no_token", "left_out"])
        let other = "1 device is of the environment production, which is not configured for com.example.app"
        #expect(gaps.first?.text == other && gaps[2].text == "nudged.device has 2 rows of this user without a token")
        #expect(DeviceGap.all([], DevicesLeftOut()).map(\.name) == ["no_row"])
    }

    @Test func gaps_whenAppleRefusedTheToken_sayThatItMustRegister() {
        let device = ExplainedDevice(
            hash: "aa",
            journalName: "bb",
            lane: F.lane,
            registeredAt: nil,
            state: .init(name: "quarantined")
        )
        let gaps = DeviceGap.all([device], DevicesLeftOut())
        #expect(gaps.map(\.name) == ["quarantined"])
        #expect(gaps.map(\.text) == ["Apple refused the token of 1 device, which must register again"])
    }
}
