import Sightline

extension TestScene {
    /// Draws the frames of a video in which the blocks move.
    ///
    /// ```swift
    /// let frames = try scene.frames(count: 8) { block, index in block.column += index }
    /// for frame in frames { print(try detector.result(in: frame).objects) }
    /// ```
    ///
    /// - Parameters:
    ///   - count: the number of frames.
    ///   - interval: the time from a frame to the next.
    ///   - move: places a block in the frame with an index, starting from its place in this scene.
    /// - Throws: `ImageError` if the picture has no pixels.
    public func frames(
        count: Int,
        every interval: Duration = .milliseconds(40),
        move: (inout Block, Int) -> Void
    ) throws -> [VideoFrame] {
        try (0..<max(count, 0)).map { index in
            var scene = self
            for position in scene.blocks.indices { move(&scene.blocks[position], index) }
            return VideoFrame(image: try scene.image(), timestamp: interval * index, index: index)
        }
    }
}
