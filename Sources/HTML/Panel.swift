/// A row of bars over an axis that other panels share. It shows one measure over time or over the hours of a day.
public struct Panel: Sendable {
    /// One bar.
    public struct Bar: Sendable {
        /// The bar's height; all bars of a panel share one unit. 0: no bar is drawn.
        public let value: Double
        /// The tooltip, such as `14:00: 120`.
        public let text: String

        /// Creates a bar.
        public init(_ value: Double, _ text: String) {
            self.value = value
            self.text = text
        }
    }

    /// What the bars count, shown in the upper left corner. Empty if the chart's title says it.
    public let title: String
    /// From left to right, all of one width.
    public let bars: [Bar]
    /// The bars' CSS class, which sets their colour.
    public let paint: StaticString

    /// Creates a panel.
    public init(_ title: String, _ bars: [Bar], paint: StaticString = "bar") {
        self.title = title
        self.bars = bars
        self.paint = paint
    }
}
