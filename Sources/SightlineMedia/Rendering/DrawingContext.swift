extension DrawingContext {
    /// Makes the upper left corner transparent. Parts outside the picture are ignored.
    func clear(width: Int, height: Int) throws(MediaError) {
        let (width, height) = (min(width, self.width), min(height, self.height))
        try withPixels { pixels, pixelsPerRow in
            for row in 0..<height { (pixels + row * pixelsPerRow).update(repeating: 0, count: width) }
        }
    }
}
