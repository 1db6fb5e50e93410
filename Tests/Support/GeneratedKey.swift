import COpenSSL

package enum GeneratedKey {
    package static func ellipticCurve(_ nid: Int32) -> String {
        pem(of: EVP_PKEY_EC) { context in
            EVP_PKEY_keygen_init(context)
            EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, nid)
        }
    }

    package static func rsa() -> String {
        pem(of: EVP_PKEY_RSA) { context in
            EVP_PKEY_keygen_init(context)
            EVP_PKEY_CTX_set_rsa_keygen_bits(context, 2_048)
        }
    }

    package static func rsaCertificate(for name: String) -> (certificate: String, key: String) {
        let text = rsa()
        let bytes = Array(text.utf8)
        let source = BIO_new_mem_buf(bytes, Int32(bytes.count))
        defer { BIO_free(source) }
        let key = PEM_read_bio_PrivateKey(source, nil, nil, nil)
        defer { EVP_PKEY_free(key) }
        let certificate = X509_new()
        defer { X509_free(certificate) }
        // The number 2 means version 3 (RFC 5280 section 4.1.2.1).
        X509_set_version(certificate, 2)
        ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), 1)
        X509_gmtime_adj(X509_getm_notBefore(certificate), -86_400)
        X509_gmtime_adj(X509_getm_notAfter(certificate), 86_400)
        X509_set_pubkey(certificate, key)
        let subject = X509_get_subject_name(certificate)
        let common = Array(name.utf8)
        X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, common, Int32(common.count), -1, 0)
        X509_set_issuer_name(certificate, subject)
        var context = X509V3_CTX()
        X509V3_set_ctx(&context, certificate, certificate, nil, nil, 0)
        let names = X509V3_EXT_conf_nid(nil, &context, NID_subject_alt_name, "DNS:" + name)
        X509_add_ext(certificate, names, -1)
        X509_EXTENSION_free(names)
        X509_sign(certificate, key, EVP_sha256())
        return (written { PEM_write_bio_X509($0, certificate) }, text)
    }

    /// Verifies a raw `r || s` signature: independent of the code under test, which only signs.
    package static func verifies(_ raw: [UInt8], _ message: [UInt8], pem: String) -> Bool {
        let text = Array(pem.utf8)
        let bio = BIO_new_mem_buf(text, Int32(text.count))
        defer { BIO_free(bio) }
        let key = PEM_read_bio_PrivateKey(bio, nil, nil, nil)
        defer { EVP_PKEY_free(key) }
        let signature = ECDSA_SIG_new()
        defer { ECDSA_SIG_free(signature) }
        ECDSA_SIG_set0(signature, BN_bin2bn(raw, 32, nil), BN_bin2bn(Array(raw[32...]), 32, nil))
        var encoded = [UInt8](repeating: 0, count: 80)
        let length = encoded.withUnsafeMutableBufferPointer { out in
            var cursor = out.baseAddress
            return i2d_ECDSA_SIG(signature, &cursor)
        }
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key)
        return EVP_DigestVerify(context, encoded, Int(length), message, message.count) == 1
    }

    private static func pem(of kind: Int32, _ prepare: (OpaquePointer?) -> Void) -> String {
        let context = EVP_PKEY_CTX_new_id(kind, nil)
        defer { EVP_PKEY_CTX_free(context) }
        prepare(context)
        var key: OpaquePointer?
        EVP_PKEY_keygen(context, &key)
        defer { EVP_PKEY_free(key) }
        return written { PEM_write_bio_PKCS8PrivateKey($0, key, nil, nil, 0, nil, nil) }
    }

    private static func written(_ write: (OpaquePointer?) -> Int32) -> String {
        let bio = BIO_new(BIO_s_mem())
        defer { BIO_free(bio) }
        _ = write(bio)
        var text = [UInt8](repeating: 0, count: 8_192)
        let count = BIO_read(bio, &text, Int32(text.count))
        return String(decoding: text.prefix(Int(count)), as: UTF8.self)
    }
}
