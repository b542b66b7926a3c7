#if canImport(Network)
    import Foundation

    #if canImport(FoundationNetworking)
        import FoundationNetworking
    #endif
    #if canImport(Security)
        import Security
    #endif

    /// The certificates that a hub's certificate may come from: those of the system, and those of a file.
    struct ServerTrust: Sendable {
        private let certificates: [Data]

        /// Reads the certificates of a PEM file.
        ///
        /// - Throws: ``UnusableSettings`` if the file holds no certificate.
        init(_ roots: URL?) throws(UnusableSettings) {
            guard let roots else {
                certificates = []
                return
            }
            let text = (try? String(contentsOf: roots, encoding: .utf8)) ?? ""
            certificates = Self.certificates(in: text)
            guard !certificates.isEmpty else {
                throw UnusableSettings(
                    reason: "the trusted certificates \(roots.path) cannot be read as PEM; check the file"
                )
            }
        }

        /// The bytes between the lines that enclose each certificate (RFC 7468).
        static func certificates(in text: String) -> [Data] {
            text.components(separatedBy: "-----BEGIN CERTIFICATE-----").dropFirst().compactMap { part in
                part.components(separatedBy: "-----END CERTIFICATE-----").first.flatMap {
                    Data(base64Encoded: $0, options: .ignoreUnknownCharacters)
                }
            }
        }

        /// Answers a server's certificate: by the system's rules, with the certificates of the file in addition.
        func answer(
            _ challenge: URLAuthenticationChallenge,
            _ completion: (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            #if canImport(Security)
                guard !certificates.isEmpty, let trust = challenge.protectionSpace.serverTrust else {
                    return completion(.performDefaultHandling, nil)
                }
                let anchors = certificates.compactMap { SecCertificateCreateWithData(nil, $0 as CFData) }
                // The system's certificates also count.
                guard SecTrustSetAnchorCertificates(trust, anchors as CFArray) == errSecSuccess,
                    SecTrustSetAnchorCertificatesOnly(trust, false) == errSecSuccess,
                    SecTrustEvaluateWithError(trust, nil)
                else {
                    return completion(.cancelAuthenticationChallenge, nil)
                }
                completion(.useCredential, URLCredential(trust: trust))
            #else
                completion(.performDefaultHandling, nil)
            #endif
        }
    }
#endif
