package import Configuration
package import HTTPClient

/// A service that the operator runs and nudged calls. Its part of the configuration: `decision` or `heartbeat`.
package struct OutsideService {
    private let part: String

    package init(_ part: String) { self.part = part }

    /// The address, if it can be used: over https, or on this machine.
    ///
    /// - Parameter secret: what would be sent to it.
    package func address(_ text: String, secret: (HTTPURL) -> String) throws(ConfigurationFault) -> HTTPURL {
        let remedy = "write https://host/path"
        let url: HTTPURL
        do throws(HTTPClientError) {
            url = try HTTPURL(text)
        } catch { throw ConfigurationFault(key: "\(part).url", what: "\(error)", remedy: remedy) }
        guard url.isEncrypted || url.isLoopback else {
            let local = "http:// is allowed only for this machine (localhost, 127.0.0.1, [::1])"
            throw ConfigurationFault(key: "\(part).url", what: secret(url), remedy: "\(remedy); \(local)")
        }
        return url
    }

    /// - Throws: if the CA file can't be used, or the system can't start a thread.
    package func client(caFile: String?, concurrency: Int, deadline: Duration) throws(ConfigurationFault) -> HTTPClient
    {
        var settings = HTTPClientSettings()
        (settings.caFile, settings.concurrency, settings.deadline) = (caFile, concurrency, deadline)
        do throws(HTTPClientError) {
            return try HTTPClient(settings)
        } catch {
            let key = error.code == .trustFile ? "\(part).caFile" : "\(part).url"
            let remedy = "give a readable file of certificates, or raise the unit's limits"
            throw ConfigurationFault(key: key, what: "\(error)", remedy: remedy)
        }
    }
}
