extension VisionImage {
    /// Returns the part of a region of interest that lies inside the upright picture; the whole picture for nil.
    ///
    /// - Throws: `ImageError.invalidRegion` if the region lies outside the picture.
    package func region(_ regionOfInterest: PixelRect?) throws(ImageError) -> PixelRect {
        let whole = PixelRect(size)
        guard let regionOfInterest else { return whole }
        guard let region = regionOfInterest.intersection(whole) else {
            throw .invalidRegion(regionOfInterest, in: size)
        }
        return region
    }
}
