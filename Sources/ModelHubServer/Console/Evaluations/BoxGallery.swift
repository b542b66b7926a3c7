import Sightline
import SightlineEvaluation
import TextFormatting

/// Pictures with the boxes that a detector found and missed, prepared for a page.
struct BoxGallery: Sendable {
    struct Box: Sendable {
        /// `right`, `wrong` or `missed`.
        var outcome: String
        var x: String
        var y: String
        var width: String
        var height: String
        var title: String
    }

    struct Picture: Sendable {
        var path: String
        var name: String
        var isShown: Bool
        var width: String
        var height: String
        var boxes: [Box]
        var summary: String
    }

    var threshold: String
    var pictures: [Picture]

    /// The maximum size of a picture that is drawn.
    private static let sides = 1...100_000
    /// The maximum number of labels in a summary.
    private static let maximumNames = 5

    /// The maximum number of pictures.
    private static let maximumPictures = 24

    /// The pictures of a report that its page shows.
    static func shown(of report: any EvaluationReport) -> ArraySlice<BoxReport.PictureResult> {
        (report.boxPictures ?? []).prefix(maximumPictures)
    }

    init(_ pictures: [BoxReport.PictureResult], _ choice: EvaluationChoice, threshold: Double) {
        self.threshold = NumberText.decimal(threshold, 2)
        self.pictures = pictures.prefix(Self.maximumPictures).map { picture in
            let name = EvaluationThumbnails.name(of: picture.path)
            let hasSize = Self.sides.contains(picture.size.width) && Self.sides.contains(picture.size.height)
            return Picture(
                path: "\(choice.path)/pictures/\(name)",
                name: picture.path,
                isShown: hasSize && choice.thumbnails.contains(name),
                width: "\(picture.size.width)",
                height: "\(picture.size.height)",
                // Mistakes are drawn last, above everything else.
                boxes: picture.boxes.reversed().map { Box($0) },
                summary: Self.summary(of: picture.boxes)
            )
        }
    }

    /// For example `1 wrong: cup. 2 missed: chair, person.`
    private static func summary(of boxes: [BoxReport.PictureBox]) -> String {
        func part(_ outcome: BoxReport.PictureBox.Outcome) -> String? {
            let names = boxes.filter { $0.outcome == outcome }.map(\.label)
            guard !names.isEmpty else { return nil }
            let different = names.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
            let more = different.count > maximumNames ? " and others" : ""
            let list = different.prefix(maximumNames).joined(separator: ", ")
            return "\(NumberText.grouped(names.count)) \(outcome.rawValue): \(list)\(more)."
        }
        return [part(.wrong), part(.missed)].compactMap(\.self).joined(separator: " ")
    }
}

extension BoxGallery.Box {
    fileprivate init(_ box: BoxReport.PictureBox) {
        outcome = box.outcome.rawValue
        x = NumberText.decimal(box.frame.x, 1)
        y = NumberText.decimal(box.frame.y, 1)
        width = NumberText.decimal(max(box.frame.width, 0), 1)
        height = NumberText.decimal(max(box.frame.height, 0), 1)
        let confidence = box.confidence.map { " " + NumberText.percent($0) } ?? ""
        title = "\(box.outcome.rawValue): \(box.label)\(confidence)"
    }
}
