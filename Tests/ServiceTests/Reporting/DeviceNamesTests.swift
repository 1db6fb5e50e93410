import Testing

@testable import Service

@Suite struct DeviceNamesTests {
    @Test func name_isStableAndSaysNothingWithoutTheKey() {
        let (one, other) = (DeviceNames(secret: "key one"), DeviceNames(secret: "key two"))
        let hash = "0123456789abcdef"
        #expect(one.name(hash) == DeviceNames(secret: "key one").name(hash))
        #expect(one.name(hash) != other.name(hash))
        #expect(one.name(hash) != one.name("0123456789abcdee"))
        #expect(one.name(hash).utf8.count == 12 && one.name(hash).allSatisfy(\.isHexDigit))
        #expect(!one.name(hash).contains(hash.prefix(8)))
    }
}
