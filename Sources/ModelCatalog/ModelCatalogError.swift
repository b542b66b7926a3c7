import Foundation
import TensorFlowLite

/// Why a model could not be installed, found or removed.
public enum ModelCatalogError: Error, Sendable, Hashable {
    /// The catalog itself is damaged.
    case catalog(reason: String)
    /// The catalog has no such model.
    case unknownModel(name: String, known: [String])
    /// The text cannot be the name of a model.
    case invalidName(String)
    /// No such model is installed.
    case notInstalled(name: String, installed: [String])
    /// Something that was not installed lies where the model's folder belongs.
    case foreignFolder(path: String)
    /// Nobody has verified what the file should be.
    case unverified(name: String)
    /// The text is no SHA-256.
    case invalidHash(String)
    /// The address is none that can be downloaded from.
    case invalidAddress(String, reason: String)
    /// libcurl, which downloads, cannot be used.
    case noDownloads(reason: String)
    /// No answer came, or not over a connection that can be trusted.
    case unreachable(address: String, reason: String)
    /// The server refused.
    case refused(address: String, status: Int)
    /// The server redirects again and again.
    case tooManyRedirects(address: String, limit: Int)
    /// The server redirects to where the connection would no longer be secret.
    case insecureRedirect(from: String, to: String)
    /// The server sent a web page, as sign-in and error pages are.
    case webPage(address: String)
    /// The connection ended too early; what came is kept for the next time.
    case interrupted(address: String, received: Int, expected: Int?)
    /// The file is longer or shorter than it should be.
    case wrongSize(source: String, expected: Int, found: Int)
    /// The file is not the one that was verified.
    case wrongHash(source: String, expected: String, found: String)
    /// The file is no model that can be used.
    case notAModel(source: String, reason: ModelError)
    /// The disk is full.
    case diskFull(path: String)
    /// The folder may not be written.
    case permissionDenied(path: String)
    /// A file cannot be read or written for another reason.
    case file(path: String, reason: String)
    /// Another process is installing or removing models.
    case busy(path: String)
}

extension ModelCatalogError: CustomStringConvertible, LocalizedError {
    /// One sentence: what, where, and what to do.
    public var description: String {
        switch self {
        case .catalog(let reason):
            "The catalog of models is damaged (\(reason)); install Sightline again."
        case .unknownModel(let name, let known):
            "The catalog has no model \"\(name)\" (it has \(known.joined(separator: ", "))); name one of these, or give "
                + "the address with --from."
        case .invalidName(let name):
            "\"\(name)\" cannot be the name of a model; use up to \(ModelName.maximumLength) letters, digits, hyphens, "
                + "underscores and dots, beginning with a letter or digit."
        case .notInstalled(let name, let installed):
            "No model \"\(name)\" is installed (\(installed.isEmpty ? "there is none" : "installed: " + installed.joined(separator: ", "))); "
                + "`sightline models install \(name)` installs it if it is in the catalog."
        case .foreignFolder(let path):
            "\(path) was not made by `sightline models install`, so it is left alone; move it away, or choose another name."
        case .unverified(let name):
            "Nobody has verified the file of \(name); give its SHA-256 with --sha256 if you know it, or --accept-unverified "
                + "to trust the server."
        case .invalidHash(let text):
            "\"\(text)\" is no SHA-256; give 64 hexadecimal digits."
        case .invalidAddress(let address, let reason):
            "Cannot download from \(address): \(reason); give an https address or a folder."
        case .noDownloads(let reason):
            "Cannot download: \(reason); install the package libcurl4, or install from a folder with --mirror."
        case .unreachable(let address, let reason):
            "Cannot reach \(address): \(reason); check the address and the network, then try again."
        case .refused(let address, let status):
            "The server of \(address) answers with status \(status); "
                + (status == 404 || status == 410
                    ? "there is no such file, try another address with --from."
                    : "try again later, or another address with --from.")
        case .tooManyRedirects(let address, let limit):
            "\(address) redirects more than \(limit) times; try another address with --from."
        case .insecureRedirect(let from, let to):
            "\(from) redirects to \(to), which is not https; try another address with --from."
        case .webPage(let address):
            "\(address) gives a web page, not a model; open it in a browser to see what it asks for, or give the address of "
                + "the file itself with --from."
        case .interrupted(let address, let received, let expected):
            "The download of \(address) broke off after \(received) \(expected.map { "of \($0) " } ?? "")bytes; run the same "
                + "command again, it goes on from there."
        case .wrongSize(let source, let expected, let found):
            "\(source) has \(found) bytes instead of \(expected); nothing was installed, try another source."
        case .wrongHash(let source, let expected, let found):
            "\(source) has the SHA-256 \(found) instead of \(expected); nothing was installed, try another source."
        case .notAModel(let source, let reason):
            "Nothing was installed from \(source): \(reason)"
        case .diskFull(let path):
            "The disk of \(path) is full; make room and run the same command again."
        case .permissionDenied(let path):
            "\(path) may not be written or read; change its permissions, or set XDG_DATA_HOME to another folder."
        case .file(let path, let reason):
            "Cannot use \(path): \(reason)."
        case .busy(let path):
            "Another process is installing or removing models in \(path); wait until it is done."
        }
    }

    /// The same sentence.
    public var errorDescription: String? { description }

    /// What a failed system call means for a path.
    static func system(_ code: Int32, path: String) -> ModelCatalogError {
        switch code {
        case ENOSPC, EDQUOT: .diskFull(path: path)
        case EACCES, EPERM, EROFS: .permissionDenied(path: path)
        default: .file(path: path, reason: String(cString: strerror(code)))
        }
    }
}
