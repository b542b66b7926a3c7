// The names of ML Kit that Objective-C has and that Swift cannot declare for it: constants and types of blocks. The
// classes come from the Swift modules, and Swift code has its own names for everything here.
#pragma once

#ifdef __OBJC__

@import Foundation;

@class MLKImageLabel;
@class MLKObject;

NS_ASSUME_NONNULL_BEGIN

#define MLKIT_CONSTANT static const __attribute__((unused))

// Whether pictures are independent or form a stream.
typedef NSInteger MLKObjectDetectorMode;
MLKIT_CONSTANT MLKObjectDetectorMode MLKObjectDetectorModeSingleImage = 0;
MLKIT_CONSTANT MLKObjectDetectorMode MLKObjectDetectorModeStream = 1;

// The texts of the built-in classifier's labels.
typedef NSString *MLKDetectedObjectLabel;
MLKIT_CONSTANT MLKDetectedObjectLabel MLKDetectedObjectLabelFashionGood = @"Fashion good";
MLKIT_CONSTANT MLKDetectedObjectLabel MLKDetectedObjectLabelHomeGood = @"Home good";
MLKIT_CONSTANT MLKDetectedObjectLabel MLKDetectedObjectLabelFood = @"Food";
MLKIT_CONSTANT MLKDetectedObjectLabel MLKDetectedObjectLabelPlace = @"Place";
MLKIT_CONSTANT MLKDetectedObjectLabel MLKDetectedObjectLabelPlant = @"Plant";

// The indices of the built-in classifier's labels.
typedef NSInteger MLKDetectedObjectLabelIndex;
MLKIT_CONSTANT MLKDetectedObjectLabelIndex MLKDetectedObjectLabelIndexFashionGood = 0;
MLKIT_CONSTANT MLKDetectedObjectLabelIndex MLKDetectedObjectLabelIndexHomeGood = 1;
MLKIT_CONSTANT MLKDetectedObjectLabelIndex MLKDetectedObjectLabelIndexFood = 2;
MLKIT_CONSTANT MLKDetectedObjectLabelIndex MLKDetectedObjectLabelIndexPlace = 3;
MLKIT_CONSTANT MLKDetectedObjectLabelIndex MLKDetectedObjectLabelIndexPlant = 4;

// The sources of a GMLImage.
typedef NSInteger GMLImageSourceType;
MLKIT_CONSTANT GMLImageSourceType GMLImageSourceTypeImage = 0;
MLKIT_CONSTANT GMLImageSourceType GMLImageSourceTypePixelBuffer = 1;
MLKIT_CONSTANT GMLImageSourceType GMLImageSourceTypeSampleBuffer = 2;

// The notifications about downloads, and the keys of their user information.
typedef NSString *MLKModelDownloadUserInfoKey;
MLKIT_CONSTANT NSNotificationName MLKModelDownloadDidSucceedNotification = @"MLKModelDownloadDidSucceedNotification";
MLKIT_CONSTANT NSNotificationName MLKModelDownloadDidFailNotification = @"MLKModelDownloadDidFailNotification";
MLKIT_CONSTANT MLKModelDownloadUserInfoKey MLKModelDownloadUserInfoKeyRemoteModel =
    @"MLKModelDownloadUserInfoKeyRemoteModel";
MLKIT_CONSTANT MLKModelDownloadUserInfoKey MLKModelDownloadUserInfoKeyError = @"MLKModelDownloadUserInfoKeyError";

// The blocks that receive results or an error.
typedef void (^MLKObjectDetectionCallback)(NSArray<MLKObject *> *_Nullable objects, NSError *_Nullable error);
typedef void (^MLKImageLabelingCallback)(NSArray<MLKImageLabel *> *_Nullable labels, NSError *_Nullable error);

#undef MLKIT_CONSTANT

NS_ASSUME_NONNULL_END

#endif
