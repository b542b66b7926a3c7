/// A color value over white, 0…255.
@inline(__always)
func onWhite(_ value: UInt8, opacity: UInt8) -> UInt8 {
    let sum = UInt32(value) * UInt32(opacity) + 255 * (255 - UInt32(opacity))
    return UInt8(truncatingIfNeeded: (sum + 127) / 255)
}
