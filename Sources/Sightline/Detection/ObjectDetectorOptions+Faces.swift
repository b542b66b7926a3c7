extension ObjectDetectorOptions {
    /// Options that find as many faces as possible, also small ones, to hide them.
    ///
    /// The whole picture is searched, and overlapping slices of it, because networks see faces of 10 pixels in a slice of 240, and the mirror
    /// image of each. Any number of faces is reported, from a confidence of 0.2 on. No detector finds all faces.
    ///
    /// ```swift
    /// let detector = try ObjectDetector(options: .faces(try ModelStore.ofUser().faceDetector()))
    /// ```
    ///
    /// - Parameter model: a detector of faces, for example that of the catalog, `ultra-light-face-320`.
    public static func faces(_ model: LocalModel) -> ObjectDetectorOptions {
        var options = ObjectDetectorOptions(model: model)
        options.slices = PictureSlices(pixels: 240, isPyramid: true)
        options.searchesMirrorImage = true
        // A face that is missed does more harm than a spot that is hidden.
        options.scoreThreshold = 0.2
        options.maximumObjects = .max
        return options
    }
}
