import Sightline

/// The settings of a detector of things with named points, such as faces and bodies.
public struct PointSettings: Sendable {
    /// The model that finds the objects.
    public var model: ModelSource
    /// A point that the model must give.
    public var neededPoint: ObjectPoint.Name
    /// Whether pictures form a stream in which objects have identities.
    public var tracksObjects = false
    /// Whether small objects are also searched in slices of single pictures.
    public var searchesSlices = false

    /// Creates settings for single pictures.
    public init(model: ModelSource, neededPoint: ObjectPoint.Name) {
        (self.model, self.neededPoint) = (model, neededPoint)
    }

    /// Width and height of a slice, as for hiding faces.
    private static let slicePixels = 240

    func options() throws -> ObjectDetectorOptions {
        var options = ObjectDetectorOptions(model: try model.model())
        options.maximumObjects = .max
        if searchesSlices, !tracksObjects {
            options.slices = PictureSlices(pixels: Self.slicePixels, isPyramid: true)
        }
        return options
    }
}
