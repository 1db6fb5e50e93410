import Testing

@testable import Metrics

@Suite struct ListenAddressTests {
    @Test(
        arguments: [
            ("127.0.0.1:9464", true), ("127.255.3.4:1", true), ("[::1]:65535", true), ("0.0.0.0:9464", false),
            ("10.0.0.1:9464", false), ("128.0.0.1:9464", false), ("[::]:9464", false), ("[::2]:9464", false),
            ("[2001:db8::9]:80", false), ("[::ffff:127.0.0.1]:80", false),
        ]
    )
    func address_isLoopback_ifOnlyThisMachineReachesIt(text: String, isLoopback: Bool) throws {
        let address = try #require(ListenAddress(text))
        #expect(address.description == text && address.isLoopback == isLoopback)
    }

    @Test func address_isShownInItsShortForm() {
        #expect(ListenAddress("[2001:DB8:0::0:9]:80")?.description == "[2001:db8::9]:80")
    }

    @Test(arguments: [
        "::1:9464", "127.0.0.1", "127.0.0.1:0", "127.0.0.1:65536", "127.0.0.1:", ":9464", "9464", "127.0.0:9464",
        "127.0.0.1.1:9464", "127.0.0.256:9464", "127.0.0.01:9464", "127.0.0.1:09464", "127.0.0.1:+9",
        "localhost:9464", "metrics.example:9464", "", "127.0.0.1:9464 ", "127..0.1:9464", "[127.0.0.1]:9464",
        "[::1:9464", "[]:9464", "[fe80::1%lo]:9464", "[::1]9464", "127.0.0.1\0:9464", "[::1\0]:9464", "*:9464",
    ])
    func address_whenItIsNone(text: String) {
        #expect(ListenAddress(text) == nil)
    }
}
