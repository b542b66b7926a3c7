import Foundation

/// The signed address of a file. It gives access to the file until it expires, without further credentials.
struct DownloadAddress: Sendable, Hashable {
    var hash: BlobHash
    /// The model of the file, whose downloads are counted.
    var model: Int64
    /// The file name for browsers.
    var fileName: String
    /// The end of its validity, in milliseconds since 1970.
    var expires: Int64

    private var path: String { "/files/\(hash)/\(fileName)" }
    private var signedText: String { "\(path)\n\(model)\n\(expires)" }
    private static let purpose = "download"

    /// The path relative to the hub's address.
    func text(base: String, signer: Signer) -> String {
        "\(base)\(path)?model=\(model)&expires=\(expires)"
            + "&signature=\(signer.signature(of: signedText, for: Self.purpose))"
    }

    /// Whether a signature belongs to this address.
    func isSigned(by signature: String, signer: Signer) -> Bool {
        signer.isValid(signature, of: signedText, for: Self.purpose)
    }
}
