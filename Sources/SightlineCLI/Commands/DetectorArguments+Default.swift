import CommandLineSupport
import DurableFiles
import ModelCatalog
import Sightline
import SightlineMedia

/// The default detector, which answers if the command line names none.
extension DetectorArguments {
    /// The default detector; nil if the command line names a detector, or if the default is the built-in detector.
    ///
    /// - Throws: an exit code after a message, if the default is gone.
    var defaultModel: DefaultModel? {
        get throws { try model.model == nil ? reporting { try DefaultModel.ofUser() } : nil }
    }

    /// The name or path of the detector; nil for the built-in detector.
    ///
    /// - Throws: an exit code after a message, if the default is gone.
    var detectorName: String? { get throws { try model.name ?? defaultModel?.name } }

    /// Text if there is a detector that is not built in. A missing default counts, because its own error is the one to report.
    var nameForCheck: String? {
        if let name = model.name { return name }
        guard model.model == nil else { return nil }
        do { return try DefaultModel.ofUser()?.name } catch { return "" }
    }

    /// Whether the built-in models find and name the objects.
    var usesBuiltInModels: Bool { get throws { try classifier == nil && detectorName == nil } }

    /// The name and version of the default detector for results; nil if the command line names a model.
    func defaultModel(_ files: ModelSummary) throws -> ResultModel? {
        try defaultModel.map { ResultModel(name: $0.name, sha256: SHA256.hexadecimalDigest(of: files.data)) }
    }
}
