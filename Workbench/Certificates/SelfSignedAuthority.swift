import COpenSSL
import Glibc
public import OpenSSL

/// A certificate with its private key, as PEM text.
public struct IssuedCertificate: Sendable {
    public let certificate: String
    public let key: String

    public init(certificate: String, key: String) { (self.certificate, self.key) = (certificate, key) }
}

/// A private certificate authority, for tests, the simulator and the demo.
public final class SelfSignedAuthority: Sendable {
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

    /// Issues a server certificate for DNS names and numeric addresses. Its validity is in seconds from now.
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

/// An unfinished certificate and its new P-256 key. It owns both.
///
/// @unchecked Sendable: its maker shares it only after signing. From then on it is only read.
private final class CertificateDraft: @unchecked Sendable {
    private let certificate: OpaquePointer
    private let key: OpaquePointer

    init(subject: String) throws(TLSError) {
        let key = try newP256Key()
        guard let certificate = X509_new() else {
            EVP_PKEY_free(key)
            throw TLSError(.library, "out of memory for a certificate")
        }
        self.key = key
        self.certificate = certificate
        // The number 2 means version 3 (RFC 5280 section 4.1.2.1).
        X509_set_version(certificate, 2)
        let serial = UInt64.random(in: 1...UInt64(Int64.max))
        ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial)
        X509_set_pubkey(certificate, key)
        let name = Array(subject.utf8.prefix(64))
        // -1 and 0: append as a new relative name (X509_NAME_add_entry_by_txt(3)).
        let count = Int32(name.count)
        X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_UTF8, name, count, -1, 0)
    }

    deinit {
        X509_free(certificate)
        EVP_PKEY_free(key)
    }

    /// `start` and `end` are in seconds from now.
    func setValidity(from start: Int, to end: Int) throws(TLSError) {
        guard X509_gmtime_adj(X509_getm_notBefore(certificate), start) != nil,
            X509_gmtime_adj(X509_getm_notAfter(certificate), end) != nil
        else { throw TLSError(.library, "can't set the validity: \(TLSErrorQueue.text())") }
    }

    /// Adds an extension in the syntax of x509v3_config(5).
    func add(_ kind: Int32, _ value: String, issuer: CertificateDraft) throws(TLSError) {
        var context = X509V3_CTX()
        X509V3_set_ctx(&context, issuer.certificate, certificate, nil, nil, 0)
        guard let made = X509V3_EXT_conf_nid(nil, &context, kind, value) else {
            throw TLSError(.library, "can't add to the certificate: \(value): \(TLSErrorQueue.text())")
        }
        X509_add_ext(certificate, made, -1)
        X509_EXTENSION_free(made)
    }

    func sign(by issuer: CertificateDraft) throws(TLSError) {
        X509_set_issuer_name(certificate, X509_get_subject_name(issuer.certificate))
        guard X509_sign(certificate, issuer.key, EVP_sha256()) > 0 else {
            throw TLSError(.library, "can't sign the certificate: \(TLSErrorQueue.text())")
        }
    }

    func certificateText() throws(TLSError) -> String {
        try pemText("the certificate") { PEM_write_bio_X509($0, certificate) }
    }

    func keyText() throws(TLSError) -> String { try pemText(privateKey: key) }
}
