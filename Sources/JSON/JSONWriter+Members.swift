extension JSONWriter {
    /// A member; null where there is none.
    package mutating func put(_ key: String, _ text: String?) {
        self.key(key)
        string(text)
    }

    /// A member that is a list.
    package mutating func list<T>(_ key: String, _ items: [T], _ write: (T, inout JSONWriter) -> Void) {
        self.key(key)
        beginArray()
        for item in items { write(item, &self) }
        endArray()
    }
}
