// swift-format-ignore-file
// The part of Core Video that the adapters use, as Apple documents it; nothing of it works.
@_exported import CoreGraphics

public class CVBuffer {
    init() {}
}
public typealias CVImageBuffer = CVBuffer
public typealias CVPixelBuffer = CVBuffer
public typealias OSType = UInt32
public typealias CVReturn = Int32
public struct CVPixelBufferLockFlags: OptionSet, Sendable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }
    public static let readOnly = CVPixelBufferLockFlags(rawValue: 1)
}
public struct CVAttachmentMode {}

public var kCVReturnSuccess: CVReturn { 0 }
public var kCVPixelFormatType_32BGRA: OSType { 0 }
public var kCVPixelFormatType_OneComponent8: OSType { 1 }
public var kCVPixelFormatType_OneComponent32Float: OSType { 4 }
public var kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange: OSType { 2 }
public var kCVPixelFormatType_420YpCbCr8BiPlanarFullRange: OSType { 3 }
public let kCVImageBufferYCbCrMatrixKey : CFString = ""
public let kCVImageBufferYCbCrMatrix_ITU_R_709_2 : CFString = ""

public func CVPixelBufferCreate(
    _ allocator: CFTypeRef?,
    _ width: Int,
    _ height: Int,
    _ format: OSType,
    _ attributes: CFDictionary?,
    _ buffer: UnsafeMutablePointer<CVPixelBuffer?>
) -> CVReturn { 0 }
public func CVPixelBufferGetPixelFormatType(_ buffer: CVPixelBuffer) -> OSType { 0 }
public func CVPixelBufferGetWidth(_ buffer: CVPixelBuffer) -> Int { 0 }
public func CVPixelBufferGetHeight(_ buffer: CVPixelBuffer) -> Int { 0 }
public func CVPixelBufferGetBytesPerRow(_ buffer: CVPixelBuffer) -> Int { 0 }
public func CVPixelBufferGetBaseAddress(_ buffer: CVPixelBuffer) -> UnsafeMutableRawPointer? { nil }
public func CVPixelBufferGetPlaneCount(_ buffer: CVPixelBuffer) -> Int { 0 }
public func CVPixelBufferGetHeightOfPlane(_ buffer: CVPixelBuffer, _ plane: Int) -> Int { 0 }
public func CVPixelBufferGetBytesPerRowOfPlane(_ buffer: CVPixelBuffer, _ plane: Int) -> Int { 0 }
public func CVPixelBufferGetBaseAddressOfPlane(_ buffer: CVPixelBuffer, _ plane: Int) -> UnsafeMutableRawPointer? {
    nil
}
@discardableResult
public func CVPixelBufferLockBaseAddress(_ buffer: CVPixelBuffer, _ flags: CVPixelBufferLockFlags) -> CVReturn { 0 }
@discardableResult
public func CVPixelBufferUnlockBaseAddress(_ buffer: CVPixelBuffer, _ flags: CVPixelBufferLockFlags) -> CVReturn { 0 }
public func CVBufferCopyAttachment(
    _ buffer: CVBuffer,
    _ key: CFString,
    _ mode: UnsafeMutablePointer<CVAttachmentMode>?
) -> CFTypeRef? { nil }
