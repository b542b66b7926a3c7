import Foundation

/// A certificate for 127.0.0.1 that no system trusts, and its key, which is not a secret. Made with `openssl req -x509 -newkey ec
/// -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 36500 -addext subjectAltName=IP:127.0.0.1,DNS:localhost`.
public struct TestCertificate: Sendable {
    /// The path of the certificate in PEM.
    public let certificate: String
    /// The path of the key in PEM.
    public let key: String

    private static let certificateText = """
        -----BEGIN CERTIFICATE-----
        MIIBvjCCAWOgAwIBAgIUdVqhKy75oIOqHDTXW1jW5fCugugwCgYIKoZIzj0EAwIw
        HTEbMBkGA1UEAwwSU2lnaHRsaW5lIHRlc3QgaHViMCAXDTI2MTEyMTE2NDkyM1oY
        DzIxMjYxMDI4MTY0OTIzWjAdMRswGQYDVQQDDBJTaWdodGxpbmUgdGVzdCBodWIw
        WTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASlJOs2In696UttuOaSJNipbPWvyGMO
        NdahdWKLjzXOtkzNXelZx8jI2xl9rZK1uukYTRnDZx33SNCvhMLx2oL9o38wfTAd
        BgNVHQ4EFgQUxkxQfKiS/dKDMSDXCB3q8RjYX+kwHwYDVR0jBBgwFoAUxkxQfKiS
        /dKDMSDXCB3q8RjYX+kwGgYDVR0RBBMwEYcEfwAAAYIJbG9jYWxob3N0MA8GA1Ud
        EwEB/wQFMAMBAf8wDgYDVR0PAQH/BAQDAgKEMAoGCCqGSM49BAMCA0kAMEYCIQDh
        wnWwxYhy4bkLIDPH72NLdgXfpnxYJWZSbZ08/DgxGAIhANfQHDwDYr6VTOX81k3K
        pYHa3fB9RAZYno4c/bKZZaFn
        -----END CERTIFICATE-----
        """

    private static let keyText = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgCP1A36YyTaK/VOgm
        KcSjzBB/LLvALbPAKTjYphZOiZChRANCAASlJOs2In696UttuOaSJNipbPWvyGMO
        NdahdWKLjzXOtkzNXelZx8jI2xl9rZK1uukYTRnDZx33SNCvhMLx2oL9
        -----END PRIVATE KEY-----
        """

    /// Writes both into a folder.
    public init(in folder: URL) throws {
        certificate = folder.appending(path: "certificate.pem").path
        key = folder.appending(path: "key.pem").path
        try Data(Self.certificateText.utf8).write(to: URL(filePath: certificate))
        try Data(Self.keyText.utf8).write(to: URL(filePath: key))
    }
}
