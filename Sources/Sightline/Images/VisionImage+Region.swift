extension VisionImage {
    /// The part of the upright picture that a region of interest means; the whole picture for nil.
    ///
    /// - Throws: `ImageError.invalidRegion` if nothing of it lies inside the picture.
    func region(_ regionOfInterest: PixelRect?) throws(ImageError) -> PixelRect {
        let whole = PixelRect(size)
        guard let regionOfInterest else { return whole }
        guard let region = regionOfInterest.intersection(whole) else {
            throw .invalidRegion(regionOfInterest, in: size)
        }
        return region
    }
}
