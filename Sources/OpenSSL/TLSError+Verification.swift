import COpenSSL

extension TLSError {
    /// The error, with its remedy, for one of OpenSSL's X509_V_ERR codes.
    init(verification code: Int32, host: String) {
        switch code {
        case X509_V_ERR_CERT_HAS_EXPIRED:
            self.init(
                .expired,
                "the certificate of \(host) has expired: renew it there; if it is valid, set this machine's clock"
            )
        case X509_V_ERR_CERT_NOT_YET_VALID:
            self.init(.notYetValid, "the certificate of \(host) is not valid yet: set this machine's clock")
        case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
            self.init(
                .hostMismatch,
                "the host name does not match: the certificate is not for \(host); check the configured host, or issue one for it"
            )
        case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
            X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_CERT_UNTRUSTED, X509_V_ERR_CERT_SIGNATURE_FAILURE:
            self.init(
                .untrusted,
                "the certificate of \(host) is not trusted: install ca-certificates, or name the authority's certificate as the CA file"
            )
        default:
            let reason = X509_verify_cert_error_string(Int(code)).map { String(cString: $0) } ?? "reason \(code)"
            self.init(.refusedCertificate, "the certificate of \(host) was refused: \(reason)")
        }
    }
}
