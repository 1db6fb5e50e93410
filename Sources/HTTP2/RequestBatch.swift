/// Requests that are handed over together: texts, and for each request which of them it says under which template.
public struct RequestBatch: Sendable {
    struct Entry: Sendable {
        let tag: UInt64
        /// CLOCK_BOOTTIME milliseconds; `UInt64.max`: no limit.
        let writeBy: UInt64
        /// Which of `templates`.
        let template: Int32
        /// Which of `texts`.
        let text: Int32
    }

    let texts: RequestTexts
    private(set) var entries: [Entry] = []
    private(set) var templates: [RequestTemplate] = []

    /// No requests yet, of these texts.
    public init(_ texts: RequestTexts = RequestTexts()) { self.texts = texts }

    /// These requests.
    public init(_ requests: [Request]) {
        var texts = RequestTexts()
        texts.reserve(texts: requests.count, bytes: requests.reduce(0) { $0 + $1.head.count + $1.body.count })
        for request in requests { texts.append(request) }
        self.init(texts)
        entries.reserveCapacity(requests.count)
        for (index, request) in requests.enumerated() {
            append(text: index, request.template, tag: request.tag, writeBy: request.writeBy)
        }
    }

    /// How many requests there are.
    public var count: Int { entries.count }

    /// The requests' tags.
    public var tags: [UInt64] { entries.map(\.tag) }

    /// Makes room beforehand.
    public mutating func reserve(_ requests: Int) { entries.reserveCapacity(entries.count + requests) }

    /// Adds a request that says text number `index` (from 0); `tag` and `writeBy` are those of `Request`.
    ///
    /// A text with a varying field that the template doesn't have makes a malformed request.
    public mutating func append(text index: Int, _ template: RequestTemplate, tag: UInt64, writeBy: UInt64? = nil) {
        precondition(index >= 0 && index < texts.count, "no such text")
        // Nearly all requests of a batch are of one template.
        if templates.last !== template { templates.append(template) }
        let last = Int32(templates.count - 1)
        entries.append(Entry(tag: tag, writeBy: writeBy ?? .max, template: last, text: Int32(index)))
    }
}
