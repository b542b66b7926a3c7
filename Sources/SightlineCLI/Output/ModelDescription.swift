import CommandLineSupport
import Foundation
import ModelCatalog
import Sightline
import TextFormatting

/// The description of a model of the catalog or of an installed model, for people and programs.
struct ModelDescription: Encodable {
    private var name: String
    private var task: CatalogEntry.Purpose?
    private var summary: String?
    private var publisher: String?
    private var license: String?
    private var address: String?
    private var byteCount: Int?
    private var sha256: String?
    private var labelCount: Int?
    private var labels: [String]?
    private var input: Input?
    private var measured: Measured?
    private var path: String?
    private var installedFrom: String?
    private var isInstalledFileVerified: Bool?
    /// True for the detector that commands use without --model; nil for others.
    var isDefault: Bool?

    /// The size of the model's input in pixels.
    private struct Input: Encodable {
        let width: Int
        let height: Int

        init(width: Int, height: Int) { (self.width, self.height) = (width, height) }

        /// Reads the shape of a batch of pictures, with the channels last as in TensorFlow Lite or first as in ONNX; nil for another shape.
        init?(shape: [Int]) {
            guard shape.count == 4 else { return nil }
            let isChannelsFirst = [1, 3].contains(shape[1]) && ![1, 3].contains(shape[3])
            (height, width) = isChannelsFirst ? (shape[2], shape[3]) : (shape[1], shape[2])
            guard width > 0, height > 0 else { return nil }
        }
    }

    /// Figures, and the pictures and processor of their measurement.
    private struct Measured: Encodable {
        let ap: Double?
        let milliseconds: Double
        let pictures: String
        let processor: String
    }

    /// Describes a model of the catalog.
    init(_ entry: CatalogEntry, _ measurements: ModelMeasurements, installed: InstalledModel?) {
        name = entry.name
        task = entry.task
        summary = entry.summary
        publisher = entry.publisher
        license = entry.license
        address = entry.address
        byteCount = entry.byteCount
        sha256 = entry.sha256
        labelCount = entry.labels?.count
        labels = entry.labels?.names
        if let figures = measurements.models[entry.name] {
            input = Input(width: figures.inputWidth, height: figures.inputHeight)
            measured = Measured(
                ap: figures.averagePrecision,
                milliseconds: figures.milliseconds,
                pictures: measurements.pictures,
                processor: measurements.processor
            )
        }
        add(installed)
    }

    /// Describes an installed model that is not in the catalog.
    init(_ installed: InstalledModel) {
        name = installed.name
        byteCount = installed.record?.byteCount
        sha256 = installed.record?.sha256
        let inspection = try? withStandardErrorSilenced { try ModelInspection(of: LocalModel(url: installed.model)) }
        task = inspection?.task.map { $0 == .detection ? .detection : .labeling }
        labelCount = inspection?.labels?.count
        license = inspection?.metadata["license"]
        input = inspection?.inputs.lazy.compactMap { Input(shape: $0.shape) }.first
        add(installed)
    }

    /// Describes the built-in detector, for a comparison with other detectors.
    ///
    /// - Throws: The errors of `ModelInspection`.
    init(builtInDetector measurements: ModelMeasurements) throws {
        name = DefaultModel.builtIn
        task = .detection
        let inspection = try withStandardErrorSilenced { try ModelInspection(of: .builtInDetector) }
        byteCount = inspection.byteCount
        // The last label names objects of no kind.
        labelCount = inspection.labels.map { $0.count - 1 }
        license = inspection.metadata["license"]
        let figures = measurements.builtInDetector
        input = Input(width: figures.inputWidth, height: figures.inputHeight)
        measured = Measured(
            ap: figures.averagePrecision,
            milliseconds: figures.milliseconds,
            pictures: measurements.pictures,
            processor: measurements.processor
        )
        path = LocalModel.builtInDetector.url.path
    }

    /// The columns of a list.
    static let columns: [TextTable.Column] = [
        .text("NAME"), .text("FOR"), .number("LABELS"), .number("INPUT"), .number("SIZE"), .number("AP"), .number("MS"),
        .text("LICENSE"), .text("INSTALLED"),
    ]

    /// The cells of a list.
    var row: [String] {
        let absent = byteCount == nil && path == nil ? "no, unverified" : "no"
        return [
            name, task?.command ?? "–", labelCount.map { "\($0)" } ?? "–",
            input.map { "\($0.width) × \($0.height)" } ?? "–", NumberText.bytes(byteCount),
            measured?.ap.map { String(format: "%.3f", $0) } ?? "–",
            measured.map { String(format: "%.1f", $0.milliseconds) } ?? "–",
            license ?? "–", path == nil ? absent : isDefault == true ? "yes, default" : "yes",
        ]
    }

    private mutating func add(_ installed: InstalledModel?) {
        path = installed?.model.path
        installedFrom = installed?.record?.source
        isInstalledFileVerified = installed?.record?.isVerified
    }

    /// The description for people.
    var text: String {
        var list = FactList(indent: 12)
        list.add("Name", name)
        list.add("What", summary)
        list.add("Use", task.map { "sightline \($0.command) --model \(name)" })
        list.add("Publisher", publisher)
        list.add("License", license)
        list.add("Address", address)
        list.add("Size", byteCount.map { "\($0) bytes" } ?? "not verified")
        list.add("SHA-256", sha256 ?? "not verified; installing needs --sha256 or --accept-unverified")
        list.add("Labels", labelCount.map { "\($0)\(labels == nil ? ", inside the model" : "")" } ?? "none")
        list.add("Input", input.map { "\($0.width) × \($0.height) pixels" })
        if let measured {
            list.add("AP", measured.ap.map { String(format: "%.3f on ", $0) + measured.pictures })
            list.add(
                "Time",
                String(format: "%.1f ms for a picture on one thread of ", measured.milliseconds) + measured.processor
            )
        }
        list.add("Installed", path ?? "no")
        list.add("From", installedFrom)
        if isInstalledFileVerified == false { list.add("", "not verified") }
        return list.text
    }
}

extension [ModelDescription] {
    /// Marks the model that is a default. A file that is not installed has no row.
    mutating func markDefault(_ model: DefaultModel?) {
        for index in indices where model != nil && self[index].isFile(model?.file) { self[index].isDefault = true }
    }

    /// Sorts detectors before labelers, and detectors by their average precision, the best first.
    mutating func sortByPrecision() {
        self = enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }.map(\.element)
    }
}

extension ModelDescription {
    /// Whether a file is the model's.
    fileprivate func isFile(_ file: URL?) -> Bool { path != nil && path == file?.path }

    /// A number that is smaller for a better model.
    fileprivate var rank: Double {
        switch task {
        case .detection: -(measured?.ap ?? 0)
        case .labeling: 1
        case nil: 2
        }
    }
}

extension CatalogEntry.Purpose {
    /// The command for such models.
    var command: String { self == .detection ? "detect" : "label" }
}
