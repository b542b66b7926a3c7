import Sightline

/// How good a detector is on pictures whose objects are known.
public struct BoxReport: Sendable, Hashable, Codable {
    /// The model; nil where detections were given in a file.
    public var model: EvaluatedModel?
    /// The file with the annotations.
    public var source: String
    /// The file with the detections, if they were given in one.
    public var detectionsSource: String?
    /// Pictures that were evaluated.
    public var pictureCount: Int
    /// Known objects in them, without crowds.
    public var objectCount: Int
    /// Groups of objects, in which detections count neither way.
    public var crowdCount: Int
    /// What was found, of known categories.
    public var detectionCount: Int
    /// The pictures that could not be used; their objects are not looked for.
    public var skipped: SkippedPictures
    /// The model's labels that are the name of no category, and how often they were found; they count only where categories do
    /// not.
    public var unknownLabels: UnknownLabels

    /// COCO's twelve numbers; nil for a detector that knows no categories.
    public var summary: BoxSummary?
    /// The same with all categories taken for one: whether objects are found, whatever they are called. (`useCats = 0`.)
    public var classAgnostic: BoxSummary
    /// How well prominent objects are found, whatever they are called.
    public var prominent: ProminentObjects
    /// The categories that have objects or detections.
    public var categories: [CategoryResult]
    /// All detections together against the threshold: right where they overlap an object of their category by half (IoU ≥ 0.5)
    /// that no better one has. For a detector that knows no categories all are one.
    public var overall: ThresholdCurve
    /// The threshold with the best F1 of all detections together; nil where nothing is right.
    public var bestThreshold: Double?
    /// Precision at recall 0, .01 … 1, the mean of the categories'.
    public var precisionAtRecall: PrecisionAtRecall
    /// The pictures with most that is wrong at the threshold with the best F1, the worst first, at most ``maximumPictures``.
    public var pictures: [PictureResult]

    /// Seconds that all of it took.
    public var seconds: Double
    /// Of them, seconds for comparing boxes and counting with categories, what `evaluate` and `accumulate` of `pycocotools` do.
    public var scoringSeconds: Double

    /// The most pictures of a report.
    public static let maximumPictures = 60

    /// COCO's twelve numbers, as `pycocotools` prints them; nil where there are no such objects.
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
    }

    /// How well the objects are found that take up more than a share of their picture, IoU ≥ .5, whatever they are called, as
    /// `Training/evaluate` counts for localizers: of the ten best boxes of a picture; smaller objects and crowds count neither
    /// way, and so do boxes smaller than the share.
    public struct ProminentObjects: Sendable, Hashable, Codable {
        /// AP of objects of 1 % of the picture and more.
        public var ap50Over1Percent: Double
        /// AP of objects of 5 % of the picture and more.
        public var ap50Over5Percent: Double
        /// The share of objects of more than 5 % that are among the five best boxes.
        public var recall5Over5Percent: Double
    }

    /// How good it is at one category.
    public struct CategoryResult: Sendable, Hashable, Codable {
        /// Its number in the annotations.
        public var id: Int
        /// Its name.
        public var name: String
        /// AP over IoU .50:.05:.95; nil without objects.
        public var ap: Double?
        /// AP at IoU .50.
        public var ap50: Double?
        /// AP at IoU .75.
        public var ap75: Double?
        /// AR with the hundred best detections.
        public var ar100: Double?
        /// Its detections against the threshold at IoU .50.
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

    /// A picture with what was found and missed in it.
    public struct PictureResult: Sendable, Hashable, Codable {
        /// Its path in the folder of pictures.
        public var path: String
        /// Its size as the annotations have it.
        public var size: PixelSize
        /// The boxes.
        public var boxes: [PictureBox]

        /// The most boxes that are told of one picture.
        public static let maximumBoxes = 40
    }

    /// A box in a picture.
    public struct PictureBox: Sendable, Hashable, Codable {
        /// What became of it.
        public enum Outcome: String, Sendable, Hashable, Codable {
            /// Found, and there.
            case right
            /// Found, but not there, or called something else.
            case wrong
            /// There, but not found.
            case missed
        }

        /// Where it is, in pixels.
        public var frame: PixelRect
        /// What it is called.
        public var label: String
        /// How sure the detector was; nil for a missed object.
        public var confidence: Double?
        /// What became of it.
        public var outcome: Outcome
    }

    /// Labels that are the name of no category.
    public struct UnknownLabels: Sendable, Hashable, Codable {
        /// How many there are.
        public var count: Int
        /// Detections with them.
        public var detectionCount: Int
        /// The first fifty.
        public var names: [String]

        static let maximumNames = 50

        /// One sentence for people; nil if there are none.
        public var sentence: String? {
            guard count > 0 else { return nil }
            let are = count == 1 ? "1 label of the model is" : "\(count) labels of the model are"
            let listed = EvaluationError.list(names.count == count ? names : names + ["others"])
            let detections =
                detectionCount == 1 ? "1 detection of them was" : "\(detectionCount) detections of them were"
            return "\(are) the name of no category (\(listed)); \(detections) left out."
        }
    }
}
