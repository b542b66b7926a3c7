// The names of Firebase ML that Objective-C has and that Swift cannot declare for it: constants and types of blocks.
// The classes come from the Swift modules, and Swift code has its own names for everything here.
#pragma once

#ifdef __OBJC__

@import Foundation;

@class FIRModelOutputs;
@class FIRVisionImageLabel;
@class FIRVisionObject;

NS_ASSUME_NONNULL_BEGIN

#define FIREBASE_CONSTANT static const __attribute__((unused))

// The notifications about downloads, and the keys of their user information.
typedef NSString *FIRModelDownloadUserInfoKey;
FIREBASE_CONSTANT NSNotificationName FIRModelDownloadDidSucceedNotification = @"FIRModelDownloadDidSucceedNotification";
FIREBASE_CONSTANT NSNotificationName FIRModelDownloadDidFailNotification = @"FIRModelDownloadDidFailNotification";
FIREBASE_CONSTANT FIRModelDownloadUserInfoKey FIRModelDownloadUserInfoKeyRemoteModel =
    @"FIRModelDownloadUserInfoKeyRemoteModel";
FIREBASE_CONSTANT FIRModelDownloadUserInfoKey FIRModelDownloadUserInfoKeyError = @"FIRModelDownloadUserInfoKeyError";

// The blocks that receive results or an error.
typedef void (^FIRAppVoidBoolCallback)(BOOL success);
typedef void (^FIRVisionObjectDetectionCallback)(NSArray<FIRVisionObject *> *_Nullable objects,
                                                 NSError *_Nullable error);
typedef void (^FIRVisionImageLabelerCallback)(NSArray<FIRVisionImageLabel *> *_Nullable labels,
                                              NSError *_Nullable error);
typedef void (^FIRModelInterpreterRunCallback)(FIRModelOutputs *_Nullable outputs, NSError *_Nullable error);
typedef void (^FIRModelInterpreterInputOutputOpIndexCallback)(NSNumber *_Nullable index, NSError *_Nullable error);

#undef FIREBASE_CONSTANT

NS_ASSUME_NONNULL_END

#endif
