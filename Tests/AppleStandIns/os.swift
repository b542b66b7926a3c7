// swift-format-ignore-file
// The part of Apple's module os that the package uses, as Apple documents it. These locks work, so that the code around them can run.
import Glibc

public struct os_unfair_lock_s {
    fileprivate var mutex = pthread_mutex_t()
    public init() {}
}
public typealias os_unfair_lock = os_unfair_lock_s
public typealias os_unfair_lock_t = UnsafeMutablePointer<os_unfair_lock_s>

public func os_unfair_lock_lock(_ lock: os_unfair_lock_t) { pthread_mutex_lock(&lock.pointee.mutex) }
public func os_unfair_lock_unlock(_ lock: os_unfair_lock_t) { pthread_mutex_unlock(&lock.pointee.mutex) }
