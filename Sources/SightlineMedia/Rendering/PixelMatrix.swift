/// Maps points: (xx x + xy y + x0, yx x + yy y + y0).
struct PixelMatrix: Sendable {
    var xx: Double
    var yx: Double
    var xy: Double
    var yy: Double
    var x0: Double
    var y0: Double
}
