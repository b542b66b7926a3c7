import DurableFiles
public import Sightline

extension ModelCatalog {
    /// The model of the catalog that finds faces to hide them: of those in the catalog, it hides most faces of 10 pixels and more.
    public static let faceDetector = "ultra-light-face-320"
}

extension ModelStore {
    /// The model that finds faces, which is installed first if it is not there.
    ///
    /// Downloading blocks the thread.
    ///
    /// - Parameters:
    ///   - catalog: the catalog that has the model under ``ModelCatalog/faceDetector``; nil for the one that comes with the package.
    ///   - willInstall: called before the model is fetched.
    ///   - progress: called with the number of received bytes and, if known, the total.
    /// - Returns: the model, for `ObjectDetectorOptions.faces(_:)`.
    /// - Throws: ``ModelCatalogError``. A file whose SHA-256 is not that of the catalog is never installed.
    public func faceDetector(
        of catalog: ModelCatalog? = nil,
        willInstall: (CatalogEntry) -> Void = { _ in },
        progress: (_ received: Int, _ expected: Int?) -> Void = { _, _ in }
    ) throws(ModelCatalogError) -> LocalModel {
        let catalog = if let catalog { catalog } else { try ModelCatalog.bundled() }
        let entry = try catalog.entry(named: ModelCatalog.faceDetector)
        let there = self[entry.name]
        // Looking at a model that is there takes no lock, so that any number of processes can use it.
        if let there, let hash = entry.sha256, (try? DurableFile.sha256(of: there.model)) == hash {
            return LocalModel(url: there.model)
        }
        willInstall(entry)
        return LocalModel(url: try install(Installation(entry), progress: progress).model)
    }
}
