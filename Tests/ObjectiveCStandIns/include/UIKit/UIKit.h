#pragma once

#include <Foundation/Foundation.h>

NS_ASSUME_NONNULL_BEGIN

typedef enum
    __attribute__((enum_extensibility(open), swift_name("UIImage.Orientation"))) UIImageOrientation : NSInteger {
        UIImageOrientationUp,
        UIImageOrientationDown,
        UIImageOrientationLeft,
        UIImageOrientationRight,
        UIImageOrientationUpMirrored,
        UIImageOrientationDownMirrored,
        UIImageOrientationLeftMirrored,
        UIImageOrientationRightMirrored,
    } UIImageOrientation;

@interface UIImage : NSObject
@property(nonatomic, readonly) UIImageOrientation imageOrientation;
@end

NS_ASSUME_NONNULL_END
