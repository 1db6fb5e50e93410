import Testing
import TimeZones

@Suite struct InstantHTTPDateTests {
    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z"),
        ("Sat, 01 Jan 2000 00:00:00 GMT", "2000-01-01T00:00:00Z"),
        ("Tue, 29 Feb 2028 23:59:59 GMT", "2028-02-29T23:59:59Z"),
        ("Sat, 31 Dec 2016 23:59:60 GMT", "2017-01-01T00:00:00Z"),
    ])
    func instant_whenItIsAnIMFFixdate_isRead(text: String, expected: String) {
        #expect(Instant(httpDate: text) == Instant(rfc3339: expected))
    }

    /// The two old forms of RFC 9110, and what is none.
    @Test(arguments: [
        "", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 06 nov 1994 08:49:37 GMT", "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
        "Sun, 06 Nov 1994 08:49:37  GMT",
        "Sun, 06 Nov 1994 08:49:37 GMT ", "Sun, 06 Nov 19945 08:49:37 GMT", "Sun, 06 Nov 1994 08:61:60 GMT",
    ])
    func instant_whenItIsNot_isNil(text: String) {
        #expect(Instant(httpDate: text) == nil)
    }
}
