#if canImport(SwiftUI)
    import Foundation
    public import SwiftUI

    /// A view of objects' boxes and names, to lay over a picture or a camera's preview.
    ///
    /// ```swift
    /// CameraPreview(session: session)
    ///     .overlay { ObjectBoxes(result.objects, in: result.size, scaling: .fill) }
    /// ```
    ///
    /// All boxes are drawn in one step. The view takes no touches.
    public struct ObjectBoxes: View {
        private let objects: [DetectedObject]
        private let size: PixelSize
        private let scaling: PictureFit.Scaling
        private let color: Color

        /// Creates a view of boxes.
        ///
        /// - Parameters:
        ///   - objects: The objects to show.
        ///   - size: The size of the upright picture in which they were found.
        ///   - scaling: The way in which the view below shows the picture.
        ///   - color: The color of the boxes and names.
        public init(
            _ objects: [DetectedObject],
            in size: PixelSize,
            scaling: PictureFit.Scaling = .fit,
            color: Color = .yellow
        ) {
            self.objects = objects
            self.size = size
            self.scaling = scaling
            self.color = color
        }

        /// The boxes and names.
        public var body: some View {
            Canvas { context, viewSize in
                let fit = PictureFit(size, in: viewSize, scaling: scaling)
                for object in objects {
                    let box = fit.rect(of: object.frame)
                    context.stroke(Path(box), with: .color(color), lineWidth: 2)
                    guard let label = object.labels.first else { continue }
                    context.draw(
                        Text(label.text).font(.caption).foregroundColor(color),
                        at: CGPoint(x: box.minX, y: box.minY),
                        anchor: .bottomLeading
                    )
                }
            }
            .allowsHitTesting(false)
        }
    }
#endif
