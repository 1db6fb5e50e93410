import Testing

@testable import Metrics

@Suite struct LoopbackAddressTests {
    @Test(arguments: ["127.0.0.1:9464", "127.255.3.4:1", "[::1]:65535"])
    func address_whenOnlyThisMachineReachesIt(text: String) {
        #expect(LoopbackAddress(text)?.description == text)
    }

    @Test(arguments: [
        "0.0.0.0:9464", "10.0.0.1:9464", "128.0.0.1:9464", "[::]:9464", "[::2]:9464", "::1:9464", "127.0.0.1",
        "127.0.0.1:0",
        "127.0.0.1:65536", "127.0.0.1:", ":9464", "9464", "127.0.0:9464", "127.0.0.1.1:9464", "127.0.0.256:9464",
        "127.0.0.01:9464", "127.0.0.1:09464", "127.0.0.1:+9", "localhost:9464", "metrics.example:9464", "",
        "127.0.0.1:9464 ", "127..0.1:9464",
    ])
    func address_whenItIsNoneOrOthersReachIt(text: String) {
        #expect(LoopbackAddress(text) == nil)
    }
}
