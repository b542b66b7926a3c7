import Foundation

/// The measurements of the models in the catalog, and their data. `Benchmarks/models/catalog.py` measures and writes it.
public struct ModelMeasurements: Sendable, Hashable, Codable {
    /// The figures of a model.
    public struct Figures: Sendable, Hashable, Codable {
        /// The width of the model's input in pixels.
        public var inputWidth: Int
        /// The height of the model's input in pixels.
        public var inputHeight: Int
        /// The mean average precision at the IoUs 0.5 to 0.95, 0…1; nil if the model does not tell COCO's categories apart.
        public var averagePrecision: Double?
        /// The time of the fastest of ``ModelMeasurements/runs`` runs on one thread, without decoding and preparing the picture.
        public var milliseconds: Double
    }

    /// The pictures of the average precision.
    public var pictures: String
    /// The processor of the times.
    public var processor: String
    /// The number of runs.
    public var runs: Int
    /// The figures of the built-in detector, from the decoded picture to the named objects.
    public var builtInDetector: Figures
    /// The figures by the names of the catalog.
    public var models: [String: Figures]

    /// The catalog's model with the best average precision; of several, the fastest.
    public var best: String? {
        models.filter { $0.value.averagePrecision != nil }
            .max {
                ($0.value.averagePrecision ?? 0, -$0.value.milliseconds) < (
                    $1.value.averagePrecision ?? 0, -$1.value.milliseconds
                )
            }?
            .key
    }

    /// The measurements that come with the package.
    ///
    /// - Throws: `ModelCatalogError.catalog` if they are damaged.
    public static func bundled() throws(ModelCatalogError) -> ModelMeasurements {
        do {
            return try JSONDecoder().decode(ModelMeasurements.self, from: Data(PackageResources.measurements_json))
        } catch {
            throw .catalog(reason: "the measurements: \(error)")
        }
    }
}
