import Foundation

/// The signed address of a file: whoever has it may fetch the file without more ado until it expires.
struct DownloadAddress: Sendable, Hashable {
    var hash: BlobHash
    /// The model that it is an address of, whose downloads are counted.
    var model: Int64
    /// The name under which a browser saves it.
    var fileName: String
    /// In milliseconds since 1970.
    var expires: Int64

    private var path: String { "/files/\(hash)/\(fileName)" }
    private var signedText: String { "\(path)\n\(model)\n\(expires)" }
    private static let purpose = "download"

    /// The address below that of the hub.
    func text(base: String, signer: Signer) -> String {
        "\(base)\(path)?model=\(model)&expires=\(expires)"
            + "&signature=\(signer.signature(of: signedText, for: Self.purpose))"
    }

    /// Whether a signature is this address's.
    func isSigned(by signature: String, signer: Signer) -> Bool {
        signer.isValid(signature, of: signedText, for: Self.purpose)
    }
}
