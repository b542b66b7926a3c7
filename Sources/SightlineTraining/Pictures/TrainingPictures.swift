import Foundation
import SightlineEvaluation

/// Pictures with labels, from which a model learns.
///
/// The forms are
///
/// - a folder that contains a folder of pictures for each label,
/// - a CSV file as AutoML Vision reads it: `TRAIN,path,label…`, where the set may be absent,
/// - annotations in COCO's format, where the categories of a picture's objects are its labels,
/// - a zip archive of one of these.
///
/// A label `background` or `None of the above` means pictures of nothing: the model learns to give them none of the other labels.
public struct TrainingPictures: Sendable {
    /// A picture with its labels.
    struct Picture: Sendable {
        let path: String
        /// The positions of its labels, sorted; several only if several are allowed.
        var labels: [Int]
        /// Whether its author set it aside to measure the model.
        var isHeldOut = false
    }

    /// The name of the folder or file.
    public let name: String
    /// The labels in the order of the model's outputs. Pictures of nothing have the first, `background`.
    public private(set) var labels: [String]
    /// The number of pictures.
    public var count: Int { pictures.count }
    /// Whether pictures may have several labels.
    public let severalLabels: Bool

    private(set) var pictures: [Picture]
    private(set) var files: PictureFiles
    private(set) var skipped: SkippedPictures
    let path: String

    /// The label of pictures of nothing, which readers of label files know by its name and place.
    public static let background = "background"
    static let maximumLabels = 10_000

    /// The position of the label of pictures of nothing; nil if there is none.
    var backgroundIndex: Int? { labels.first == Self.background ? 0 : nil }

    /// Lists pictures and their labels without opening the pictures.
    ///
    /// - Parameters:
    ///   - url: A folder, a CSV file, annotations in COCO's format, or a zip archive.
    ///   - images: The folder of the pictures that a file names; nil for the file's own folder, or `images` beside it.
    ///   - nothing: A folder of pictures of nothing that has a label.
    ///   - severalLabels: Whether a picture may have several labels, or none. Otherwise pictures with several are skipped.
    /// - Throws: `EvaluationError` or ``TrainingError``.
    public init(
        contentsOf url: URL,
        images: URL? = nil,
        nothing: URL? = nil,
        severalLabels: Bool = false
    ) throws {
        var list = try LabeledList(contentsOf: url, images: images, severalLabels: severalLabels)
        if let nothing { try list.addNothing(of: nothing) }
        try self.init(
            list.pictures,
            of: list.files,
            skipped: list.skipped,
            name: url.lastPathComponent,
            path: url.path(percentEncoded: false),
            severalLabels: severalLabels
        )
    }

    /// Orders the labels of known pictures.
    init(
        _ known: [LabeledList.Picture],
        of files: PictureFiles,
        skipped: SkippedPictures,
        name: String,
        path: String,
        severalLabels: Bool
    ) throws(TrainingError) {
        (self.name, self.path, self.severalLabels) = (name, path, severalLabels)
        (self.files, self.skipped) = (files, skipped)
        // The labels in the order of their names, with that of nothing first.
        let names = known.flatMap(\.labels).reduce(into: Set<String>()) { $0.insert($1) }
        labels = names.sorted { ($0 == Self.background ? 0 : 1, $0) < ($1 == Self.background ? 0 : 1, $1) }
        guard labels.count <= Self.maximumLabels else {
            throw TrainingError.tooManyLabels(count: labels.count, maximum: Self.maximumLabels)
        }
        let positions = Dictionary(uniqueKeysWithValues: labels.enumerated().map { ($1, $0) })
        pictures = known.map { picture in
            Picture(
                path: picture.path,
                labels: picture.labels.compactMap { positions[$0] }.sorted(),
                isHeldOut: picture.isHeldOut
            )
        }
        if let invalid = labels.first(where: { $0.isEmpty || $0.contains(where: \.isNewline) }) {
            throw TrainingError.invalidLabel(invalid)
        }
        guard labels.count > 1 || severalLabels && pictures.contains(where: \.labels.isEmpty) && !labels.isEmpty else {
            throw TrainingError.tooFewLabels(found: labels, path: path)
        }
    }
}
