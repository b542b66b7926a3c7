import ArgumentParser
import CommandLineSupport
import Sightline

/// The value of `--by`.
enum AnchorArgument: String, ExpressibleByArgument, CaseIterable, Sendable {
    /// The middle of the box's lower edge.
    case bottom
    /// The middle of the box.
    case center
    /// The ankles, if the model gives them.
    case feet

    var anchor: BoxAnchor {
        switch self {
        case .bottom: .bottomCenter
        case .center: .center
        case .feet: .feet
        }
    }
}

extension TrackCommand {
    /// Refuses `--by` without anything to count.
    func checkAnchor() throws {
        if by != nil, line.isEmpty, zone.isEmpty { throw ValidationError("--by needs a --line or a --zone.") }
    }

    /// Refuses a model without the points that `--by` asks for.
    ///
    /// - Throws: `InputError`.
    func checkPoints(of detector: StreamDetector) throws(InputError) {
        guard by == .feet else { return }
        let names = detector.pointNames ?? []
        guard !names.contains(.leftAnkle), !names.contains(.rightAnkle) else { return }
        throw InputError(
            reason: """
                \(detector.modelFiles.name) gives no ankles, which --by feet needs; name a model for poses with --model, or give \
                --by bottom.
                """
        )
    }
}
