import DurableFiles
import Foundation
import Sightline

/// Public models that can be installed by name.
public struct ModelCatalog: Sendable {
    /// The models, in the order of the catalog.
    public let entries: [CatalogEntry]

    /// The catalog that comes with the package.
    ///
    /// - Throws: `ModelCatalogError.catalog` if it is damaged.
    public static func bundled() throws(ModelCatalogError) -> ModelCatalog {
        try ModelCatalog(json: Data(PackageResources.catalog_json))
    }

    /// Reads a catalog: a JSON array of entries.
    ///
    /// - Throws: `ModelCatalogError.catalog` if the data is not such an array, or if a name is not valid or occurs
    ///   twice.
    public init(json: Data) throws(ModelCatalogError) {
        do {
            entries = try JSONDecoder().decode([CatalogEntry].self, from: json)
        } catch {
            throw .catalog(reason: "\(error)")
        }
        var names: Set<String> = []
        for entry in entries {
            try ModelName.check(entry.name)
            guard names.insert(entry.name).inserted else { throw .catalog(reason: "\(entry.name) occurs twice") }
        }
    }

    /// The entry with the given name; nil if there is no such entry.
    public subscript(name: String) -> CatalogEntry? { entries.first { $0.name == name } }

    /// The entry whose file has the same bytes as a file on this machine; nil if there is no such entry. The file is read only
    /// if it has the size of an entry's file.
    public func entry(sameAs file: URL) -> CatalogEntry? {
        let size = DurableFile.size(file)
        let candidates = entries.filter { $0.sha256 != nil && $0.byteCount == size }
        guard !candidates.isEmpty, let hash = try? DurableFile.sha256(of: file) else { return nil }
        return candidates.first { $0.sha256 == hash }
    }

    /// The entry with the given name.
    ///
    /// - Throws: `ModelCatalogError.unknownModel` with the available names.
    public func entry(named name: String) throws(ModelCatalogError) -> CatalogEntry {
        guard let entry = self[name] else { throw .unknownModel(name: name, known: entries.map(\.name)) }
        return entry
    }
}

/// A model in the catalog.
public struct CatalogEntry: Sendable, Hashable, Codable {
    /// The purpose of a model.
    public enum Purpose: String, Sendable, Hashable, Codable {
        /// Finds objects: `sightline detect`.
        case detection
        /// Names the subject of a picture: `sightline label`.
        case labeling
    }

    /// The names of a model's classes.
    public struct Labels: Sendable, Hashable, Codable {
        /// The number of classes.
        public var count: Int
        /// The names in the order of the outputs; nil if the model contains them.
        public var names: [String]?
    }

    /// The name in the catalog: lower-case letters, digits, hyphens, underscores and dots.
    public var name: String
    /// The purpose of the model.
    public var task: Purpose
    /// A description in a single line.
    public var summary: String
    /// The publisher of the model.
    public var publisher: String
    /// The license, as an SPDX identifier.
    public var license: String
    /// The address of the file.
    public var address: String
    /// The size of the file in bytes; nil if it is not verified.
    public var byteCount: Int?
    /// The SHA-256 of the file in lower-case hexadecimal digits; nil if it is not verified.
    public var sha256: String?
    /// The names of the model's classes; nil if it has no classes.
    public var labels: Labels?
    /// Properties that the model's own metadata lacks.
    public var sidecar: ModelSidecar?
}
