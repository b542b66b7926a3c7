#if canImport(UIKit) && !os(watchOS)
    public import UIKit

    /// A view of objects' boxes and names for UIKit, to lay over a picture or a camera's preview. SwiftUI has ``ObjectBoxes``.
    ///
    /// ```swift
    /// let boxes = ObjectBoxesView(frame: preview.bounds)
    /// boxes.scaling = .fill
    /// preview.addSubview(boxes)
    /// boxes.show(result.objects, in: result.size)
    /// ```
    ///
    /// All boxes are drawn in one step. The view takes no touches.
    public final class ObjectBoxesView: UIView {
        /// The way in which the view below shows the picture.
        public var scaling = PictureFit.Scaling.fit {
            didSet { setNeedsDisplay() }
        }

        /// The color of the boxes and names.
        public var color = UIColor.yellow {
            didSet { setNeedsDisplay() }
        }

        private var objects: [DetectedObject] = []
        private var size: PixelSize?

        /// Creates a view without boxes.
        public override init(frame: CGRect) {
            super.init(frame: frame)
            becomeOverlay()
        }

        /// Creates a view without boxes from a storyboard.
        public required init?(coder: NSCoder) {
            super.init(coder: coder)
            becomeOverlay()
        }

        /// Shows objects in place of those before.
        ///
        /// - Parameters:
        ///   - objects: The objects to show.
        ///   - size: The size of the upright picture in which they were found.
        public func show(_ objects: [DetectedObject], in size: PixelSize) {
            self.objects = objects
            self.size = size
            setNeedsDisplay()
        }

        /// Draws the boxes and names; called by UIKit.
        public override func draw(_ rect: CGRect) {
            guard let size else { return }
            let fit = PictureFit(size, in: bounds.size, scaling: scaling)
            let boxes = UIBezierPath()
            boxes.lineWidth = 2
            for object in objects {
                let box = fit.rect(of: object.frame)
                boxes.append(UIBezierPath(rect: box))
                guard let label = object.labels.first else { continue }
                let name = NSAttributedString(string: label.text, attributes: nameAttributes)
                name.draw(at: CGPoint(x: box.minX, y: box.minY - name.size().height))
            }
            color.setStroke()
            boxes.stroke()
        }

        private var nameAttributes: [NSAttributedString.Key: Any] {
            [.font: UIFont.preferredFont(forTextStyle: .caption1), .foregroundColor: color]
        }

        private func becomeOverlay() {
            backgroundColor = .clear
            isOpaque = false
            isUserInteractionEnabled = false
            contentMode = .redraw
        }
    }
#endif
