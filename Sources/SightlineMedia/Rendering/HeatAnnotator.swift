import Sightline

extension AnnotatorKind {
    /// The places where objects stood, and the time for which they did.
    public static let heat = AnnotatorKind(
        name: "heat",
        summary:
            "where the objects of a video stood, and for how long; --annotate heat.png makes one picture of the video"
    ) { HeatAnnotator() }
}

/// Colors the places where objects stood so far, from blue for a moment to red for the longest time, with a scale in seconds.
public struct HeatAnnotator: Annotator {
    private var map = HeatMap()

    /// Creates an annotator that has seen no frame.
    public init() {}

    /// Adds the places of all frames so far.
    public mutating func annotate(_ layout: inout AnnotationLayout, _ scene: AnnotatedScene) {
        guard let time = scene.timestamp else { return }
        map.add(scene.objects, at: time, size: layout.size)
        layout.addHeat(map)
    }
}

/// The colors of a heat map.
struct HeatScale: Sendable {
    /// The time of the last color, in seconds.
    let most: Double

    /// From blue to red, as a share of the scale; dark and light colors alternate with hue so that people with any color vision see an order.
    private static let stops: [(red: Double, green: Double, blue: Double)] = [
        (40, 60, 190), (30, 150, 220), (80, 200, 120), (250, 220, 60), (245, 130, 30), (200, 20, 30),
    ]
    /// The largest opacity, so that the picture remains visible.
    private static let opacity = 0.75
    /// The share of the scale that fades in.
    private static let fading = 0.15

    /// The share of the scale for a time. The square root keeps short times visible beside long ones.
    func share(_ seconds: Double) -> Double { most > 0 ? min(max(seconds / most, 0), 1).squareRoot() : 0 }

    /// The time at a share of the scale, in seconds.
    func seconds(at share: Double) -> Double { most * share * share }

    /// The ink for a time: 0xAARRGGBB, colors multiplied with alpha.
    func ink(_ seconds: Double) -> UInt32 {
        let share = share(seconds)
        guard share > 0 else { return 0 }
        let alpha = Self.opacity * min(share / Self.fading, 1)
        let color = Self.color(atShare: share)
        func value(_ part: Double) -> UInt32 { UInt32((alpha * part).rounded()) }
        return value(255) << 24 | value(Double(color.red)) << 16 | value(Double(color.green)) << 8
            | value(Double(color.blue))
    }

    /// The color at a share of the scale.
    static func color(atShare share: Double) -> AnnotationColor {
        let place = min(max(share, 0), 1) * Double(stops.count - 1)
        let index = min(Int(place), stops.count - 2)
        let (first, second, part) = (stops[index], stops[index + 1], place - Double(index))
        func value(_ one: Double, _ other: Double) -> UInt8 { UInt8((one + (other - one) * part).rounded()) }
        return AnnotationColor(
            red: value(first.red, second.red),
            green: value(first.green, second.green),
            blue: value(first.blue, second.blue)
        )
    }
}
