extension ModelSidecar {
    /// The fit of a picture: by the fields of the sidecar, the rest as `preferred`.
    func fit(preferred: ImageFit) -> ImageFit {
        var (kind, fill, anchor) = preferred.parts
        kind = input?.fit ?? kind
        fill = input?.fill ?? fill
        anchor = input?.anchor ?? anchor
        return switch kind {
        case .stretch: .stretch
        case .crop: .crop
        case .letterbox: .letterbox(fill: fill, anchor: anchor)
        }
    }
}

extension ImageFit {
    /// The fit by the fields of a sidecar. A fit without a filling gets YOLO's.
    fileprivate var parts: (kind: ModelSidecar.Input.Fit, fill: UInt8, anchor: LetterboxAnchor) {
        switch self {
        case .stretch: (.stretch, 114, .center)
        case .crop: (.crop, 114, .center)
        case .letterbox(let fill, let anchor): (.letterbox, fill, anchor)
        }
    }
}
