import COpenSSL
import Glibc

/// A private certificate authority, for tests, the simulator and the demo.
public final class SelfSignedAuthority: Sendable {
    /// The authority's certificate as PEM text, which clients must trust.
    public let certificate: String
    private let draft: CertificateDraft

    /// Makes a P-256 key and a certificate for it, valid from a day ago for ten years.
    public init(name: String = "nudged test authority") throws(TLSError) {
        let draft = try CertificateDraft(subject: name)
        try draft.setValidity(from: -86_400, to: 3_650 * 86_400)
        try draft.add(NID_basic_constraints, "critical,CA:TRUE", issuer: draft)
        try draft.add(NID_key_usage, "critical,keyCertSign,cRLSign", issuer: draft)
        try draft.add(NID_subject_key_identifier, "hash", issuer: draft)
        try draft.sign(by: draft)
        certificate = try draft.certificateText()
        self.draft = draft
    }

    /// Issues a server certificate for these names.
    ///
    /// - Parameters:
    ///   - names: DNS names and numeric addresses, for the subject alternative name.
    ///   - notBefore: The start of its validity, in seconds from now.
    ///   - notAfter: The end of its validity, in seconds from now. Negative: expired.
    public func issue(
        for names: [String],
        notBefore: Int = -86_400,
        notAfter: Int = 30 * 86_400
    ) throws(TLSError) -> IssuedCertificate {
        let leaf = try CertificateDraft(subject: names.first ?? "leaf")
        try leaf.setValidity(from: notBefore, to: notAfter)
        try leaf.add(NID_basic_constraints, "critical,CA:FALSE", issuer: draft)
        try leaf.add(NID_ext_key_usage, "serverAuth", issuer: draft)
        if !names.isEmpty {
            let alternatives = names.map { (Self.isAddress($0) ? "IP:" : "DNS:") + $0 }.joined(separator: ",")
            try leaf.add(NID_subject_alt_name, alternatives, issuer: draft)
        }
        try leaf.sign(by: draft)
        return IssuedCertificate(certificate: try leaf.certificateText(), key: try leaf.keyText())
    }

    private static func isAddress(_ name: String) -> Bool {
        var bytes = in6_addr()
        return inet_pton(AF_INET, name, &bytes) == 1 || inet_pton(AF_INET6, name, &bytes) == 1
    }
}
