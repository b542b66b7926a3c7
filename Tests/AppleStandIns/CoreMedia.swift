// swift-format-ignore-file
// The part of Core Media that the adapters use, as Apple documents it; nothing of it works.
@_exported import CoreVideo

public final class CMSampleBuffer {
    init() {}
}

public func CMSampleBufferGetImageBuffer(_ buffer: CMSampleBuffer) -> CVImageBuffer? { nil }

public struct CMTime: Sendable {
    init() {}
}
public func CMTimeGetSeconds(_ time: CMTime) -> Float64 { 0 }
public func CMSampleBufferGetPresentationTimeStamp(_ buffer: CMSampleBuffer) -> CMTime { CMTime() }
