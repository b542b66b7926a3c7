import Sightline
import TextFormatting

/// The quality of a detector on pictures with known objects.
public struct BoxReport: Sendable, Hashable, Codable {
    /// The model; nil if the detections come from a file.
    public var model: EvaluatedModel?
    /// The things that were compared; nil for boxes, by their overlap.
    public var comparison: ComparedThings?
    /// The file with the annotations.
    public var source: String
    /// The file with the detections, if they come from a file.
    public var detectionsSource: String?
    /// Width and height of the slices in which the model also searched, in pixels; nil if it saw whole pictures alone.
    public var slicePixels: Int?
    /// The number of evaluated pictures.
    public var pictureCount: Int
    /// The number of known objects in these pictures, without crowds.
    public var objectCount: Int
    /// The number of groups of objects. Detections inside a group are ignored.
    public var crowdCount: Int
    /// The number of detections with known categories.
    public var detectionCount: Int
    /// The pictures that could not be used; their objects do not count.
    public var skipped: SkippedPictures
    /// The model's labels that are not the name of a category, and the number of their detections. They count only in
    /// results without categories.
    public var unknownLabels: UnknownLabels

    /// COCO's twelve numbers; nil for a detector without categories.
    public var summary: BoxSummary?
    /// The same numbers with all categories merged into a single one (`useCats = 0`).
    public var classAgnostic: BoxSummary
    /// The results for prominent objects, regardless of their category.
    public var prominent: ProminentObjects
    /// The categories with objects or detections.
    public var categories: [CategoryResult]
    /// All detections by threshold. A detection is right if it overlaps an object of its category (IoU ≥ 0.5) that no
    /// better detection matches. For a detector without categories all objects have the same category.
    public var overall: ThresholdCurve
    /// The threshold with the best F1 of all detections; nil if no detection is right.
    public var bestThreshold: Double?
    /// Precision at recall 0, .01 … 1: the mean over the categories.
    public var precisionAtRecall: PrecisionAtRecall
    /// The pictures with the most mistakes at the threshold with the best F1, worst first, at most ``maximumPictures``.
    public var pictures: [PictureResult]

    /// The duration of the evaluation in seconds.
    public var seconds: Double
    /// The seconds of that for comparing boxes and counting with categories: the work of `evaluate` and `accumulate` in
    /// `pycocotools`.
    public var scoringSeconds: Double

    /// The maximum number of pictures in a report.
    public static let maximumPictures = 60

    /// Things that are compared instead of boxes.
    public enum ComparedThings: String, Sendable, Hashable, Codable {
        /// The pixels of objects, as with the iouType segm of pycocotools.
        case masks
        /// Key points, by COCO's similarity, OKS. Each IoU in the report is then an OKS, except in ``ProminentObjects``.
        case keypoints
    }

    /// COCO's twelve numbers, as printed by `pycocotools`; nil if there are no such objects.
    public struct BoxSummary: Sendable, Hashable, Codable {
        /// AP, the mean average precision over categories and IoU .50:.05:.95.
        public var ap: Double?
        /// AP at IoU .50.
        public var ap50: Double?
        /// AP at IoU .75.
        public var ap75: Double?
        /// AP of objects below 32² pixels.
        public var apSmall: Double?
        /// AP of objects of 32² to 96² pixels.
        public var apMedium: Double?
        /// AP of larger objects.
        public var apLarge: Double?
        /// AR, the mean recall over categories and IoU .50:.05:.95, with the best detection of a picture and category.
        public var ar1: Double?
        /// AR with the ten best detections.
        public var ar10: Double?
        /// AR with the hundred best detections.
        public var ar100: Double?
        /// AR of objects below 32² pixels.
        public var arSmall: Double?
        /// AR of objects of 32² to 96² pixels.
        public var arMedium: Double?
        /// AR of larger objects.
        public var arLarge: Double?
        /// AR with the twenty best detections, which COCO's evaluation of key points has instead of those with one, ten and a hundred.
        public var ar20: Double?
        /// AR at OKS .50; nil for boxes.
        public var ar50: Double?
        /// AR at OKS .75; nil for boxes.
        public var ar75: Double?

        /// The best recall of all: with a hundred detections, or with the twenty of key points.
        var ar: Double? { ar100 ?? ar20 }

        /// The names of the numbers in the order of `pycocotools`.
        static var rows: [(name: String, value: (BoxSummary) -> Double?)] {
            [
                ("AP, IoU .50:.05:.95", \.ap), ("AP, IoU .50", \.ap50), ("AP, IoU .75", \.ap75),
                ("AP, small objects", \.apSmall), ("AP, medium objects", \.apMedium), ("AP, large objects", \.apLarge),
                ("AR, best detection", \.ar1), ("AR, 10 detections", \.ar10), ("AR, 100 detections", \.ar100),
                ("AR, small objects", \.arSmall), ("AR, medium objects", \.arMedium), ("AR, large objects", \.arLarge),
            ]
        }

        /// The names of the numbers of key points in the order of `pycocotools`.
        static var keypointRows: [(name: String, value: (BoxSummary) -> Double?)] {
            [
                ("AP, OKS .50:.05:.95", \.ap), ("AP, OKS .50", \.ap50), ("AP, OKS .75", \.ap75),
                ("AP, medium objects", \.apMedium), ("AP, large objects", \.apLarge),
                ("AR, OKS .50:.05:.95", \.ar20), ("AR, OKS .50", \.ar50), ("AR, OKS .75", \.ar75),
                ("AR, medium objects", \.arMedium), ("AR, large objects", \.arLarge),
            ]
        }
    }

    /// The results for objects that cover more than a given share of their picture, IoU ≥ .5, regardless of category.
    ///
    /// The ten best boxes of a picture count, as in `Training/evaluate`. Smaller objects, crowds, and boxes smaller than
    /// the share are ignored.
    public struct ProminentObjects: Sendable, Hashable, Codable {
        /// AP of objects that cover at least 1 % of the picture.
        public var ap50Over1Percent: Double
        /// AP of objects that cover at least 5 % of the picture.
        public var ap50Over5Percent: Double
        /// The share of objects over 5 % of the picture that the five best boxes find.
        public var recall5Over5Percent: Double

        var rows: [(name: String, shortName: String, value: Double)] {
            [
                (
                    "AP, IoU .50, objects ≥ 1 % of the picture", "AP50, objects ≥ 1 % of the picture",
                    ap50Over1Percent
                ),
                ("AP, IoU .50, objects ≥ 5 %", "AP50, objects ≥ 5 %", ap50Over5Percent),
                ("AR, IoU .50, 5 detections, objects > 5 %", "AR50, 5 detections, > 5 %", recall5Over5Percent),
            ]
        }
    }

    /// The results for a category.
    public struct CategoryResult: Sendable, Hashable, Codable {
        /// The category's number in the annotations.
        public var id: Int
        /// The category's name.
        public var name: String
        /// AP over IoU .50:.05:.95; nil if there are no objects.
        public var ap: Double?
        /// AP at IoU .50.
        public var ap50: Double?
        /// AP at IoU .75.
        public var ap75: Double?
        /// AR with the hundred best detections.
        public var ar100: Double?
        /// The category's detections by threshold at IoU .50.
        public var curve: ThresholdCurve
    }

    /// Precision at recall 0, .01 … 1.
    public struct PrecisionAtRecall: Sendable, Hashable, Codable {
        /// At IoU .50.
        public var iou50: [Double]
        /// At IoU .75.
        public var iou75: [Double]
        /// The mean over IoU .50:.05:.95.
        public var mean: [Double]
    }

    /// A picture with the found and missed objects.
    public struct PictureResult: Sendable, Hashable, Codable {
        /// The picture's path within the folder of pictures.
        public var path: String
        /// The picture's size in the annotations.
        public var size: PixelSize
        /// The boxes.
        public var boxes: [PictureBox]

        /// The maximum number of boxes per picture.
        public static let maximumBoxes = 40
    }

    /// A box in a picture.
    public struct PictureBox: Sendable, Hashable, Codable {
        /// The result for a box.
        public enum Outcome: String, Sendable, Hashable, Codable {
            /// Detected, and correct.
            case right
            /// Detected, but there is no such object, or it has another category.
            case wrong
            /// A known object that was not detected.
            case missed
        }

        /// The bounding box in pixels.
        public var frame: PixelRect
        /// The label.
        public var label: String
        /// The detector's confidence; nil for a missed object.
        public var confidence: Double?
        /// The result for the box.
        public var outcome: Outcome
    }

    /// Labels that are not the name of a category.
    public struct UnknownLabels: Sendable, Hashable, Codable {
        /// The number of such labels.
        public var count: Int
        /// The number of detections with such labels.
        public var detectionCount: Int
        /// The first fifty labels.
        public var names: [String]

        static let maximumNames = 50

        /// A sentence for the user; nil if there are no such labels.
        public var sentence: String? {
            guard count > 0 else { return nil }
            let subject = count == 1 ? "1 label of the model is" : "\(count) labels of the model are"
            let listed = EvaluationError.list(names.count == count ? names : names + ["others"])
            let detections =
                detectionCount == 1 ? "1 detection was" : "\(detectionCount) detections were"
            return "\(subject) not the name of a category (\(listed)); \(detections) left out."
        }
    }
}

extension BoxReport {
    /// The results for prominent objects, which are those of boxes; none where other things are compared.
    var shownProminent: [(name: String, shortName: String, value: Double)] {
        comparison == nil ? prominent.rows : []
    }
}

extension BoxReport: EvaluationReport {
    package static let unit = "objects"

    package var score: Double? { (summary ?? classAgnostic).ap }
    /// The measure of a match: IoU, or OKS for key points.
    var measure: String { comparison == .keypoints ? "OKS" : "IoU" }
    /// The number of detections of a picture and category that count.
    private var detectionLimit: Int {
        comparison == .keypoints ? KeypointSimilarity.maximumCount : BoxScoring.maximumCounts[2]
    }
    /// The names of the numbers of the summary.
    var summaryRows: [(name: String, value: (BoxSummary) -> Double?)] {
        comparison == .keypoints ? BoxSummary.keypointRows : BoxSummary.rows
    }

    package var warning: String? { unknownLabels.sentence }
    package var boxPictures: [PictureResult]? { pictures }

    package mutating func nameModel(_ name: String) { model?.name = name }

    package func figures(at threshold: Double) -> [ReportFigure] {
        let main = summary ?? classAgnostic
        let isAgnostic = summary == nil
        let best = overall.best
        let (precision, recall) = (ReportNumbers.percent(best?.precision), ReportNumbers.percent(best?.recall))
        let kind = isAgnostic ? "of any object, because the model knows no categories" : "mean of all categories"
        let rate = NumberText.decimal(Double(pictureCount) / max(seconds, 0.001), 0)
        return [
            ReportFigure(
                .score(main.ap),
                file: .init("AP", isAgnostic ? "any object" : "\(measure) .50:.05:.95"),
                console: .init("AP", "Average precision over \(measure) .50 to .95, \(kind)")
            ),
            ReportFigure(
                .score(main.ap50),
                file: .init("AP50", "\(measure) .50"),
                console: .init("AP50", "Average precision at \(measure) .50")
            ),
            ReportFigure(.score(main.ap75), file: .init("AP75", "\(measure) .75")),
            ReportFigure(
                .score(main.ar),
                file: .init("AR", "\(detectionLimit) detections"),
                console: .init(
                    "AR",
                    "Average recall over \(measure) .50 to .95, with \(detectionLimit) detections per picture"
                )
            ),
            ReportFigure(
                .score(classAgnostic.ap50),
                file: .init("Any object", "AP50 without labels"),
                console: .init("AP50 of any object", "As AP50, regardless of the labels")
            ),
            ReportFigure(
                .threshold(best?.threshold),
                file: .init("Best threshold", "precision \(precision), recall \(recall)")
            ),
            ReportFigure(
                .count(objectCount),
                console: .init("Objects", "in \(NumberText.grouped(pictureCount, "picture")), \(rate) per second")
            ),
        ]
    }

    package var classes: ReportClasses {
        ReportClasses(
            title: "Categories",
            noun: "Category",
            together: "All categories together",
            recall: "the share of objects that are found",
            columns: ["Objects", "AP", "AP50", "AR"],
            rows: categories.map { category in
                let scores = [category.ap, category.ap50, category.ar100].map { ReportValue.score($0) }
                return .init(
                    name: category.name,
                    values: [.count(category.curve.wanted)] + scores,
                    curve: category.curve
                )
            }
        )
    }
}
