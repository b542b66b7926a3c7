import Foundation
import ModelHubProtocol

/// A data set of a project: photos with labels, from which the hub trains models.
package struct DataSet: Sendable, Hashable {
    /// The number of the data set, which the store assigns.
    package var id: Int64
    /// The project's id.
    package var project: String
    /// The name, which is unique in the project.
    package var name: String
    /// The person or credential that created it.
    package var actor: String
    /// The time of its creation.
    package var createTime: Timestamp

    /// `projects/{project}/datasets/{name}`.
    var resourceName: String { "projects/\(project)/datasets/\(name)" }

    /// The largest number of data sets in a project.
    static let limit = 100
    /// The largest number of photos in a data set.
    static let maximumPhotos = 10_000
    /// The largest number of labels in a data set, of photos and of boxes each.
    static let maximumLabels = 1000
    /// The largest number of boxes in a data set.
    static let maximumBoxes = 200_000

    /// Checks a name: as that of a model, because a training names its model after the data set.
    static func check(name: String) throws(HubError) {
        do throws(HubError) {
            try ModelRules.check(displayName: name)
        } catch {
            throw HubError(
                .invalidArgument,
                "\"\(name.prefix(80))\" cannot be the name of a data set; use up to 32 letters, digits, underscores and hyphens, beginning "
                    + "with a letter."
            )
        }
    }

    /// A label without surrounding spaces; nil for none.
    ///
    /// - Throws: `.invalidArgument` for a label that a file of labels could not hold.
    static func label(_ text: String?) throws(HubError) -> String? {
        guard let text else { return nil }
        let label = text.trimmingCharacters(in: .whitespacesAndNewlines).precomposedStringWithCanonicalMapping
        guard !label.isEmpty else { return nil }
        guard label.unicodeScalars.count <= 100,
            label.unicodeScalars.allSatisfy({
                $0.properties.generalCategory != .control && !$0.properties.isWhitespace || $0 == " "
            })
        else {
            throw HubError(
                .invalidArgument,
                "\"\(label.prefix(80))\" cannot be a label; use at most 100 characters in one line."
            )
        }
        return label
    }

    /// Boxes that can be stored, inside a photo.
    ///
    /// - Returns: The boxes, and the number of those that lie outside of the photo or have no area.
    /// - Throws: `.invalidArgument` if there are too many, or for a label.
    static func boxes(
        _ boxes: [PhotoBox],
        inPhotoOf size: (width: Int, height: Int)
    ) throws(HubError) -> (boxes: [PhotoBox], leftOut: Int) {
        guard boxes.count <= PhotoLine.maximumBoxes else {
            throw HubError(
                .invalidArgument,
                "The photo would have \(boxes.count) boxes, and the limit is \(PhotoLine.maximumBoxes); draw fewer, or one around a group."
            )
        }
        var usable: [PhotoBox] = []
        for box in boxes {
            guard let label = try label(box.label) else {
                throw HubError(.invalidArgument, "A box has no label; give it one, or remove it.")
            }
            guard var clipped = box.clipped(toWidth: size.width, height: size.height) else { continue }
            clipped.label = label
            clipped.isGroup = box.isGroup == true ? true : nil
            clipped.confidence = nil
            usable.append(clipped)
        }
        return (usable, boxes.count - usable.count)
    }
}

/// The photos of a data set in numbers.
struct DataSetCounts: Sendable {
    /// The labels with the numbers of their photos, by name.
    var labels: [(label: String, count: Int)] = []
    /// The number of photos without a label and drawn boxes.
    var unlabeled = 0
    var byteCount = 0
    /// The number of all photos.
    var photos = 0
    /// The number of photos with a label.
    var labeled: Int { labels.reduce(0) { $0 + $1.count } }
    /// The labels of boxes with their numbers, by name.
    var boxLabels: [(label: String, count: Int)] = []
    /// The number of photos whose boxes are drawn.
    var boxed = 0
}

/// A photo of a data set.
struct Photo: Sendable, Hashable {
    /// The label that the model of the last training rather gives a photo, or what it finds in it.
    struct Doubt: Sendable, Hashable {
        /// From 1, the most doubtful.
        var place: Int
        var answer: String
        var confidence: Double
    }

    /// The number of the photo, which the store assigns.
    var id: Int64
    /// The SHA-256 of its file.
    var hash: BlobHash
    var byteCount: Int
    /// The name of the file, or its path in the archive.
    var name: String
    var label: String?
    /// The drawn boxes; nil if nobody has drawn them yet.
    var boxes: [PhotoBox]?
    /// Counts the changes of the boxes; nil if nobody has drawn them yet.
    var boxRevision: Int?
    /// Boxes that nobody has accepted yet; nil if none were looked for.
    var proposals: [PhotoBox]?
    var width: Int
    var height: Int
    var createTime: Timestamp
    var doubt: Doubt?
}

/// The photos of a list.
enum PhotoFilter: Sendable, Hashable {
    case all
    /// Photos with a label, or with a box of it.
    case label(String)
    /// Photos without a label and drawn boxes.
    case unlabeled
    /// Photos whose boxes nobody has drawn yet.
    case undrawn
    /// The most doubtful photos of the last training.
    case doubtful
}
