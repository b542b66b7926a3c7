import DurableFiles
import Foundation
import TensorFlowLite

/// A reason why a model could not be installed, found or removed.
public enum ModelCatalogError: Error, Sendable, Hashable {
    /// The catalog itself is damaged.
    case catalog(reason: String)
    /// The catalog has no model with this name.
    case unknownModel(name: String, known: [String])
    /// The text cannot be the name of a model.
    case invalidName(String)
    /// The name denotes the models that come with Sightline.
    case reservedName(String)
    /// No model with this name is installed.
    case notInstalled(name: String, installed: [String])
    /// A folder that was not created by an installation has the name of the model.
    case foreignFolder(path: String)
    /// The expected contents of the file are not verified.
    case unverified(name: String)
    /// The text is not a SHA-256.
    case invalidHash(String)
    /// Downloads cannot use the address.
    case invalidAddress(String, reason: String)
    /// libcurl, which downloads need, cannot be used.
    case noDownloads(reason: String)
    /// The server did not respond, or the connection cannot be trusted.
    case unreachable(address: String, reason: String)
    /// The server returned an error.
    case refused(address: String, status: Int)
    /// The server redirects too often.
    case tooManyRedirects(address: String, limit: Int)
    /// The server redirects to an address that is not secure.
    case insecureRedirect(from: String, to: String)
    /// The server sent a web page, for example a sign-in or error page.
    case webPage(address: String)
    /// The connection ended too early; the received bytes are kept for the next attempt.
    case interrupted(address: String, received: Int, expected: Int?)
    /// The file has the wrong size.
    case wrongSize(source: String, expected: Int, found: Int)
    /// The file is not the verified file.
    case wrongHash(source: String, expected: String, found: String)
    /// The file is not a usable model.
    case notAModel(source: String, reason: ModelError)
    /// The disk is full.
    case diskFull(path: String)
    /// The folder is not writable.
    case permissionDenied(path: String)
    /// A file cannot be read or written for another reason.
    case file(path: String, reason: String)
    /// Another process is installing or removing models.
    case busy(path: String)
    /// The file with the choice of a default model does not name a model.
    case damagedChoice(path: String)
}

extension ModelCatalogError: CustomStringConvertible, LocalizedError {
    /// One sentence: the failure, its place, and the next step.
    public var description: String {
        switch self {
        case .catalog(let reason):
            "The catalog of models is damaged (\(reason)); install Sightline again."
        case .unknownModel(let name, let known):
            "The catalog has no model \"\(name)\" (it has \(known.joined(separator: ", "))); use one of these names, or pass "
                + "an address with --from."
        case .invalidName(let name):
            "\"\(name)\" cannot be the name of a model; use up to \(ModelName.maximumLength) letters, digits, hyphens, "
                + "underscores and dots, beginning with a letter or digit."
        case .reservedName(let name):
            "\"\(name)\" denotes the models that come with Sightline, so no other model can have the name; choose another "
                + "name."
        case .notInstalled(let name, let installed):
            "The model \"\(name)\" is not installed (installed: \(installed.isEmpty ? "no models" : installed.joined(separator: ", "))); "
                + "`sightline models install \(name)` installs it if it is in the catalog."
        case .foreignFolder(let path):
            "\(path) was not created by `sightline models install`, so it stays unchanged; move it away, or choose another name."
        case .unverified(let name):
            "The file of \(name) is not verified; pass its SHA-256 with --sha256 if you know it, or --accept-unverified "
                + "to trust the server."
        case .invalidHash(let text):
            "\"\(text)\" is not a SHA-256; use 64 hexadecimal digits."
        case .invalidAddress(let address, let reason):
            "Cannot download from \(address): \(reason); use an https address or a folder."
        case .noDownloads(let reason):
            "Cannot download: \(reason); install the package libcurl4, or bring the file: --from FILE or --mirror FOLDER "
                + "installs without a network."
        case .unreachable(let address, let reason):
            "Cannot reach \(address): \(reason); check the address and the network, then try again, or bring the file: --from FILE or "
                + "--mirror FOLDER installs without a network, and checks the SHA-256 of the catalog's models."
        case .refused(let address, let status):
            "The server of \(address) returned status \(status); "
                + (status == 404 || status == 410
                    ? "the file does not exist, so try another address with --from."
                    : "try again later, or another address with --from.")
        case .tooManyRedirects(let address, let limit):
            "\(address) redirects more than \(limit) times; try another address with --from."
        case .insecureRedirect(let from, let to):
            "\(from) redirects to \(to), which is not https; try another address with --from."
        case .webPage(let address):
            "\(address) returned a web page, not a model; open it in a browser, or pass the address of "
                + "the file itself with --from."
        case .interrupted(let address, let received, let expected):
            "The download of \(address) stopped after \(received) \(expected.map { "of \($0) " } ?? "")bytes; run the same "
                + "command again to resume it."
        case .wrongSize(let source, let expected, let found):
            "\(source) has \(found) bytes instead of \(expected); nothing was installed, try another source."
        case .wrongHash(let source, let expected, let found):
            "\(source) has the SHA-256 \(found) instead of \(expected); nothing was installed, try another source."
        case .notAModel(let source, let reason):
            "Nothing was installed from \(source): \(reason)"
        case .diskFull(let path):
            "The disk of \(path) is full; free some space and run the same command again."
        case .permissionDenied(let path):
            "\(path) is not readable or writable; change its permissions, or set XDG_DATA_HOME to another folder."
        case .file(let path, let reason):
            "Cannot use \(path): \(reason)."
        case .busy(let path):
            "Another process is installing or removing models in \(path); wait until it has finished."
        case .damagedChoice(let path):
            "\(path) does not name a model; choose the default model again with `sightline models use NAME`."
        }
    }

    /// The same sentence as `description`.
    public var errorDescription: String? { description }

    /// The error for a failed operation on a file.
    init(_ error: DurableFileError) {
        self =
            if error.isForSpace {
                .diskFull(path: error.path)
            } else if error.isForPermissions {
                .permissionDenied(path: error.path)
            } else {
                .file(path: error.path, reason: error.reason)
            }
    }

    /// Runs an operation on files, whose errors become errors of this module.
    static func storing<Result>(
        _ body: () throws(DurableFileError) -> Result
    ) throws(ModelCatalogError) -> Result {
        do throws(DurableFileError) { return try body() } catch { throw ModelCatalogError(error) }
    }
}
