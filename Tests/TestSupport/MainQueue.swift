import Dispatch

private let key: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
}()

/// Whether the caller serves the main queue, on whichever thread: in tests on Linux, that is not the main one.
public var isOnMainQueue: Bool { DispatchQueue.getSpecific(key: key) == true }
