/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ctv: a contourlet video codec. The C interface; ctv.hpp wraps it for C++.
 *
 * Encoding                                     Decoding
 *   ctv_config c;                                ctv_decoder_config c;
 *   ctv_config_init(&c, "default");              ctv_decoder_config_init(&c);
 *   c.width = 1280; c.height = 720;              ctv_decoder_open(&c, &decoder);
 *   c.format = CTV_FORMAT_I420;                  for each unit of the stream:
 *   ctv_encoder_open(&c, &encoder);                ctv_decoder_send(decoder, data, size);
 *   ctv_encoder_header(encoder, &unit);            while (ctv_decoder_receive(decoder, &picture) == CTV_OK)
 *   for each picture:                                show(&picture);
 *     ctv_encoder_send(encoder, &picture);       ctv_decoder_close(decoder);
 *     while (ctv_encoder_receive(encoder, &packet) == CTV_OK)
 *       transmit(packet.data, packet.size);
 *   ctv_encoder_close(encoder);
 *
 * Rules that hold everywhere
 *   - No function throws, prints or exits. Each returns a status; ctv_last_error() has the words.
 *   - Structures begin with struct_size, which the *_init functions set: a program built with an older
 *     header runs with a newer library.
 *   - A handle is used by one thread at a time. Any number of handles live side by side.
 *   - Equal pictures and equal coding parameters give equal bytes, whatever the backend, the engine and
 *     the number of threads; equal bytes give equal pictures.
 */
#ifndef CTV_CTV_H
#define CTV_CTV_H

#include <stddef.h>
#include <stdint.h>

#if defined(CTV_STATIC)
#define CTV_API
#elif defined(_WIN32)
#define CTV_API __declspec(dllimport)
#else
#define CTV_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define CTV_VERSION_MAJOR 0
#define CTV_VERSION_MINOR 1
#define CTV_VERSION_PATCH 0

/* The version of the library that runs, for example "0.1.0". Static storage. */
CTV_API const char* ctv_version(void);

/* ---- Status ---------------------------------------------------------------------------------------- */

typedef enum ctv_status {
  CTV_OK = 0,
  CTV_AGAIN = 1,              /* nothing to receive yet: send more, or flush */
  CTV_END = 2,                /* flushed, and everything has been received */
  CTV_ERROR_ARGUMENT = -1,    /* the caller's argument or configuration is out of range */
  CTV_ERROR_STREAM = -2,      /* damaged or truncated stream; the message names field and byte offset */
  CTV_ERROR_LIMIT = -3,       /* a limit of ctv_limits would be exceeded */
  CTV_ERROR_MEMORY = -4,      /* out of memory */
  CTV_ERROR_DEVICE = -5,      /* the device asked for is missing or has failed */
  CTV_ERROR_UNSUPPORTED = -6, /* valid, but not by this build */
  CTV_ERROR_STATE = -7,   /* calls in the wrong order, for example a predicted frame before any key frame */
  CTV_ERROR_INTERNAL = -8 /* a defect of the library */
} ctv_status;

/* A name such as "damaged stream" for a status. Static storage. */
CTV_API const char* ctv_status_name(ctv_status status);

/* One line about the last failure in the calling thread; "" if none. Valid until the thread's next call. */
CTV_API const char* ctv_last_error(void);

typedef enum ctv_log_level { CTV_LOG_ERROR = 0, CTV_LOG_WARNING = 1, CTV_LOG_INFO = 2 } ctv_log_level;
/* Called with one line without a newline. May be called from any thread that is inside a call of the library.
 */
typedef void (*ctv_log_callback)(void* opaque, ctv_log_level level, const char* message);
/* Process-wide; NULL (the start) keeps the library silent. */
CTV_API void ctv_set_log_callback(ctv_log_callback callback, void* opaque);

/* ---- Pictures -------------------------------------------------------------------------------------- */

typedef enum ctv_format {
  CTV_FORMAT_NONE = 0,
  CTV_FORMAT_GRAY8 = 1, /* data[0]: luma */
  CTV_FORMAT_I420 = 2,  /* planar Y'CbCr 4:2:0; chroma extents are (size + 1) / 2 */
  CTV_FORMAT_I422 = 3,
  CTV_FORMAT_I444 = 4,
  CTV_FORMAT_RGB8 = 5,  /* data[0]: interleaved, 3 bytes a sample */
  CTV_FORMAT_RGBA8 = 6, /* data[0]: interleaved, 4 bytes a sample; alpha is ignored, and decoded as 255 */
  CTV_FORMAT_NV12 = 7   /* as I420, chroma interleaved in data[1] */
} ctv_format;

typedef enum ctv_memory { CTV_MEMORY_HOST = 0, CTV_MEMORY_CUDA = 1 } ctv_memory;

/* 8-bit samples; full range and limited range are coded alike. */
typedef struct ctv_picture {
  size_t struct_size;
  ctv_format format;
  int32_t width, height; /* luma samples */
  ctv_memory memory;     /* where data points; CUDA needs the CUDA backend */
  void* data[4];
  ptrdiff_t stride[4];  /* bytes from row to row; negative strides are allowed in host memory */
  void* cuda_stream;    /* cudaStream_t after which device data may be read (send) or is valid (receive) */
  int64_t frame_number; /* received pictures: counted from 0 in the stream */
  int32_t key_frame;    /* received pictures: 1 for a key frame */
  /* Sent pictures in host memory: 1 promises that the samples stay as they are until this picture's packet
   * has been received (or receive has failed for it), send has refused the picture, or the encoder is closed.
   * A device may then read them where they lie. 64 bits, because older programs leave the four bytes after
   * key_frame as they were. */
  int64_t lent;
} ctv_picture;

/* Bytes per row of plane `plane`, and rows; 0 if the format has no such plane. */
CTV_API size_t ctv_plane_row_bytes(ctv_format format, int32_t width, int plane);
CTV_API size_t ctv_plane_rows(ctv_format format, int32_t height, int plane);

/* ---- Coding parameters ----------------------------------------------------------------------------- */

typedef enum ctv_transform {
  CTV_TRANSFORM_CONTOURLET = 0,
  CTV_TRANSFORM_DCT8X8 = 1,   /* block transforms: one subband a frequency; not lossless */
  CTV_TRANSFORM_H264_4X4 = 2, /* with the Hadamard transform of DC coefficients; qp is H.264's QP */
  CTV_TRANSFORM_H264_8X8 = 3
} ctv_transform;
typedef enum ctv_pyramid {
  CTV_PYRAMID_LAPLACIAN = 0,    /* Do and Vetterli's, 9-7 filters; 4/3 coefficients a sample */
  CTV_PYRAMID_WAVELET_5_3 = 1,  /* critically sampled, reversible 5/3 */
  CTV_PYRAMID_WAVELET_13_7 = 2, /* critically sampled, reversible 13/7 */
  CTV_PYRAMID_WAVELET_9_7 = 3   /* critically sampled, reversible 9/7: the best of them */
} ctv_pyramid;
typedef enum ctv_prediction {
  CTV_PREDICTION_SUBBAND = 0, /* seed algorithm: quantised subbands, moved */
  CTV_PREDICTION_PICTURE = 1  /* motion-compensated reconstructed picture */
} ctv_prediction;
typedef enum ctv_symbols {
  CTV_SYMBOLS_RLE = 0,       /* runs of zeros between values, LZ77 DEFLATE: the paper's */
  CTV_SYMBOLS_RLE_SPLIT = 1, /* runs and values in two streams, Huffman-only DEFLATE */
  CTV_SYMBOLS_CONTEXT = 2    /* levels classed by their neighbours, Huffman-only DEFLATE */
} ctv_symbols;
typedef enum ctv_chroma {
  CTV_CHROMA_AS_INPUT = 0, /* RGB is kept 4:4:4 */
  CTV_CHROMA_420 = 1       /* a quarter of the samples */
} ctv_chroma;
/* What bits are spent for: the least squared error, or the most structural similarity (SSIM). */
typedef enum ctv_tune { CTV_TUNE_PSNR = 0, CTV_TUNE_SSIM = 1 } ctv_tune;
typedef enum ctv_backend { CTV_BACKEND_AUTO = 0, CTV_BACKEND_CPU = 1, CTV_BACKEND_CUDA = 2 } ctv_backend;
typedef enum ctv_engine { CTV_ENGINE_AUTO = 0, CTV_ENGINE_DIRECT = 1, CTV_ENGINE_FFT = 2 } ctv_engine;

#define CTV_MAX_LEVELS 8

/* Filled by ctv_config_init from a preset; then set width, height and format, and whatever else differs. */
typedef struct ctv_config {
  size_t struct_size;
  /* Input. */
  int32_t width, height; /* luma samples, 1..65535 */
  ctv_format format;
  int32_t fps_num, fps_den; /* frames per second, 1..2^31-1; written to the header, used by rate control */
  /* Written to the stream's headers. */
  ctv_chroma chroma;
  ctv_transform transform;
  ctv_pyramid pyramid; /* this and the next three: of the contourlet transform, not used by others */
  int32_t levels;      /* pyramid levels, 1..8 */
  int32_t directions[CTV_MAX_LEVELS]; /* per level, finest first: 0, 2, 4, 8 or 16 */
  int32_t filter_taps;                /* of the directional filter bank: 2, 4, 6, 8 or 12 */
  ctv_prediction prediction;
  ctv_symbols symbols;
  int32_t lossless;   /* 1: every sample comes back; step and qp are not used; contourlet transform */
  int32_t block_size; /* motion blocks: 8, 16 or 32 luma samples */
  int32_t subpel;     /* vector precision: luma samples / 2^subpel, 0..3; above 0: picture prediction */
  int32_t overlap;    /* 1: overlapped block motion compensation; picture prediction */
  int32_t split;      /* 1: blocks are split in four where it pays, but those of 8; picture prediction */
  /* The encoder's own decisions. */
  int32_t search_range; /* whole luma samples, 0..64 */
  int32_t key_interval; /* frames from key frame to key frame, 1..2^30; 0: only on request */
  double step;          /* base quantiser step in sample units, 1/16..4095 */
  int32_t qp;           /* 0..51, H.264's scale, or -1: use step */
  int32_t scene_cut;    /* 1: a scene cut makes a key frame; pictures in host memory */
  /* Rate control. With either of the two limits each packet is made before send returns, whatever
   * frames_in_flight is. */
  int64_t bitrate; /* bits per second, averaged over any two seconds; 0: none. qp or step only begin */
  int64_t max_frame_bytes; /* no packet is larger: coarser steps are tried until it fits; 0: none */
  int32_t buffer_ms;       /* with bitrate: what a receiver's buffer holds, 100..60000 */
  /* How to run; no influence on the bytes. */
  int32_t threads; /* CPU threads, 1..256; 0: all cores */
  ctv_backend backend;
  ctv_engine engine;
  int32_t device;           /* CUDA device number, for backend cuda and auto */
  int32_t frames_in_flight; /* 1: each packet is ready when send returns (latency); 2..16: pipelined
                               (throughput) */
  /* More of the encoder's own decisions. */
  int32_t rdoq; /* 1: the quantiser weighs bits against error; picture prediction, not with H.264
                   transforms */
  /* Written to the stream's headers, as weights of the subbands. */
  int32_t chroma_qp_offset; /* chroma's steps are those of qp + offset, -12..12; not with H.264 transforms */
  /* Constant quality, one more of the encoder's own decisions. */
  double crf; /* 0..51, or -1: use qp or step. Luma's PSNR against the source is held near 55 - 5 crf / 8 dB
                 by a step for each frame; picture prediction, neither bitrate nor lossless */
  /* Weights of luma's subbands, in the headers, and the quantiser's rounding. */
  ctv_tune tune; /* SSIM: contourlet transform and picture prediction, not lossless */
} ctv_config;

/* Presets: "paper", "default", ... ; NULL means "default". CTV_ERROR_ARGUMENT if unknown. Writes struct_size
 * bytes, those that the caller's header knows. */
CTV_API ctv_status ctv_config_init_sized(ctv_config* config, size_t struct_size, const char* preset);
/* The same for the header that the program is built with. */
static inline ctv_status ctv_config_init(ctv_config* config, const char* preset) {
  return ctv_config_init_sized(config, sizeof *config, preset);
}
/* The i-th preset's name, NULL past the last. Static storage. */
CTV_API const char* ctv_preset_name(int i);
/* What the preset is for, in one line; NULL past the last. Static storage. */
CTV_API const char* ctv_preset_description(int i);

/* Sets the directions of the finest level and the filter's taps to what codes `picture`, a typical one, at
 * least cost: it is coded as a key frame with each of a few choices. For wavelet pyramids and picture
 * prediction; leaves other configurations and lossless ones as they are. Takes some tens of frames' time. */
CTV_API ctv_status ctv_config_choose_transform(ctv_config* config, const ctv_picture* picture);

/* ---- Memory for pictures ---------------------------------------------------------------------------- */

/* Host memory of which lent pictures reach a backend soonest; where the rows lie in it is the caller's. For
 * CUDA, or AUTO where that would choose it, it is page-locked and the device copies from it by itself; for
 * the CPU, and wherever locking is not possible, it is like any other: it is never an error that there is no
 * device. `device` as in ctv_config. Aligned to 256 bytes; contents undefined. *data is NULL on failure
 * (CTV_ERROR_MEMORY). Locking is slow: allocate once, not per picture. */
CTV_API ctv_status ctv_host_alloc(size_t size, ctv_backend backend, int32_t device, void** data);
/* Whatever ctv_host_alloc gave, in any thread, also after encoders are closed; NULL is allowed. */
CTV_API void ctv_host_free(void* data);

/* ---- Encoder --------------------------------------------------------------------------------------- */

typedef struct ctv_encoder ctv_encoder;

/* One unit of the stream: the sequence header, a packet (one frame) or the index. */
typedef struct ctv_unit {
  size_t struct_size;
  const uint8_t* data; /* owned by the encoder, valid until its next send, receive or close */
  size_t size;
  int64_t frame_number; /* packets: counted from 0 */
  int32_t key_frame;
  double step; /* packets: the base quantiser step used */
} ctv_unit;

/* Makes an encoder; *encoder is NULL on failure. Checks the whole configuration. */
CTV_API ctv_status ctv_encoder_open(const ctv_config* config, ctv_encoder** encoder);
/* The sequence header unit: first in a stream; repeat it whenever a receiver may join. */
CTV_API ctv_status ctv_encoder_header(ctv_encoder* encoder, ctv_unit* unit);
/* Takes one picture. Its samples are copied or consumed before the call returns, but those of device
 * pictures, which are when their stream has passed, and of lent ones (ctv_picture.lent). The CUDA backend
 * reads a lent picture by itself if its planes lie in page-locked memory (ctv_host_alloc, cudaHostAlloc,
 * cudaHostRegister) with positive strides, and copies it otherwise, as the CPU backend always does.
 * CTV_AGAIN: frames_in_flight frames are waiting, receive first; the picture was not taken. */
CTV_API ctv_status ctv_encoder_send(ctv_encoder* encoder, const ctv_picture* picture);
/* Gives the next packet in order. With frames_in_flight 1 the packet of the picture just sent is there at
 * once. */
CTV_API ctv_status ctv_encoder_receive(ctv_encoder* encoder, ctv_unit* unit);
/* No more pictures follow: receive then gives what is in flight, then CTV_END. */
CTV_API ctv_status ctv_encoder_flush(ctv_encoder* encoder);
/* The index unit for a file's end, after CTV_END: byte offsets count from the start of the first header. */
CTV_API ctv_status ctv_encoder_index(ctv_encoder* encoder, ctv_unit* unit);
/* The next picture becomes a key frame. */
CTV_API ctv_status ctv_encoder_request_key_frame(ctv_encoder* encoder);
/* From the next picture on; no key frame is needed. qp -1: use step. Ends constant quality. */
CTV_API ctv_status ctv_encoder_set_quantiser(ctv_encoder* encoder, int32_t qp, double step);
/* From the next picture on; no key frame is needed. -1: the quantiser again. CTV_ERROR_ARGUMENT while there
 * is a bitrate, as set_bitrate while there is a crf. */
CTV_API ctv_status ctv_encoder_set_crf(ctv_encoder* encoder, double crf);
/* From the next picture on; no key frame is needed. 0: none. */
CTV_API ctv_status ctv_encoder_set_bitrate(ctv_encoder* encoder, int64_t bitrate, int64_t max_frame_bytes);
/* Which backend and engine run and why, one line; valid until close. */
CTV_API const char* ctv_encoder_description(const ctv_encoder* encoder);
CTV_API void ctv_encoder_close(ctv_encoder* encoder);

/* ---- Decoder --------------------------------------------------------------------------------------- */

typedef struct ctv_limits {
  uint64_t max_pixels;      /* width x height of the luma plane */
  uint64_t max_memory;      /* bytes the decoder may hold: see ctv_decoder_memory */
  uint64_t max_packet_size; /* bytes */
} ctv_limits;

typedef struct ctv_decoder ctv_decoder;

typedef struct ctv_decoder_config {
  size_t struct_size;
  int32_t reduction; /* 0: full resolution, 1: half, 2: a quarter, ... at most the stream's levels */
  ctv_format format; /* of received pictures; NONE: as the stream was made from */
  int32_t threads;   /* 0: all cores */
  ctv_backend backend;
  ctv_engine engine;
  int32_t device;
  int32_t frames_in_flight; /* as in ctv_config */
  ctv_memory memory;        /* where received pictures lie; CUDA needs the CUDA backend */
  ctv_limits limits;        /* initialised to 2^28 pixels, 8 GiB, 1 GiB */
} ctv_decoder_config;

CTV_API ctv_status ctv_decoder_config_init_sized(ctv_decoder_config* config, size_t struct_size);
static inline ctv_status ctv_decoder_config_init(ctv_decoder_config* config) {
  return ctv_decoder_config_init_sized(config, sizeof *config);
}
CTV_API ctv_status ctv_decoder_open(const ctv_decoder_config* config, ctv_decoder** decoder);
/* Takes one whole unit: a sequence header, a packet, or an index (ignored). A packet may be cut after any
 * layer if reduction does not need the rest. On an error the decoder waits for the next key frame and stays
 * usable. The bytes are consumed before the call returns. CTV_AGAIN: receive first. */
CTV_API ctv_status ctv_decoder_send(ctv_decoder* decoder, const uint8_t* data, size_t size);
/* Gives the next picture: planes owned by the decoder, valid until its next send, receive or close. */
CTV_API ctv_status ctv_decoder_receive(ctv_decoder* decoder, ctv_picture* picture);
/* No more units follow: receive then gives what is in flight, then CTV_END. */
CTV_API ctv_status ctv_decoder_flush(ctv_decoder* decoder);
/* Forgets all pictures, as after a seek: the next packet must be a key frame. */
CTV_API ctv_status ctv_decoder_reset(ctv_decoder* decoder);
CTV_API const char* ctv_decoder_description(const ctv_decoder* decoder);
CTV_API void ctv_decoder_close(ctv_decoder* decoder);

/* ---- Streams from bytes, without allocating ---------------------------------------------------------- */

typedef enum ctv_unit_kind { CTV_UNIT_HEADER = 1, CTV_UNIT_PACKET = 2, CTV_UNIT_INDEX = 3 } ctv_unit_kind;

/* Bytes that decide a unit's kind and size. */
#define CTV_UNIT_PREFIX_SIZE 8

/* Reads kind and total size (prefix included) of the unit that begins at data; needs CTV_UNIT_PREFIX_SIZE
 * bytes. */
CTV_API ctv_status ctv_unit_parse(const uint8_t* data, size_t size, ctv_unit_kind* kind, uint64_t* unit_size);

typedef struct ctv_stream_info {
  size_t struct_size;
  int32_t width, height;
  ctv_format format; /* what the stream was made from */
  int32_t fps_num, fps_den;
  int32_t chroma_420; /* 1: chroma is coded at a quarter of the luma samples */
  ctv_transform transform;
  ctv_pyramid pyramid; /* contourlet transform */
  int32_t levels;      /* resolutions 1, 1/2 ... 2^-levels; block transforms: log2 of the block's side */
  int32_t directions[CTV_MAX_LEVELS]; /* finest first */
  int32_t filter_taps;
  ctv_prediction prediction;
  ctv_symbols symbols;
  int32_t lossless;
  int32_t block_size, subpel, overlap, split;
  int32_t planes;          /* coded planes: 1 or 3 */
  int32_t subbands[3];     /* per plane */
  int32_t components;      /* per packet */
  int32_t layers;          /* per packet: levels + 1; layer 0 alone gives the lowest resolution */
  uint64_t decoder_memory; /* bytes a decoder at full resolution needs, one frame in flight */
} ctv_stream_info;

/* From a sequence header unit. */
CTV_API ctv_status ctv_stream_info_parse(const uint8_t* data, size_t size, ctv_stream_info* info);

typedef struct ctv_packet_info {
  size_t struct_size;
  int64_t frame_number;
  int32_t key_frame;
  double step;
  uint32_t header_size; /* bytes before the motion payload */
  uint32_t motion_size; /* bytes of the motion payload */
  int32_t components;
  int32_t layers;
} ctv_packet_info;

/* One component of a packet. */
typedef struct ctv_component_info {
  int32_t layer;       /* 0: lowest resolution */
  int32_t first_plane; /* planes first_plane..last_plane, each its subbands first_subband..last_subband */
  int32_t last_plane;
  int32_t first_subband, last_subband;
  uint64_t coefficients; /* those of the subbands, or one of several parts of them, one after the other */
  uint32_t size;         /* bytes */
} ctv_component_info;

/* From a packet unit of the stream whose header unit is given. components: may be NULL; else capacity
 * entries. */
CTV_API ctv_status ctv_packet_info_parse(const uint8_t* header, size_t header_size, const uint8_t* data,
                                         size_t size, ctv_packet_info* info, ctv_component_info* components,
                                         size_t capacity);

typedef struct ctv_index_entry {
  uint64_t offset; /* of the packet unit, from the start of the stream */
  int32_t key_frame;
} ctv_index_entry;
/* From an index unit; *count entries in all, at most capacity of them written. */
CTV_API ctv_status ctv_index_parse(const uint8_t* data, size_t size, ctv_index_entry* entries,
                                   size_t capacity, size_t* count);
/* The last CTV_INDEX_TRAILER_SIZE bytes of a stream tell the index unit's size, if there is one. */
#define CTV_INDEX_TRAILER_SIZE 8
CTV_API ctv_status ctv_index_trailer_parse(const uint8_t* data, size_t size, uint64_t* index_unit_size);

/* ---- Instruments ------------------------------------------------------------------------------------- */

typedef struct ctv_stage_time {
  const char* name; /* static storage */
  double seconds;   /* total since open */
  uint64_t calls;
} ctv_stage_time;
/* Stage times since open; *count entries in all, at most capacity written. */
CTV_API ctv_status ctv_encoder_stage_times(ctv_encoder* encoder, ctv_stage_time* times, size_t capacity,
                                           size_t* count);
CTV_API ctv_status ctv_decoder_stage_times(ctv_decoder* decoder, ctv_stage_time* times, size_t capacity,
                                           size_t* count);

typedef struct ctv_device_info {
  size_t struct_size;
  char name[128];
  uint64_t memory; /* bytes */
  int32_t compute_major, compute_minor;
} ctv_device_info;
/* Number of usable CUDA devices; 0 also where there is no driver, and ctv_last_error() then says why. */
CTV_API int ctv_device_count(void);
CTV_API ctv_status ctv_device_get_info(int device, ctv_device_info* info);

#ifdef __cplusplus
}
#endif

#endif
