import DurableFiles
import Foundation

/// The choice of a default detector, which is a file in the folder of the models.
extension ModelStore {
    /// The file of the choice. Its name begins with a dot, unlike those of models.
    private var choiceFile: URL { folder.appending(path: ".default") }

    /// The chosen default detector: the name of an installed model or the path of a file; nil for the built-in detector.
    ///
    /// A folder that this process may not enter has no choice for it.
    ///
    /// - Throws: `ModelCatalogError.damagedChoice`, or the error of the system.
    package func chosenDefault() throws(ModelCatalogError) -> String? {
        let path = choiceFile.path
        let data: Data
        do throws(DurableFileError) {
            let file = try FileDescriptor(path, O_RDONLY)
            var bytes = Data()
            try file.read { bytes.append(contentsOf: $0) }
            data = bytes
        } catch {
            if [ENOENT, ENOTDIR, EACCES].contains(error.code) { return nil }
            throw ModelCatalogError(error)
        }
        guard let text = String(data: data, encoding: .utf8), text.last == "\n",
            ModelName.isValid(String(text.dropLast())) || text.hasPrefix("/"), !text.dropLast().contains("\n")
        else { throw .damagedChoice(path: path) }
        return String(text.dropLast())
    }

    /// Chooses the default detector. A crash leaves the earlier choice or the new one.
    ///
    /// - Parameter choice: the name of an installed model or the absolute path of a file; nil for the built-in detector.
    /// - Throws: `ModelCatalogError.notInstalled` for a name, `.busy`, or the error of the system.
    package func chooseDefault(_ choice: String?) throws(ModelCatalogError) {
        // Without a folder, there is no choice to remove.
        if choice == nil, !FileManager.default.fileExists(atPath: folder.path) { return }
        try withLock { () throws(ModelCatalogError) in
            guard let choice else { return try discard(choiceFile.path) }
            if !choice.hasPrefix("/") { _ = try model(named: choice) }
            try ModelCatalogError.storing { () throws(DurableFileError) in
                try DurableFile.write(Data((choice + "\n").utf8), to: choiceFile)
            }
        }
    }
}
