import CommandLineSupport
import ModelCatalog
import Sightline
import TextFormatting

/// A model of the catalog that a command needs although the command line does not name it. It is installed on first use.
enum CatalogModel {
    /// The word that stands for the detector of faces in place of a model's name.
    static let faces = "faces"

    /// The line about a model that is going to be installed.
    static func report(_ entry: CatalogEntry) {
        StandardError.report(
            "Installing \(entry.name) (\(NumberText.bytes(entry.byteCount)), \(entry.license)) of \(entry.publisher); `sightline models remove "
                + "\(entry.name)` removes it."
        )
    }

    /// The detector of faces, which is installed first if it is not there.
    ///
    /// - Throws: an exit code after a message, which has the command for a machine without a network.
    static func faceDetector(in store: ModelStore = .ofUser()) throws -> LocalModel {
        var progress = ProgressLine()
        defer { progress.clear() }
        let name = ModelCatalog.faceDetector
        return try reporting {
            do throws(ModelCatalogError) {
                return try store.faceDetector(willInstall: report) { received, expected in
                    progress.show { DownloadText.line(name, received: received, expected: expected) }
                }
            } catch .unreachable(let address, let reason) {
                throw InputError(
                    reason: """
                        The model that finds faces cannot be fetched: \(reason); bring the file \(address) to this machine, and \
                        `sightline models install \(name) --from FILE` installs it.
                        """
                )
            }
        }
    }
}
