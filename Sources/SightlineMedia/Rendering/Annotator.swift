import Sightline

/// Adds marks for the results of a picture, such as boxes or names.
///
/// An annotator only says where its marks are; ``PictureRenderer`` draws them. A new annotator is a type that conforms to this
/// protocol and, if commands should offer it, an entry in `AnnotatorKind.all`.
///
/// ```swift
/// struct CenterAnnotator: Annotator {
///     func annotate(_ layout: inout AnnotationLayout, _ scene: AnnotatedScene) {
///         for object in scene.objects {
///             let center = PixelPoint(x: object.frame.midX, y: object.frame.midY)
///             layout.addTag("+", at: center, color: .color(of: object))
///         }
///     }
/// }
/// ```
public protocol Annotator: Sendable {
    /// Adds the marks for one picture or frame. An annotator may remember earlier frames.
    mutating func annotate(_ layout: inout AnnotationLayout, _ scene: AnnotatedScene)
}

/// The results that annotators show on one picture or frame. Coordinates are pixels of the upright picture.
public struct AnnotatedScene: Sendable, Hashable {
    /// A line or an area, for example a counting line or a zone.
    public struct Outline: Sendable, Hashable {
        /// The corners.
        public var points: [PixelPoint]
        /// Whether a line joins the last corner with the first.
        public var isClosed: Bool
        /// The text of the tag at the middle, for example a count; empty for no tag.
        public var caption: String

        /// Creates an outline.
        public init(points: [PixelPoint], isClosed: Bool, caption: String = "") {
            self.points = points
            self.isClosed = isClosed
            self.caption = caption
        }
    }

    /// The objects.
    public var objects: [DetectedObject]
    /// The objects of a stream that have no identity yet. Annotators that hide objects must also hide these.
    public var tentative: [DetectedObject]
    /// Further parts of the picture that annotators that hide objects must hide, from ``CoverPlanner``.
    public var covers: [PixelRect]
    /// Further masks that annotators that hide objects must hide, from ``CoverPlanner``.
    public var coverMasks: [ObjectMask]
    /// The labels of the whole picture, most confident first.
    public var labels: [Label]
    /// Lines and areas.
    public var outlines: [Outline]
    /// The time of the frame; nil for a picture.
    public var timestamp: Duration?

    /// Creates a scene.
    public init(
        objects: [DetectedObject] = [],
        tentative: [DetectedObject] = [],
        covers: [PixelRect] = [],
        coverMasks: [ObjectMask] = [],
        labels: [Label] = [],
        outlines: [Outline] = [],
        timestamp: Duration? = nil
    ) {
        self.objects = objects
        self.tentative = tentative
        self.covers = covers
        self.coverMasks = coverMasks
        self.labels = labels
        self.outlines = outlines
        self.timestamp = timestamp
    }

    /// Creates a scene with the results for a frame.
    public init(
        _ result: StreamResult,
        covers: [PixelRect] = [],
        coverMasks: [ObjectMask] = [],
        outlines: [Outline] = []
    ) {
        self.init(
            objects: result.objects,
            tentative: result.tentative,
            covers: covers,
            coverMasks: coverMasks,
            outlines: outlines,
            timestamp: result.timestamp
        )
    }
}
