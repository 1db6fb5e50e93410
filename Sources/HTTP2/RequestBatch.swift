/// Requests that are submitted together: texts, and for each request its text and its template.
public struct RequestBatch: Sendable {
    struct Entry: Sendable {
        let tag: UInt64
        /// Milliseconds of CLOCK_BOOTTIME. `UInt64.max`: no limit.
        let writeBy: UInt64
        /// Index into `templates`.
        let template: Int32
        /// Index into `texts`.
        let text: Int32
    }

    let texts: RequestTexts
    private(set) var entries: [Entry] = []
    private(set) var templates: [RequestTemplate] = []

    /// A batch without requests, for requests with these texts.
    public init(_ texts: RequestTexts = RequestTexts()) { self.texts = texts }

    /// A batch of these requests.
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

    /// Reserves memory for more requests.
    public mutating func reserve(_ requests: Int) { entries.reserveCapacity(entries.count + requests) }

    /// Adds a request with text number `index` (from 0). `tag` and `writeBy` are those of `Request`.
    ///
    /// If the text has a varying field that the template lacks, the request is malformed.
    public mutating func append(text index: Int, _ template: RequestTemplate, tag: UInt64, writeBy: UInt64? = nil) {
        precondition(index >= 0 && index < texts.count, "no such text")
        // Nearly all requests of a batch have the same template.
        if templates.last !== template { templates.append(template) }
        let last = Int32(templates.count - 1)
        entries.append(Entry(tag: tag, writeBy: writeBy ?? .max, template: last, text: Int32(index)))
    }
}
