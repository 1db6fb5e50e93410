import JSON

extension ConfigurationReference {
    /// `{"file", "sections": [{"name", "summary", "keys": [{"name", "value", "default", "required", "secret",
    /// "variable", "summary"}]}]}`. For tools and the manual page.
    package static var json: String {
        var json = JSONWriter()
        json.beginObject()
        json.key("file")
        json.string(ConfigurationLoader.defaultPath)
        json.key("sections")
        json.beginArray()
        for section in sections {
            json.beginObject()
            json.key("name")
            json.string(section.name)
            json.key("summary")
            json.string(section.summary)
            json.key("keys")
            json.beginArray()
            for key in keys(of: section.name) { write(key, to: &json) }
            json.endArray()
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return json.string
    }

    private static func write(_ key: ConfigurationKey, to json: inout JSONWriter) {
        json.beginObject()
        json.key("name")
        json.string(key.name)
        json.key("value")
        json.string(key.expectation)
        json.key("default")
        json.string(key.standard)
        json.key("required")
        json.bool(!key.need.isEmpty)
        json.key("secret")
        json.bool(key.isSecret)
        json.key("variable")
        json.string(key.environmentName)
        json.key("summary")
        json.string(key.summary)
        json.endObject()
    }
}
