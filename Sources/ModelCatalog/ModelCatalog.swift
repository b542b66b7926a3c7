import Foundation
import Sightline

/// Public models that can be installed by name.
public struct ModelCatalog: Sendable {
    /// The models, in the order of the catalogue.
    public let entries: [CatalogEntry]

    /// The catalogue that comes with the package.
    ///
    /// - Throws: `ModelCatalogError.catalogue` if it is damaged.
    public static func bundled() throws(ModelCatalogError) -> ModelCatalog {
        try ModelCatalog(json: Data(PackageResources.catalogue_json))
    }

    /// Reads a catalogue: a JSON array of entries.
    ///
    /// - Throws: `ModelCatalogError.catalogue` if it is no such array, if a name cannot be one, or occurs twice.
    public init(json: Data) throws(ModelCatalogError) {
        do {
            entries = try JSONDecoder().decode([CatalogEntry].self, from: json)
        } catch {
            throw .catalogue(reason: "\(error)")
        }
        var names: Set<String> = []
        for entry in entries {
            try ModelName.check(entry.name)
            guard names.insert(entry.name).inserted else { throw .catalogue(reason: "\(entry.name) is there twice") }
        }
    }

    /// The entry of a name; nil if there is none.
    public subscript(name: String) -> CatalogEntry? { entries.first { $0.name == name } }

    /// The entry of a name.
    ///
    /// - Throws: `ModelCatalogError.unknownModel` with the names that there are.
    public func entry(named name: String) throws(ModelCatalogError) -> CatalogEntry {
        guard let entry = self[name] else { throw .unknownModel(name: name, known: entries.map(\.name)) }
        return entry
    }
}

/// A model of the catalogue.
public struct CatalogEntry: Sendable, Hashable, Codable {
    /// What a model does.
    public enum Purpose: String, Sendable, Hashable, Codable {
        /// It finds objects: `sightline detect`.
        case detection
        /// It says what a picture shows: `sightline label`.
        case labeling
    }

    /// The names of a model's classes.
    public struct Labels: Sendable, Hashable, Codable {
        /// How many there are.
        public var count: Int
        /// The names in the order of the outputs; nil if they are inside the model.
        public var names: [String]?
    }

    /// What it is called here: lower-case letters, digits, hyphens, underscores and dots.
    public var name: String
    /// What it does.
    public var task: Purpose
    /// One line for people.
    public var summary: String
    /// Who publishes it.
    public var publisher: String
    /// Its licence, as an SPDX identifier.
    public var licence: String
    /// Where it is downloaded from.
    public var address: String
    /// How long the file is; nil if nobody has verified it.
    public var byteCount: Int?
    /// The SHA-256 of the file in lower-case hexadecimal digits; nil if nobody has verified it.
    public var sha256: String?
    /// The names of its classes; nil if it has none.
    public var labels: Labels?
    /// What the model does not say of itself.
    public var sidecar: ModelSidecar?
}
