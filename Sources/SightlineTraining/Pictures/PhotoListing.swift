import Foundation
import Sightline
import SightlineEvaluation

/// The pictures of an archive with the labels that it gives them, for a program that keeps pictures before it trains.
///
/// Unlike ``TrainingPictures``, a listing may have a single label, or pictures without one.
package struct PhotoListing: Sendable {
    /// A picture and its label.
    package struct Photo: Sendable, Hashable {
        /// The path within the archive.
        package let path: String
        /// The label; nil for none.
        package let label: String?
        /// The drawn boxes; nil if the archive has none of any picture.
        package var boxes: [LabeledBox]?
        /// The size for which the boxes hold; nil if the archive does not give it.
        package var size: PixelSize?
    }

    /// The pictures, in the order of the archive's list.
    package let photos: [Photo]
    /// The files that are already known to be unusable.
    package let skipped: SkippedPictures
    /// The files of the pictures.
    package let files: PictureFiles

    /// Lists the pictures of a zip archive without opening them.
    ///
    /// - Parameters:
    ///   - archive: An archive with a folder of pictures for each label, or with a CSV file or annotations in COCO's format.
    ///   - label: The label of all pictures; nil for those that the archive gives.
    ///   - limits: The limits on the archive.
    /// - Throws: `EvaluationError` or ``TrainingError``.
    package init(archive: URL, label: String?, limits: LabeledPictures.Limits) throws {
        if let label {
            files = try PictureFiles(contentsOf: archive, limits: limits)
            skipped = SkippedPictures()
            photos = (files.archivePaths ?? []).map { Photo(path: $0, label: label) }
            return
        }
        // A picture with boxes may have things of several labels, and then has none of its own.
        let list = try LabeledList(contentsOf: archive, images: nil, severalLabels: true, limits: limits)
        files = list.files
        var skipped = list.skipped
        photos = list.pictures.compactMap { picture in
            guard picture.boxes != nil || picture.labels.count < 2 else {
                skipped.add(
                    picture.path,
                    "It has several labels (\(picture.labels.sorted().joined(separator: ", "))); give it one."
                )
                return nil
            }
            return Photo(
                path: picture.path,
                label: picture.labels.count == 1 ? picture.labels.first : nil,
                boxes: picture.boxes?.map {
                    LabeledBox(frame: $0.frame, label: LabeledList.label($0.label), isGroup: $0.isGroup)
                },
                size: picture.size
            )
        }
        self.skipped = skipped
    }

    /// A label in the form that a model has it.
    package static func label(_ text: String) -> String { LabeledList.label(text) }
}

extension TrainingPictures {
    /// A file in a folder with its label.
    package struct LabeledFile: Sendable, Codable {
        /// The name of the file in the folder.
        package var file: String
        /// The label.
        package var label: String

        /// Names a file.
        package init(file: String, label: String) { (self.file, self.label) = (file, label) }
    }

    /// Takes files of a folder as pictures with one label each.
    ///
    /// - Parameters:
    ///   - files: The files.
    ///   - folder: The folder.
    ///   - name: The name of the pictures in reports.
    /// - Throws: ``TrainingError``.
    package init(_ files: [LabeledFile], in folder: URL, named name: String) throws(TrainingError) {
        try self.init(
            files.map { LabeledList.Picture(path: $0.file, labels: [LabeledList.label($0.label)]) },
            of: PictureFiles(folder: folder),
            skipped: SkippedPictures(),
            name: name,
            path: name,
            severalLabels: false
        )
    }
}
