#pragma once

#include <CoreFoundation/CoreFoundation.h>
#include <ObjectiveC/ObjectiveC.h>

#define SENDABLE __attribute__((swift_attr("@Sendable")))

NS_ASSUME_NONNULL_BEGIN

typedef struct CGPoint {
    CGFloat x, y;
} CGPoint;
typedef struct CGSize {
    CGFloat width, height;
} CGSize;
typedef struct CGRect {
    CGPoint origin;
    CGSize size;
} CGRect;

@protocol NSCopying
- (id)copyWithZone:(nullable NSZone *)zone;
@end

SENDABLE @interface NSString : NSObject<NSCopying>
- (BOOL)isEqualToString:(NSString *)string;
@end
SENDABLE @interface NSNumber : NSObject
@property(readonly) float floatValue;
@property(readonly, getter=integerValue) NSInteger intValue; // As Swift names it.
+ (NSNumber *)numberWithDouble:(double)value;
+ (NSNumber *)numberWithInt:(int)value;
@end
SENDABLE @interface NSData : NSObject
@end
SENDABLE @interface NSURL : NSObject
@end
SENDABLE @interface NSError : NSObject
@property(readonly, copy) NSString *localizedDescription;
@end
@interface NSArray<__covariant ObjectType> : NSObject
@property(readonly) NSUInteger count;
@property(nullable, readonly) ObjectType firstObject;
+ (instancetype)arrayWithObjects:(const ObjectType _Nonnull[_Nullable])objects count:(NSUInteger)count;
- (ObjectType)objectAtIndexedSubscript:(NSUInteger)index;
- (NSUInteger)countByEnumeratingWithState:(struct NSFastEnumerationState *)state
                                  objects:(id _Nullable __unsafe_unretained[_Nonnull])buffer
                                    count:(NSUInteger)count;
@end
@interface NSDictionary<__covariant KeyType, __covariant ObjectType> : NSObject
- (nullable ObjectType)objectForKeyedSubscript:(KeyType)key;
@end
SENDABLE __attribute__((swift_name("Progress")))
@interface NSProgress : NSObject
@property(readonly) double fractionCompleted;
@end

struct NSFastEnumerationState {
    unsigned long state;
    id _Nullable __unsafe_unretained *_Nullable itemsPtr;
    unsigned long *_Nullable mutationsPtr;
    unsigned long extra[5];
};

typedef NSString *NSNotificationName __attribute__((swift_newtype(struct)))
__attribute__((swift_name("NSNotification.Name")));
@interface NSNotification : NSObject
@property(nullable, readonly, copy) NSDictionary *userInfo;
@end
__attribute__((swift_name("OperationQueue")))
@interface NSOperationQueue : NSObject
@end
__attribute__((swift_name("NotificationCenter")))
@interface NSNotificationCenter : NSObject
@property(class, readonly, strong) NSNotificationCenter *defaultCenter;
- (id)addObserverForName:(nullable NSNotificationName)name
                  object:(nullable id)object
                   queue:(nullable NSOperationQueue *)queue
              usingBlock:(void (^)(NSNotification *note))block;
@end

void NSLog(NSString *format, ...);

NS_ASSUME_NONNULL_END
