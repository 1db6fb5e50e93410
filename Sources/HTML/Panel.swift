/// A row of bars over an axis that other panels share: one measure over time, or over the hours of a day.
public struct Panel: Sendable {
    /// One bar.
    public struct Bar: Sendable {
        /// Its height, in the panel's unit; 0: none is drawn.
        public let value: Double
        /// What a pointer on it is told, such as `14:00: 120`.
        public let words: String

        /// All parts.
        public init(_ value: Double, _ words: String) {
            self.value = value
            self.words = words
        }
    }

    /// What its bars count, in its upper left corner; empty: the chart's own title says it.
    public let title: String
    /// From left to right, each as wide as the others.
    public let bars: [Bar]
    /// The class of its bars: how the style sheet paints them.
    public let paint: StaticString

    /// All parts.
    public init(_ title: String, _ bars: [Bar], paint: StaticString = "bar") {
        self.title = title
        self.bars = bars
        self.paint = paint
    }
}
