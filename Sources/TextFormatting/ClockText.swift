/// Times and durations for people.
package enum ClockText {
    /// A time of a video, for example `1:02:03.4` or `0:07.2`.
    package static func text(_ time: Duration) -> String {
        let all = time / .seconds(1)
        guard all.isFinite, time >= .zero else { return seconds(time) }
        let tenths = Int((all * 10).rounded())
        let (hours, minutes, rest) = (tenths / 36_000, tenths / 600 % 60, tenths % 600)
        let clock = "\(rest < 100 ? "0" : "")\(rest / 10).\(rest % 10)"
        guard hours > 0 else { return "\(minutes):\(clock)" }
        return "\(hours):\(minutes < 10 ? "0" : "")\(minutes):\(clock)"
    }

    /// A duration, for example `7.2 s`.
    package static func seconds(_ time: Duration) -> String { "\((time / .seconds(1) * 10).rounded() / 10) s" }
}
