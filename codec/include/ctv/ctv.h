/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * The C interface of ctv, a contourlet video codec. ctv.hpp wraps it for C++20.
 *
 * Example of an encoder and a decoder. The program provides next_picture(), transmit(), next_unit(),
 * ask_for_key_frame() and show(). tests/api/c_example.c runs this text.
 *
 * @code{.c}
 * ctv_status encode_clip(void) {
 *   ctv_config config;
 *   ctv_config_init(&config, "default");
 *   config.width = 320;
 *   config.height = 180;
 *   config.format = CTV_FORMAT_I420;
 *   ctv_encoder* encoder;
 *   ctv_status status = ctv_encoder_open(&config, &encoder);
 *   if (status < 0) return status;  // ctv_last_error() says why
 *   ctv_unit unit;
 *   ctv_unit_init(&unit);
 *   status = ctv_encoder_header(encoder, &unit);
 *   if (status == CTV_OK) transmit(unit.data, unit.size);
 *   ctv_picture picture;
 *   ctv_picture_init(&picture);
 *   while (status >= 0 && next_picture(&picture)) {
 *     status = ctv_encoder_send(encoder, &picture);
 *     if (status < 0) break;
 *     while ((status = ctv_encoder_receive(encoder, &unit)) == CTV_OK) transmit(unit.data, unit.size);
 *   }
 *   ctv_encoder_flush(encoder);
 *   while (ctv_encoder_receive(encoder, &unit) == CTV_OK) transmit(unit.data, unit.size);
 *   ctv_encoder_close(encoder);
 *   return status < 0 ? status : CTV_OK;
 * }
 *
 * ctv_status decode_stream(void) {
 *   ctv_decoder_config config;
 *   ctv_decoder_config_init(&config);
 *   ctv_decoder* decoder;
 *   ctv_status status = ctv_decoder_open(&config, &decoder);
 *   if (status < 0) return status;
 *   ctv_picture picture;
 *   ctv_picture_init(&picture);
 *   const uint8_t* data;
 *   size_t size;
 *   while (next_unit(&data, &size)) {
 *     status = ctv_decoder_send(decoder, data, size);
 *     if (status == CTV_ERROR_REFERENCE) ask_for_key_frame();
 *     while (ctv_decoder_receive(decoder, &picture) == CTV_OK) show(&picture);
 *   }
 *   ctv_decoder_flush(decoder);
 *   while (ctv_decoder_receive(decoder, &picture) == CTV_OK) show(&picture);
 *   ctv_decoder_close(decoder);
 *   return CTV_OK;
 * }
 * @endcode
 *
 * Rules for every function:
 *   - No function throws, prints or exits. Each returns a status. ctv_last_error() returns a message.
 *   - Structures begin with struct_size, which the *_init functions set. A program built with an older header
 *     then runs with a newer library. ctv_limits, a member of ctv_decoder_config, and the elements of arrays
 *     (ctv_component_info, ctv_part, ctv_index_entry, ctv_stage_time) have no struct_size and never change.
 *   - Use a handle in one thread at a time. Any number of handles may exist.
 *   - A call that uses a GPU makes it the thread's current device of the CUDA runtime and clears the error of
 *     cudaGetLastError().
 *   - Equal pictures and equal coding parameters give equal bytes, with any backend, engine and number of
 *     threads. Equal bytes give equal pictures.
 *   - If a GPU fails in mid-stream, the CPU continues. An encoder then codes a key frame and loses no picture
 *     in host memory. A decoder loses the pictures up to the next key frame. The log and *_description()
 *     report the change.
 *   - Every function may return CTV_ERROR_ARGUMENT for a null pointer or an unset struct_size,
 *     CTV_ERROR_MEMORY and CTV_ERROR_INTERNAL. Other errors are listed at each function.
 */
#ifndef CTV_CTV_H
#define CTV_CTV_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** Marks an exported function. Define CTV_STATIC to link the static library. */
#if defined(CTV_STATIC)
#define CTV_API
#elif defined(_WIN32) && defined(CTV_BUILDS_DLL)
#define CTV_API __declspec(dllexport)
#elif defined(_WIN32)
#define CTV_API __declspec(dllimport)
#else
#define CTV_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define CTV_VERSION_MAJOR 0 /**< Changes when programs must be rebuilt or old streams are refused. */
#define CTV_VERSION_MINOR 1 /**< Before 1.0 as the major version; then changes when the interface grows. */
#define CTV_VERSION_PATCH 0 /**< Changes when defects are repaired. */

/** Returns the version of the loaded library, for example "0.1.0". Static storage. */
CTV_API const char* ctv_version(void);

/* ---- Status ---------------------------------------------------------------------------------------- */

/** The result of a call. Negative values are errors. */
typedef enum ctv_status {
  CTV_OK = 0,                 /**< Success. */
  CTV_AGAIN = 1,              /**< Nothing to receive yet: send more, or flush. Returned by send: receive
                                   first. */
  CTV_END = 2,                /**< Everything was received after a flush. */
  CTV_ERROR_ARGUMENT = -1,    /**< An argument or a configuration field is out of range. */
  CTV_ERROR_STREAM = -2,      /**< Damaged or truncated stream; the message names field and byte offset. */
  CTV_ERROR_LIMIT = -3,       /**< A limit of ctv_limits would be exceeded. */
  CTV_ERROR_MEMORY = -4,      /**< Out of memory. */
  CTV_ERROR_DEVICE = -5,      /**< The requested device is missing or has failed. */
  CTV_ERROR_UNSUPPORTED = -6, /**< Valid, but not supported by this build. */
  CTV_ERROR_STATE = -7,       /**< Calls in the wrong order, for example a packet before any header. */
  CTV_ERROR_INTERNAL = -8,    /**< A defect of the library. */
  CTV_ERROR_REFERENCE = -9    /**< The frame's reference is missing. Report it to the encoder
                                   (ctv_encoder_lost()); if ctv_decoder_held() lists no frame, request a
                                   key frame (ctv_encoder_request_key_frame()). Frames with other
                                   references can still be decoded. */
} ctv_status;

/** Returns the name of a status, for example "damaged stream". Static storage. */
CTV_API const char* ctv_status_name(ctv_status status);

/** Returns a message about the last failure in the calling thread, or "". The message is one line of at
 * most 500 bytes without control characters. Valid until the thread's next call. */
CTV_API const char* ctv_last_error(void);

/** Importance of a log line. */
typedef enum ctv_log_level {
  CTV_LOG_ERROR = 0,   /**< A call has failed. */
  CTV_LOG_WARNING = 1, /**< The library continues differently, for example on the CPU. */
  CTV_LOG_INFO = 2     /**< Anything else. */
} ctv_log_level;
/** Receives one log line without a newline. Any thread inside a library call may call it, also several at
 * once. The callback may call any function of the library. */
typedef void (*ctv_log_callback)(void* opaque, ctv_log_level level, const char* message);
/** Sets the log callback of the process. NULL, the initial value, disables logging. The previous callback
 * may still be running in another thread when this returns. */
CTV_API void ctv_set_log_callback(ctv_log_callback callback, void* opaque);

/* ---- Pictures -------------------------------------------------------------------------------------- */

/** Arrangement of a picture's samples. Samples of 8 bits are bytes, others little-endian words of 16 bits.
 * Pictures sent with larger values than the bits allow are limited. */
typedef enum ctv_format {
  CTV_FORMAT_NONE = 0,
  CTV_FORMAT_GRAY8 = 1,    /**< Luma only, in data[0]. */
  CTV_FORMAT_I420 = 2,     /**< Planar Y'CbCr 4:2:0. Chroma planes have (width + 1) / 2 x (height + 1) / 2. */
  CTV_FORMAT_I422 = 3,     /**< Planar Y'CbCr 4:2:2. */
  CTV_FORMAT_I444 = 4,     /**< Planar Y'CbCr 4:4:4. */
  CTV_FORMAT_RGB8 = 5,     /**< Interleaved R, G, B in data[0], 3 bytes per pixel. */
  CTV_FORMAT_RGBA8 = 6,    /**< Interleaved R, G, B, A in data[0]. Alpha is ignored, and decoded as 255. */
  CTV_FORMAT_NV12 = 7,     /**< As I420 with interleaved Cb, Cr in data[1]. */
  CTV_FORMAT_GRAY10 = 8,   /**< As GRAY8, 10 bits in the low bits of words. */
  CTV_FORMAT_I420_10 = 9,  /**< As I420, likewise. */
  CTV_FORMAT_I422_10 = 10, /**< As I422, likewise. */
  CTV_FORMAT_I444_10 = 11, /**< As I444, likewise. */
  CTV_FORMAT_P010 = 12,    /**< As NV12, 10 bits in the high bits of words. */
  CTV_FORMAT_GRAY12 = 13,  /**< As GRAY8, 12 bits in the low bits of words. */
  CTV_FORMAT_I420_12 = 14, /**< As I420, likewise. */
  CTV_FORMAT_I422_12 = 15, /**< As I422, likewise. */
  CTV_FORMAT_I444_12 = 16, /**< As I444, likewise. */
  /** @name Cameras and screens
   * Encoders take them from host memory; decoders do not give them.
   * @{ */
  CTV_FORMAT_BGR8 = 32,  /**< As RGB8: B, G, R. */
  CTV_FORMAT_BGRA8 = 33, /**< As RGBA8: B, G, R, A. */
  CTV_FORMAT_NV21 = 34,  /**< As NV12 with Cr before Cb. */
  CTV_FORMAT_YUY2 = 35,  /**< 4:2:2, packed in data[0]: Y, Cb, Y, Cr for two samples; whole pairs. */
  CTV_FORMAT_UYVY = 36   /**< Likewise: Cb, Y, Cr, Y. */
  /** @} */
} ctv_format;

/** Address space of a picture's planes. */
typedef enum ctv_memory {
  CTV_MEMORY_HOST = 0, /**< Host memory. */
  CTV_MEMORY_CUDA = 1  /**< CUDA device memory; requires the CUDA backend. */
} ctv_memory;

/** Damage of a received picture. */
typedef enum ctv_damage {
  CTV_DAMAGE_NONE = 0,    /**< The picture equals the encoder's. */
  CTV_DAMAGE_DETAIL = 1,  /**< Components were missing in its packet or in one that it depends on. */
  CTV_DAMAGE_REPEATED = 2 /**< Its packet had no header or no vectors: it repeats the previous picture. */
} ctv_damage;

/** A picture. The caller owns the planes of sent pictures, the decoder those of received ones. Range and
 * matrix do not affect coding; ctv_config describes them for the receiver. */
typedef struct ctv_picture {
  size_t struct_size;    /**< sizeof(ctv_picture). */
  ctv_format format;     /**< Arrangement of the samples. */
  int32_t width;         /**< Luma samples. */
  int32_t height;        /**< Luma samples. */
  ctv_memory memory;     /**< Address space of data. */
  void* data[4];         /**< First sample of each plane. */
  ptrdiff_t stride[4];   /**< Bytes between rows. May be negative in host memory. */
  void* cuda_stream;     /**< cudaStream_t. Sent device pictures: the library reads them after the work
                              queued in this stream. Received ones: work queued in this stream may read them. */
  int64_t timestamp;     /**< When the picture is shown, in units of 1 / fps_num seconds. */
  int64_t duration;      /**< Duration in the same units. Sent pictures: 1..2^31-1; or 0 for fps_den. If the
                              timestamp is 0 as well, picture n has the timestamp n x fps_den. */
  void* opaque;          /**< For the caller. Sent pictures: returned in ctv_unit.opaque of their packet.
                              Received pictures: ctv_unit.opaque of their packet (ctv_decoder_send_unit()). */
  int64_t frame_number;  /**< Received pictures: the frame's number, from 0. */
  int32_t key_frame;     /**< Received pictures: 1 for a key frame. */
  int32_t borrowed;      /**< Sent host pictures: 1 avoids a copy. The samples must not change until the
                              picture's packet is received, receive fails for it, send refuses it, or the
                              encoder is closed. */
  ctv_damage damaged;    /**< Received pictures: damage. NONE unless the decoder conceals. */
  int32_t missing_parts; /**< Received pictures: parts that were missing or damaged in their packet. */
} ctv_picture;
/** Clears a picture: host memory, null planes, and sets struct_size. */
static inline void ctv_picture_init(ctv_picture* value) {
  memset(value, 0, sizeof *value);
  value->struct_size = sizeof *value;
}

/** Returns the bits of a sample: 8, 10 or 12; 0 if the format is unknown. */
CTV_API int32_t ctv_format_bits(ctv_format format);
/** Returns the bytes per row of a plane, or 0 if the format has no such plane. */
CTV_API size_t ctv_plane_row_bytes(ctv_format format, int32_t width, int plane);
/** Returns the rows of a plane, or 0 if the format has no such plane. */
CTV_API size_t ctv_plane_rows(ctv_format format, int32_t height, int plane);

/* ---- Configuration --------------------------------------------------------------------------------- */

/** Pyramid of the contourlet transform. */
typedef enum ctv_pyramid {
  CTV_PYRAMID_LAPLACIAN = 0,   /**< Laplacian pyramid (Do and Vetterli), 9-7 filters; 4/3 redundant. */
  CTV_PYRAMID_WAVELET_5_3 = 1, /**< Reversible 5/3 wavelet, critically sampled. */
  CTV_PYRAMID_WAVELET_9_7 = 3  /**< Reversible 9/7 wavelet, critically sampled: codes best. */
} ctv_pyramid;
/** What predicted frames predict. */
typedef enum ctv_prediction {
  CTV_PREDICTION_SUBBAND =
      0,                     /**< Quantised subbands, motion compensated (Katsigiannis et al., section II). */
  CTV_PREDICTION_PICTURE = 1 /**< Samples of the reconstructed previous picture, motion compensated. */
} ctv_prediction;
/** Entropy coding of quantised coefficients. */
typedef enum ctv_entropy_coding {
  CTV_ENTROPY_RLE = 0,  /**< Run-length coding and DEFLATE (Katsigiannis et al.). */
  CTV_ENTROPY_TILES = 1 /**< Context modelling in tiles, asymmetric numeral systems (rANS). */
} ctv_entropy_coding;
/** Chroma subsampling of RGB input. */
typedef enum ctv_chroma {
  CTV_CHROMA_AS_INPUT = 0, /**< As in the input; RGB is coded 4:4:4. */
  CTV_CHROMA_420 = 1       /**< 4:2:0. */
} ctv_chroma;
/** Range of Y'CbCr samples. */
typedef enum ctv_range {
  CTV_RANGE_UNSPECIFIED = 0, /**< Unknown; conversions to and from RGB assume limited. */
  CTV_RANGE_LIMITED = 1,     /**< Luma 16..235, chroma 16..240. */
  CTV_RANGE_FULL = 2         /**< 0..255. */
} ctv_range;
/** Place of 4:2:0 chroma samples relative to luma. */
typedef enum ctv_siting {
  CTV_SITING_UNSPECIFIED = 0, /**< Unknown. */
  CTV_SITING_LEFT = 1,        /**< Left column, between two rows: MPEG-2, H.264. */
  CTV_SITING_CENTRE = 2,      /**< Between two columns and two rows: JPEG, MPEG-1. */
  CTV_SITING_TOP_LEFT = 3     /**< Left column, upper row: DV (PAL), BT.2020. */
} ctv_siting;
/** Fields in the rows of a picture. */
typedef enum ctv_interlace {
  CTV_INTERLACE_NONE = 0,        /**< Progressive. */
  CTV_INTERLACE_TOP_FIRST = 1,   /**< Two fields; the upper row's is the earlier one. */
  CTV_INTERLACE_BOTTOM_FIRST = 2 /**< Two fields; the lower row's is the earlier one. */
} ctv_interlace;
/** What bits are spent for. */
typedef enum ctv_tune {
  CTV_TUNE_VISUAL = 0, /**< What is seen: predicted frames are finer where the picture is flat. */
  CTV_TUNE_PSNR = 1    /**< The least squared error. */
} ctv_tune;
/** Processor that runs the stages. */
typedef enum ctv_backend {
  CTV_BACKEND_AUTO = 0, /**< CUDA if its module, a driver and the device are present, else the CPU. */
  CTV_BACKEND_CPU = 1,  /**< CPU threads and SIMD. */
  CTV_BACKEND_CUDA = 2  /**< An NVIDIA GPU. */
} ctv_backend;
/** Implementation of the transform's convolutions. All give the same coefficients. */
typedef enum ctv_engine {
  CTV_ENGINE_AUTO = 0,   /**< The faster one. */
  CTV_ENGINE_DIRECT = 1, /**< Integer arithmetic. */
  CTV_ENGINE_FFT = 2     /**< Fast Fourier transform, CUDA only. */
} ctv_engine;

/** Largest number of pyramid scales. */
#define CTV_MAX_SCALES 8

/** Configuration of an encoder. Fill it with ctv_config_init(), then set width, height, format and the
 * members that should differ from the preset. */
typedef struct ctv_config {
  size_t struct_size; /**< Set by ctv_config_init(). */

  /** @name Input
   * @{ */
  int32_t width;     /**< Luma samples, 1..65535. */
  int32_t height;    /**< Luma samples, 1..65535. */
  ctv_format format; /**< Format of sent pictures. */
  int32_t fps_num;   /**< Frame rate, numerator, 1..2^31-1. Written to the header. Also the unit of time:
                          90000 / 3000 gives finer timestamps than 30 / 1. */
  int32_t fps_den;   /**< Frame rate, denominator, 1..2^31-1. */
  /** @} */

  /** @name Description of the pictures
   * Written to the header for the receiver. Coding does not depend on it.
   * @{ */
  int32_t aspect_width;    /**< Shape of a sample: width : height, 0..65535 each; 0: unspecified. */
  int32_t aspect_height;   /**< See aspect_width. */
  ctv_range range;         /**< Range of the samples. */
  int32_t primaries;       /**< ColourPrimaries of ITU-T H.273, 1..255; 2: unspecified. */
  int32_t transfer;        /**< TransferCharacteristics of ITU-T H.273, 1..255; 2: unspecified. */
  int32_t matrix;          /**< MatrixCoefficients of ITU-T H.273, 0..255; 2: unspecified. */
  ctv_siting siting;       /**< Place of 4:2:0 chroma samples. */
  ctv_interlace interlace; /**< Fields. Both are coded together, as one picture. */
  /** @} */

  /** @name Quality and rate
   * Set one of qp, step, crf, bitrate or lossless.
   * @{ */
  int32_t qp;        /**< Quantisation parameter on H.264's scale, 0..51, or -1 to use step. */
  double step;       /**< Base quantiser step in samples of 8 bits, 1/16..4095; with b bits it is
                          2^(b - 8) times as large. */
  double crf;        /**< Constant quality, 0..51, or -1: off. Keeps luma's PSNR near 55 - 5 crf / 8 dB
                          with a step per frame. Requires picture prediction; excludes bitrate and
                          lossless. */
  int64_t bitrate;   /**< Bits per second of the pictures' times, or 0: none. Excess is compensated over
                          about one buffer duration; that of a key frame until the next key frame, at most
                          four. qp or step sets the first frame's quantiser. */
  int32_t buffer_ms; /**< With bitrate: the receiver's buffer, 100..60000 milliseconds. No frame is larger
                          than its contents. So the bitrate is not reached if the buffer holds less than
                          1.5 average frames. */
  int64_t max_frame_bytes;  /**< Largest packet, or 0: none. Coarser steps are tried until a packet fits. With
                                 this or bitrate, each packet is complete when send returns. */
  int32_t lossless;         /**< 1: decoded samples equal the input; step and qp are unused. */
  int32_t chroma_qp_offset; /**< Chroma's qp minus luma's, -12..12. */
  ctv_tune tune;            /**< No influence on lossless streams and on subband prediction. */
  int32_t error_resilient;  /**< 1: what is lost of a predicted frame's packet costs an area of the picture
                                 (ctv_packet_parts()). Costs some bytes; packets of calls need it. No effect
                                 with lossless. */
  int32_t rdoq;             /**< 1: rate-distortion optimised quantisation. Picture prediction. */
  /** @} */

  /** @name Frame types
   * @{ */
  int32_t key_interval;     /**< Frames from key frame to key frame, 1..2^30, or 0: only on request. */
  int32_t scene_cut;        /**< 1: a scene cut starts with a key frame. Requires pictures in host memory. */
  int32_t min_key_distance; /**< Least distance in frames from a key frame to a requested one
                                 (ctv_encoder_request_key_frame(), ctv_encoder_lost()), 0..2^30. Earlier
                                 requests wait; several count as one. */
  int32_t temporal_layers;  /**< 1..3: the lowest layer has every frame, every second, or every fourth.
                                 With 2 or 3, packets of the highest layer are discardable: without them
                                 the frame rate halves. 3 require two slots. */
  /** @} */

  /** @name Transform and entropy coding (written to the sequence header)
   * @{ */
  ctv_pyramid pyramid;                /**< Pyramid. */
  int32_t scales;                     /**< Scales of the pyramid, 1..8. */
  int32_t directions[CTV_MAX_SCALES]; /**< Per scale, finest first: 0, 2, 4, 8 or 16. */
  int32_t directional_lifting;        /**< 1: the 9/7 pyramid lifts luma of key frames along directions that
                                           it chooses block by block. Picture prediction; otherwise 0. */
  ctv_entropy_coding entropy_coding;  /**< Entropy coding. */
  ctv_chroma chroma;                  /**< Chroma subsampling of RGB input. */
  /** @} */

  /** @name Prediction and motion
   * @{ */
  ctv_prediction prediction; /**< What predicted frames predict. */
  int32_t block_size;        /**< Motion blocks: 8, 16 or 32 luma samples. */
  int32_t search_range;      /**< Range of the full search in whole luma samples, 0..64. With split, values
                                  above 2 also add passes over the vectors. */
  int32_t far_range;         /**< Range of an additional search at a quarter of the resolution, in whole
                                  luma samples, 0..60; 0: none. Rounded down to a multiple of 4. */
  int32_t subpel;            /**< Vector precision: 1 / 2^subpel luma samples, 0..3. Values above 0 require
                                  picture prediction. */
  int32_t overlap;           /**< 1: overlapped block motion compensation. Requires picture prediction. */
  int32_t loop_filter; /**< 1: decoded samples are filtered where this reduces the error. Requires picture
                            prediction, excludes lossless; otherwise taken as 0. */
  int32_t split;       /**< 1: each 8x8 cell may have a vector. 0: each block has one, and vectors and
                            skips are chosen with less work. Requires picture prediction. */
  int32_t slots; /**< Reference pictures that a decoder keeps, 1..8; written to the header. Each takes the
                      memory of a picture with 16-bit samples. Values above 1 require picture prediction. */
  /** @} */

  /** @name Execution (no influence on the bytes)
   * @{ */
  ctv_backend backend;      /**< Backend. */
  ctv_engine engine;        /**< Implementation of the transform. */
  int32_t device;           /**< CUDA device number, for backends CUDA and AUTO. */
  int32_t threads;          /**< CPU threads, 1..256, or 0: as many as affinity and cgroup allow. */
  int32_t frames_in_flight; /**< 1: each packet is complete when send returns (lowest latency). 2..16:
                                 pipelined (highest throughput). Taken as 1 with bitrate or
                                 max_frame_bytes, which need each packet's size before the next frame. */
  /** @} */

  /** @name High dynamic range
   * Written to the header for the receiver. Coding does not depend on it. Not written where all are 0.
   * @{ */
  int32_t mastering_primaries[8]; /**< Of SMPTE ST 2086: x and y of red, green, blue and white, in 50000ths,
                                       0..50000. */
  int32_t mastering_luminance[2]; /**< The largest and the least, in 10000ths of a cd/m^2. */
  int32_t content_light[2];       /**< Of CTA-861.3, in cd/m^2, 0..65535: the largest of a sample, the largest
                                       mean of a picture. */
  /** @} */
} ctv_config;

/** Fills a configuration with a preset: "default", "fast", "fastest", "slow" or "paper"; NULL means
 * "default". Writes struct_size bytes.
 * @return CTV_OK; CTV_ERROR_ARGUMENT if the preset is unknown. */
CTV_API ctv_status ctv_config_init_sized(ctv_config* config, size_t struct_size, const char* preset);
/** ctv_config_init_sized() with the size of this header's structure. */
static inline ctv_status ctv_config_init(ctv_config* config, const char* preset) {
  return ctv_config_init_sized(config, sizeof *config, preset);
}
/** Returns the name of preset i, or NULL past the last. Static storage. */
CTV_API const char* ctv_preset_name(int i);
/** Returns a one-line description of preset i, or NULL past the last. Static storage. */
CTV_API const char* ctv_preset_description(int i);

/* ---- Host memory for borrowed pictures --------------------------------------------------------------- */

/** Allocates host memory for borrowed pictures, aligned to 256 bytes, contents undefined. The row layout is
 * up to the caller. Memory is page-locked if the CUDA backend would run, so that the device reads it
 * directly; otherwise it is pageable. A missing device is not an error. Page-locking is slow: allocate once,
 * not per picture.
 * @param size bytes
 * @param backend the encoder's backend
 * @param device as in ctv_config
 * @param data receives the memory, NULL on failure
 * @return CTV_OK; CTV_ERROR_ARGUMENT if the backend is unknown; CTV_ERROR_MEMORY. */
CTV_API ctv_status ctv_host_alloc(size_t size, ctv_backend backend, int32_t device, void** data);
/** Frees memory of ctv_host_alloc(); NULL is allowed. Thread-safe, also after encoders were closed. */
CTV_API void ctv_host_free(void* data);

/* ---- Encoder --------------------------------------------------------------------------------------- */

/** In ctv_frame_options: the encoder decides. */
#define CTV_POLICY (-1)
/** No slot keeps the frame's picture. No frame refers to it, so its packet is discardable. */
#define CTV_KEEP_NOWHERE (-2)

/** An encoder. */
typedef struct ctv_encoder ctv_encoder;

/** One unit of a stream: the sequence header, a packet (one frame) or the index. */
typedef struct ctv_unit {
  size_t struct_size;      /**< sizeof(ctv_unit). */
  const uint8_t* data;     /**< Owned by the encoder, valid until its next send, receive, reconfigure or
                                close. */
  size_t size;             /**< Bytes. */
  int64_t frame_number;    /**< Packets: the frame's number, from 0. */
  int32_t key_frame;       /**< Packets: 1 for a key frame. */
  double step;             /**< Packets: the frame's base quantiser step in samples of 8 bits. */
  int64_t timestamp;       /**< Packets: the picture's timestamp, in units of 1 / fps_num seconds. */
  int64_t duration;        /**< Packets: the picture's duration. */
  void* opaque;            /**< Packets: ctv_picture.opaque. Not in the stream. */
  int64_t reference_frame; /**< Packets: the number of the frame that it refers to; -1: a key frame. */
  int32_t temporal_id;     /**< Packets: the temporal layer. Frames refer to no frame of a higher layer. */
  int32_t keep_in;         /**< Packets: the slot that keeps the picture, or CTV_KEEP_NOWHERE. */
} ctv_unit;
/** Clears a unit and sets struct_size. */
static inline void ctv_unit_init(ctv_unit* value) {
  memset(value, 0, sizeof *value);
  value->struct_size = sizeof *value;
}

/** Opens an encoder after checking the whole configuration.
 * @param config the configuration; copied
 * @param encoder receives the encoder, NULL on failure
 * @return CTV_OK; CTV_ERROR_ARGUMENT with the field's name; CTV_ERROR_DEVICE, CTV_ERROR_UNSUPPORTED if the
 * backend or engine is not available. */
CTV_API ctv_status ctv_encoder_open(const ctv_config* config, ctv_encoder** encoder);
/** Changes the configuration: size, format, frame rate or coding parameters. Send the new header before the
 * next packet; the next frame is a key frame. Frame numbers, the index and the rate control's balance
 * continue. The backend stays open; buffers that depend on the size are allocated again. To change only the
 * rate, ctv_encoder_set_bitrate() and similar functions need no key frame.
 * @param encoder the encoder; all its packets must have been received. With several frames in flight, call
 * ctv_encoder_receive() until there is a packet for each picture sent; CTV_AGAIN means that one is not ready
 * @param config the configuration; copied. backend, device, engine, threads and frames_in_flight must not
 * change
 * @return CTV_OK; CTV_ERROR_ARGUMENT with the field's name, CTV_ERROR_STATE after a flush or if packets wait:
 * nothing has changed; CTV_ERROR_MEMORY, CTV_ERROR_DEVICE: call again before the next picture, or close. */
CTV_API ctv_status ctv_encoder_reconfigure(ctv_encoder* encoder, const ctv_config* config);
/** Returns the sequence header. A stream starts with it; repeat it where a receiver may join. */
CTV_API ctv_status ctv_encoder_header(ctv_encoder* encoder, ctv_unit* unit);
/** Sends one picture. Its samples are copied before the call returns. Exceptions: device pictures are read in
 * the order of their stream; borrowed pictures (ctv_picture.borrowed) are read until their packet is
 * received. The CUDA backend copies a borrowed picture directly if its planes are in page-locked memory
 * (ctv_host_alloc(), cudaHostAlloc, cudaHostRegister) with positive strides.
 * @return CTV_OK; or, without taking the picture, CTV_AGAIN if frames_in_flight packets wait to be
 * received, or any after that number has changed (ctv_encoder_set_bitrate()); CTV_ERROR_ARGUMENT;
 * CTV_ERROR_STATE after a flush; CTV_ERROR_DEVICE. */
CTV_API ctv_status ctv_encoder_send(ctv_encoder* encoder, const ctv_picture* picture);
/** How one frame is coded. Fill it with ctv_frame_options_init(). */
typedef struct ctv_frame_options {
  size_t struct_size;  /**< sizeof(ctv_frame_options). */
  int32_t key_frame;   /**< 1: a key frame, whatever min_key_distance says. */
  int32_t temporal_id; /**< 0..7, or CTV_POLICY. */
  int64_t refer_to;    /**< The number of a frame in a slot, at most 255 back and of no higher temporal id; or
                            CTV_POLICY. Ignored for key frames. All slots are lost if a GPU fails. */
  int32_t keep_in;     /**< Slot 0..slots-1 that keeps the picture, CTV_KEEP_NOWHERE, or CTV_POLICY. */
} ctv_frame_options;
/** Leaves all decisions to the encoder, and sets struct_size. */
static inline void ctv_frame_options_init(ctv_frame_options* value) {
  memset(value, 0, sizeof *value);
  value->struct_size = sizeof *value;
  value->temporal_id = CTV_POLICY;
  value->refer_to = CTV_POLICY;
  value->keep_in = CTV_POLICY;
}
/** ctv_encoder_send() with options.
 *
 * The encoder's policy: a frame refers to the newest frame in a slot that its temporal layer allows. After
 * ctv_encoder_lost() has reported a loss in the lowest layer, the next frame refers to the newest frame in a
 * slot that is acknowledged (ctv_encoder_acknowledge()); if there is none, it is a key frame. With three
 * slots or more, some frames stay in slots until they are acknowledged, and the newest acknowledged one until
 * there is a newer one. The policy depends only on these calls and their order.
 * @param encoder the encoder
 * @param picture as in ctv_encoder_send()
 * @param options NULL: all are CTV_POLICY
 * @return as ctv_encoder_send(); CTV_ERROR_ARGUMENT also for options that cannot be met. */
CTV_API ctv_status ctv_encoder_send_frame(ctv_encoder* encoder, const ctv_picture* picture,
                                          const ctv_frame_options* options);
/** Tells the encoder that the receiver decoded a frame, and thus all its references, without damage
 * (ctv_picture.damaged is NONE). Reports may come late, in any order, and twice; those about frames more than
 * 1024 back have no effect. With several receivers, call this once all of them have the frame.
 * @return CTV_OK; CTV_ERROR_ARGUMENT if the frame has not been sent. */
CTV_API ctv_status ctv_encoder_acknowledge(ctv_encoder* encoder, int64_t frame);
/** Tells the encoder that a receiver lacks a frame or a part of it. The policy no longer refers to it or to
 * frames that depend on it. Reports may come late, in any order, and twice. After a report about a frame more
 * than 1024 back, the policy refers only to acknowledged frames.
 * @return CTV_OK; CTV_ERROR_ARGUMENT if the frame has not been sent. */
CTV_API ctv_status ctv_encoder_lost(ctv_encoder* encoder, int64_t frame);
/** Receives the next packet in order. With frames_in_flight 1 the packet of the last sent picture is
 * complete.
 * @return CTV_OK; CTV_AGAIN: send more, or flush; CTV_END after a flush; CTV_ERROR_LIMIT if no step meets
 * max_frame_bytes, CTV_ERROR_MEMORY, CTV_ERROR_DEVICE: the frame has no packet. */
CTV_API ctv_status ctv_encoder_receive(ctv_encoder* encoder, ctv_unit* unit);
/** Ends the input: receive then returns the packets in flight, then CTV_END. */
CTV_API ctv_status ctv_encoder_flush(ctv_encoder* encoder);
/** Returns the index of the packets received so far, for the end of a file. Call it after CTV_END, or where a
 * recording stops early. Byte offsets count from the first header.
 * @return CTV_OK; CTV_ERROR_ARGUMENT; CTV_ERROR_LIMIT if more than 2^22 packets were received (19 hours at
 * 60 frames a second): the stream has no index. */
CTV_API ctv_status ctv_encoder_index(ctv_encoder* encoder, ctv_unit* unit);
/** Makes the next picture a key frame, or the first that ctv_config.min_key_distance allows. */
CTV_API ctv_status ctv_encoder_request_key_frame(ctv_encoder* encoder);
/** Sets the quantiser from the next picture on, without a key frame. Ends constant quality.
 * @param encoder the encoder
 * @param qp as in ctv_config; -1: use step
 * @param step as in ctv_config
 * @return CTV_OK; CTV_ERROR_ARGUMENT. */
CTV_API ctv_status ctv_encoder_set_quantiser(ctv_encoder* encoder, int32_t qp, double step);
/** Sets constant quality from the next picture on, without a key frame; -1 returns to the quantiser.
 * @return CTV_OK; CTV_ERROR_ARGUMENT, also while a bitrate is set. */
CTV_API ctv_status ctv_encoder_set_crf(ctv_encoder* encoder, double crf);
/** Sets bitrate and max_frame_bytes from the next picture on, without a key frame; 0: none. With either,
 * frames_in_flight is taken as 1 from then on; with none, as configured.
 * @return CTV_OK; CTV_ERROR_ARGUMENT, also while crf is set. */
CTV_API ctv_status ctv_encoder_set_bitrate(ctv_encoder* encoder, int64_t bitrate, int64_t max_frame_bytes);
/** Sets ctv_config.temporal_layers from the next picture on, without a key frame.
 * @return CTV_OK; CTV_ERROR_ARGUMENT. */
CTV_API ctv_status ctv_encoder_set_temporal_layers(ctv_encoder* encoder, int32_t layers);
/** Returns in one line what runs: the backend's name, a colon, the instruction set or the device, and in
 * brackets the reason if it is not the preferred one. "cpu: AVX2, 8 threads (no GPU: ...)". Valid until
 * close. */
CTV_API const char* ctv_encoder_description(const ctv_encoder* encoder);
/** Closes an encoder; NULL is allowed. */
CTV_API void ctv_encoder_close(ctv_encoder* encoder);

/* ---- Decoder --------------------------------------------------------------------------------------- */

/** Limits of a decoder. A stream that exceeds one is refused with CTV_ERROR_LIMIT before memory is
 * allocated. */
typedef struct ctv_limits {
  uint64_t max_pixels;      /**< Width x height of the luma plane. The padding for scales and directions
                                 may make it four times as many samples, plus 65536. */
  uint64_t max_memory;      /**< Bytes that a decoder may hold, on the host and on the GPU together,
                                 counted where they are allocated: for a header or for the first packets.
                                 Not counted: two copies of the packet for each frame in flight, and at
                                 most 1 MiB for each thread. */
  uint64_t max_packet_size; /**< Bytes. */
} ctv_limits;

/** A decoder. */
typedef struct ctv_decoder ctv_decoder;

/** Configuration of a decoder. Fill it with ctv_decoder_config_init(). */
typedef struct ctv_decoder_config {
  size_t struct_size;       /**< Set by ctv_decoder_config_init(). */
  ctv_format format;        /**< Format of received pictures; NONE: ctv_stream_info.format. Samples of
                                 more bits than the format's are rounded; formats of more bits than the
                                 stream's are refused. RGB and Y'CbCr are converted by the stream's matrix
                                 (1, 4 to 7, 9 of H.273) and range. Where unspecified: BT.709 from 720 rows
                                 on, BT.601 below; limited range. */
  int32_t reduction;        /**< Resolution 1 / 2^reduction, at most the stream's scales. */
  ctv_memory memory;        /**< Address space of received pictures. CUDA requires the CUDA backend. */
  ctv_backend backend;      /**< Backend. */
  ctv_engine engine;        /**< Implementation of the transform. */
  int32_t device;           /**< CUDA device number. */
  int32_t threads;          /**< CPU threads, 1..256, or 0: as many as affinity and cgroup allow. */
  int32_t frames_in_flight; /**< As in ctv_config. */
  ctv_limits limits;        /**< Initially 2^28 pixels, 8 GiB, 1 GiB. */
  int32_t conceal; /**< 1: a packet without some parts gives a picture (ctv_picture.damaged). Missing or
                        damaged components are taken as empty; without header or vectors the last picture
                        is repeated. 0, initially: such packets are refused. */
} ctv_decoder_config;

/** Fills a configuration with defaults. Writes struct_size bytes. */
CTV_API ctv_status ctv_decoder_config_init_sized(ctv_decoder_config* config, size_t struct_size);
/** ctv_decoder_config_init_sized() with the size of this header's structure. */
static inline ctv_status ctv_decoder_config_init(ctv_decoder_config* config) {
  return ctv_decoder_config_init_sized(config, sizeof *config);
}
/** Opens a decoder.
 * @param config the configuration; copied
 * @param decoder receives the decoder, NULL on failure
 * @return CTV_OK; CTV_ERROR_ARGUMENT with the field's name; CTV_ERROR_DEVICE, CTV_ERROR_UNSUPPORTED. */
CTV_API ctv_status ctv_decoder_open(const ctv_decoder_config* config, ctv_decoder** decoder);
/** Sends one whole unit: a sequence header, a packet, or an index, which is ignored. A packet may be
 * truncated after any layer that `reduction` does not need. The bytes are copied before the call returns.
 *
 * Units take effect in their order. Pictures and errors do not depend on the number of frames in flight:
 *   - A refused packet changes nothing. The same packet may be sent again undamaged. Predicted frames that
 *     refer to the lost one are refused with CTV_ERROR_REFERENCE up to the next key frame.
 *   - A predicted frame that repeats the packet decoded last is dropped: no picture, no error.
 *   - A key frame is always decoded, even if it comes twice.
 *   - A damaged header changes nothing. A header refused by a limit or the configuration ends the stream:
 *     packets are refused up to the next header.
 *
 * With one frame in flight, send returns the errors of a packet; with several, receive returns them.
 * @return CTV_OK; CTV_AGAIN: receive first, the unit was not taken; CTV_ERROR_STREAM; CTV_ERROR_REFERENCE;
 * CTV_ERROR_LIMIT; CTV_ERROR_ARGUMENT if the stream has fewer resolutions than the configuration asks for;
 * CTV_ERROR_UNSUPPORTED if its format needs a conversion by another matrix; CTV_ERROR_STATE without a header
 * or after a flush; CTV_ERROR_DEVICE. */
CTV_API ctv_status ctv_decoder_send(ctv_decoder* decoder, const uint8_t* data, size_t size);
/** ctv_decoder_send() of unit->data and unit->size. If it is a packet, its picture has unit->opaque. Other
 * members are not read. */
CTV_API ctv_status ctv_decoder_send_unit(ctv_decoder* decoder, const ctv_unit* unit);
/** Sends a packet without some of its parts (ctv_packet_parts()) to a decoder that conceals. Without missing
 * parts it is ctv_decoder_send_unit().
 * @param decoder the decoder
 * @param unit data, size, opaque as in ctv_decoder_send_unit(): of the whole packet, or of a packet truncated
 * anywhere after part 0. Bytes of missing parts are not read. If part 0 is missing, no data are read, and the
 * picture has unit->frame_number, unit->timestamp and unit->duration
 * @param missing element i: not 0 if part i is missing; may be NULL if count is 0
 * @param count elements; later parts are present
 * @return as ctv_decoder_send(); CTV_ERROR_REFERENCE also if there is no picture to repeat. Without
 * ctv_decoder_config.conceal: CTV_ERROR_STREAM if a part is missing that `reduction` needs. */
CTV_API ctv_status ctv_decoder_send_damaged(ctv_decoder* decoder, const ctv_unit* unit,
                                            const uint8_t* missing, size_t count);
/** Lists the undamaged frames in the decoder's slots. They may be acknowledged (ctv_encoder_acknowledge())
 * and referred to. Frames in flight may be missing. If there is none, for example after a GPU has failed,
 * request a key frame (ctv_encoder_request_key_frame()).
 * @param decoder the decoder
 * @param frames receives at most `capacity` frame numbers; may be NULL if capacity is 0
 * @param capacity elements at frames
 * @param count receives the number of all such frames, at most 8
 * @return CTV_OK. */
CTV_API ctv_status ctv_decoder_held(ctv_decoder* decoder, int64_t* frames, size_t capacity, size_t* count);
/** Receives the next picture. The decoder owns its planes; they are valid until its next send, receive or
 * close. Planes in device memory stay valid for work queued in cuda_stream before that call.
 * @return CTV_OK; CTV_AGAIN: send more, or flush; CTV_END after a flush; the errors of send.
 * CTV_ERROR_REFERENCE also means a picture lost with a failed GPU. */
CTV_API ctv_status ctv_decoder_receive(ctv_decoder* decoder, ctv_picture* picture);
/** Ends the input: receive then returns the pictures in flight, then CTV_END. */
CTV_API ctv_status ctv_decoder_flush(ctv_decoder* decoder);
/** Discards all pictures, as after a seek. The next packet must be a key frame. */
CTV_API ctv_status ctv_decoder_reset(ctv_decoder* decoder);
/** As ctv_encoder_description(). */
CTV_API const char* ctv_decoder_description(const ctv_decoder* decoder);
/** Closes a decoder; NULL is allowed. */
CTV_API void ctv_decoder_close(ctv_decoder* decoder);

/* ---- Parsing streams, without allocations ------------------------------------------------------------ */

/** Kind of a unit. */
typedef enum ctv_unit_kind {
  CTV_UNIT_HEADER = 1, /**< Sequence header. */
  CTV_UNIT_PACKET = 2, /**< One frame. */
  CTV_UNIT_INDEX = 3   /**< Index of packets. */
} ctv_unit_kind;

/** Bytes at the start of a unit that give its kind and size. */
#define CTV_UNIT_PREFIX_SIZE 8

/** Reads the kind and the total size, prefix included, of the unit that starts at data.
 * @param data at least CTV_UNIT_PREFIX_SIZE bytes
 * @param size bytes at data
 * @param kind receives the kind
 * @param unit_size receives the size in bytes
 * @return CTV_OK; CTV_ERROR_STREAM. */
CTV_API ctv_status ctv_unit_parse(const uint8_t* data, size_t size, ctv_unit_kind* kind, uint64_t* unit_size);

/** Contents of a sequence header. Members without explanation are those of ctv_config. */
typedef struct ctv_stream_info {
  size_t struct_size;                 /**< sizeof(ctv_stream_info). */
  int32_t width;                      /**< Luma samples. */
  int32_t height;                     /**< Luma samples. */
  ctv_format format;                  /**< RGB8, or planar (NV12 is I420, RGBA8 is RGB8, P010 is I420_10). */
  int32_t fps_num;                    /**< Frame rate, numerator. */
  int32_t fps_den;                    /**< Frame rate, denominator. */
  int32_t aspect_width;               /**< Shape of a sample; 0: unspecified. */
  int32_t aspect_height;              /**< See aspect_width. */
  ctv_range range;                    /**< Range of the samples. */
  int32_t primaries;                  /**< ColourPrimaries of ITU-T H.273. */
  int32_t transfer;                   /**< TransferCharacteristics of ITU-T H.273. */
  int32_t matrix;                     /**< MatrixCoefficients of ITU-T H.273. */
  ctv_siting siting;                  /**< Place of 4:2:0 chroma samples. */
  ctv_interlace interlace;            /**< Fields. */
  int32_t chroma_420;                 /**< 1: RGB coded with 4:2:0 chroma. */
  int32_t lossless;                   /**< 1: lossless. */
  ctv_pyramid pyramid;                /**< Pyramid of the contourlet transform. */
  int32_t scales;                     /**< Resolutions are 1, 1/2 ... 2^-scales. */
  int32_t directions[CTV_MAX_SCALES]; /**< Per scale, finest first. */
  int32_t directional_lifting;        /**< 1: key frames may be lifted along directions. */
  ctv_entropy_coding entropy_coding;  /**< Entropy coding. */
  ctv_prediction prediction;          /**< What predicted frames predict. */
  int32_t block_size;                 /**< Blocks that the encoder matched, in luma samples. */
  int32_t subpel;                     /**< Vector precision. */
  int32_t overlap;                    /**< 1: overlapped block motion compensation. */
  int32_t loop_filter;                /**< 1: decoded samples are filtered. */
  int32_t slots;                      /**< Reference pictures that a decoder keeps. */
  int32_t planes;                     /**< Coded planes: 1 or 3. */
  int32_t subbands[3];                /**< Subbands per plane. */
  int32_t components;                 /**< Components per packet. */
  int32_t layers;                     /**< Layers per packet: scales + 1. Layer 0 alone gives the lowest
                                           resolution. */
  int32_t bits;                       /**< Of a sample: 8, 10 or 12. */
  int32_t mastering_primaries[8];     /**< As in ctv_config. */
  int32_t mastering_luminance[2];     /**< As in ctv_config. */
  int32_t content_light[2];           /**< As in ctv_config. */
} ctv_stream_info;
/** Clears a description and sets struct_size. */
static inline void ctv_stream_info_init(ctv_stream_info* value) {
  memset(value, 0, sizeof *value);
  value->struct_size = sizeof *value;
}

/** A parameter that ctv_config and ctv_stream_info have under one name, as an int32_t, an enumeration, or an
 * array of int32_t. */
typedef struct ctv_parameter_info {
  size_t struct_size;      /**< sizeof(ctv_parameter_info). */
  const char* name;        /**< Name of the members. Static storage. */
  const char* description; /**< One line. Static storage. */
  int32_t minimum;         /**< Least value. */
  int32_t maximum;         /**< Largest value. */
  const int32_t* values;   /**< All values, or NULL: every one from minimum to maximum. Static storage. */
  size_t value_count;      /**< Number of values, or 0. */
  size_t config_offset;    /**< offsetof the member in ctv_config. */
  size_t info_offset;      /**< offsetof the member in ctv_stream_info. */
} ctv_parameter_info;
/** Clears a description and sets struct_size. */
static inline void ctv_parameter_info_init(ctv_parameter_info* value) {
  memset(value, 0, sizeof *value);
  value->struct_size = sizeof *value;
}

/** Describes stream parameter i, counted from 0.
 * @return CTV_OK; CTV_END past the last; CTV_ERROR_ARGUMENT. */
CTV_API ctv_status ctv_parameter_get_info(int i, ctv_parameter_info* info);

/** Parses a sequence header unit.
 * @return CTV_OK; CTV_ERROR_STREAM. */
CTV_API ctv_status ctv_stream_info_parse(const uint8_t* data, size_t size, ctv_stream_info* info);

/** Contents of a packet's header. */
typedef struct ctv_packet_info {
  size_t struct_size;      /**< sizeof(ctv_packet_info). */
  int64_t frame_number;    /**< The frame's number, from 0. */
  int32_t key_frame;       /**< 1 for a key frame. */
  int64_t reference_frame; /**< The number of the frame that it refers to; -1: a key frame. */
  int32_t temporal_id;     /**< Frames refer to no frame of a higher one. */
  int32_t keep_in;   /**< The slot that keeps the picture, or CTV_KEEP_NOWHERE: the packet is discardable. */
  int64_t timestamp; /**< The picture's timestamp, in units of 1 / fps_num seconds. */
  int64_t duration;  /**< The picture's duration. */
  double step;       /**< Base quantiser step in samples of 8 bits. */
  uint32_t header_size;       /**< Bytes before the side payload. */
  uint32_t side_size;         /**< Bytes of the side payload: motion, or slopes in a key frame. */
  int32_t slope_blocks;       /**< Key frame with directional lifting: blocks that may have a slope. 0
                                   otherwise, or if there are more than 2^21. */
  int32_t slanted_blocks;     /**< The number of those whose slope is not 0. */
  int32_t components;         /**< Components. */
  int32_t layers;             /**< Layers. */
  uint64_t unit_size;         /**< Bytes of the whole packet; may exceed the bytes given. */
  int32_t band_directions[2]; /**< Key frame: directions of luma's finest bands HL and LH; 0: none, 2 or 4. */
} ctv_packet_info;
/** Clears a description and sets struct_size. */
static inline void ctv_packet_info_init(ctv_packet_info* value) {
  memset(value, 0, sizeof *value);
  value->struct_size = sizeof *value;
}

/** One component of a packet: coefficients that are coded independently. */
typedef struct ctv_component_info {
  int32_t layer;         /**< Layer; 0 is the lowest resolution. */
  int32_t first_plane;   /**< First plane. */
  int32_t last_plane;    /**< Last plane. */
  int32_t first_subband; /**< First subband of each of these planes. */
  int32_t last_subband;  /**< Last subband of each of these planes. */
  uint64_t coefficients; /**< Coefficients: all of the subbands, or one of several consecutive parts. */
  uint32_t size;         /**< Bytes. */
  uint32_t check;        /**< Expected ctv_part_check() of these bytes; 0 if there are none. */
} ctv_component_info;

/** Parses a packet unit, which may be truncated after header_size + side_size bytes.
 * @param header the stream's sequence header unit
 * @param header_size its bytes
 * @param data the packet unit
 * @param size its bytes
 * @param info receives the packet's description
 * @param components receives at most `capacity` components; may be NULL
 * @param capacity entries at components
 * @return CTV_OK; CTV_ERROR_STREAM. */
CTV_API ctv_status ctv_packet_info_parse(const uint8_t* header, size_t header_size, const uint8_t* data,
                                         size_t size, ctv_packet_info* info, ctv_component_info* components,
                                         size_t capacity);

/** Reads the slopes of one scale of a key frame with directional lifting (docs/transform.md, section 4). The
 * packet unit may be truncated after header_size + side_size bytes.
 * @param header the stream's sequence header unit
 * @param header_size its bytes
 * @param data the packet unit, or its beginning
 * @param size bytes at data
 * @param scale 1, whose blocks are 16x16 luma samples, to 3, whose blocks are 64x64
 * @param slopes receives at most `capacity` slopes, row by row, in half columns to the right per row down:
 * 0, +-1, +-2, +-4, +-6 or +-10; may be NULL if capacity is 0
 * @param capacity entries at slopes
 * @param rows receives the number of rows of blocks; 0: a predicted frame, or no directional lifting
 * @param cols receives the number of blocks in a row
 * @return CTV_OK; CTV_ERROR_STREAM; CTV_ERROR_ARGUMENT. */
CTV_API ctv_status ctv_packet_slopes(const uint8_t* header, size_t header_size, const uint8_t* data,
                                     size_t size, int32_t scale, int8_t* slopes, size_t capacity,
                                     int32_t* rows, int32_t* cols);

/** A part of a packet. Part 0 is its header and side payload, without which nothing can be decoded. Part i
 * is component i - 1, which depends on no other component. A predicted packet made without
 * ctv_config.error_resilient has part 0 only: it is needed whole. */
typedef struct ctv_part {
  uint64_t offset; /**< Offset of its first byte in the unit. */
  uint32_t size;   /**< Bytes. */
  int32_t layer;   /**< Layer of a component; -1: part 0. */
  uint32_t
      check; /**< Check of a component's bytes (ctv_part_check()); 0 if there are none, and for part 0. */
} ctv_part;

/** Lists the parts of a packet unit. Only part 0 must be present; its checksum is verified.
 * @param header the stream's sequence header unit
 * @param header_size its bytes
 * @param data the packet unit, or its beginning
 * @param size bytes at data
 * @param parts receives at most `capacity` parts; may be NULL if capacity is 0
 * @param capacity entries at parts
 * @param count receives the number of all parts
 * @return CTV_OK; CTV_ERROR_STREAM. */
CTV_API ctv_status ctv_packet_parts(const uint8_t* header, size_t header_size, const uint8_t* data,
                                    size_t size, ctv_part* parts, size_t capacity, size_t* count);
/** Returns the check of a component's bytes, 0..65535; 0 if there are none. */
CTV_API uint32_t ctv_part_check(const uint8_t* data, size_t size);

/** One packet in an index. */
typedef struct ctv_index_entry {
  uint64_t offset;   /**< Byte offset of the packet from the start of the stream. */
  int64_t timestamp; /**< The picture's timestamp, in units of 1 / fps_num seconds. */
  int32_t key_frame; /**< 1 for a key frame. */
} ctv_index_entry;
/** Parses an index unit.
 * @param data the index unit
 * @param size its bytes
 * @param entries receives at most `capacity` entries; may be NULL if capacity is 0
 * @param capacity entries at entries
 * @param count receives the number of all entries
 * @return CTV_OK; CTV_ERROR_STREAM. */
CTV_API ctv_status ctv_index_parse(const uint8_t* data, size_t size, ctv_index_entry* entries,
                                   size_t capacity, size_t* count);
/** Bytes at the end of a stream that give the index unit's size. */
#define CTV_INDEX_TRAILER_SIZE 8
/** Reads the index unit's size from the last CTV_INDEX_TRAILER_SIZE bytes of a stream.
 * @return CTV_OK; CTV_ERROR_STREAM if the stream does not end with an index. */
CTV_API ctv_status ctv_index_trailer_parse(const uint8_t* data, size_t size, uint64_t* index_unit_size);

/* ---- Measurements ------------------------------------------------------------------------------------ */

/** Time spent in one stage. */
typedef struct ctv_stage_time {
  const char* name; /**< Static storage. */
  double seconds;   /**< Total since open. */
  uint64_t calls;   /**< Calls since open. */
} ctv_stage_time;
/** Returns the stage times of an encoder: at most `capacity`; *count receives their number. On a GPU,
 * stages are timed from the first call of this function on, which makes them slightly slower. */
CTV_API ctv_status ctv_encoder_stage_times(ctv_encoder* encoder, ctv_stage_time* times, size_t capacity,
                                           size_t* count);
/** As ctv_encoder_stage_times(). */
CTV_API ctv_status ctv_decoder_stage_times(ctv_decoder* decoder, ctv_stage_time* times, size_t capacity,
                                           size_t* count);

/** A CUDA device. */
typedef struct ctv_device_info {
  size_t struct_size;    /**< sizeof(ctv_device_info). */
  char name[128];        /**< Name, zero-terminated. */
  uint64_t memory;       /**< Bytes. */
  int32_t compute_major; /**< Compute capability. */
  int32_t compute_minor; /**< Compute capability. */
} ctv_device_info;
/** Clears a description and sets struct_size. */
static inline void ctv_device_info_init(ctv_device_info* value) {
  memset(value, 0, sizeof *value);
  value->struct_size = sizeof *value;
}
/** Returns the number of usable CUDA devices. If it is 0, ctv_last_error() says why. */
CTV_API int ctv_device_count(void);
/** Describes a CUDA device.
 * @return CTV_OK; CTV_ERROR_DEVICE if there is no device; CTV_ERROR_ARGUMENT for an invalid number. */
CTV_API ctv_status ctv_device_get_info(int device, ctv_device_info* info);

#ifdef __cplusplus
}
#endif

#endif
