import Foundation
import Sightline

extension CGRect {
    /// Creates the same rectangle, in pixels of the upright picture.
    public init(_ rect: PixelRect) {
        self.init(x: rect.x, y: rect.y, width: rect.width, height: rect.height)
    }
}
