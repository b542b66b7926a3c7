extension ImageOrientation {
    /// Whether columns of the stored picture run against the upright axis that they become.
    package var mirrorsColumns: Bool {
        switch self {
        case .upMirrored, .down, .rightMirrored, .left: true
        case .up, .downMirrored, .leftMirrored, .right: false
        }
    }

    /// Whether rows of the stored picture run against the upright axis that they become.
    package var mirrorsRows: Bool {
        switch self {
        case .down, .downMirrored, .right, .rightMirrored: true
        case .up, .upMirrored, .leftMirrored, .left: false
        }
    }

    /// Converts a rectangle of the upright picture to one of the stored picture, which has the given size.
    package func storedRect(of upright: PixelRect, in stored: PixelSize) -> PixelRect {
        var rect = upright
        if swapsAxes {
            rect = PixelRect(x: upright.y, y: upright.x, width: upright.height, height: upright.width)
        }
        if mirrorsColumns { rect.x = Double(stored.width) - rect.maxX }
        if mirrorsRows { rect.y = Double(stored.height) - rect.maxY }
        return rect
    }
}
