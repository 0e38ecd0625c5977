// Images by their first bytes, never by their name (tools.md §3.9).

export interface ImageInfo {
  readonly mimeType: string;
  /** Pixels; undefined where the file is too damaged to say. */
  readonly size: { readonly width: number; readonly height: number } | undefined;
}

/** Undefined for everything else, animated PNG included. */
export function describeImage(file: Uint8Array): ImageInfo | undefined {
  for (const { mimeType, matches, size } of formats) {
    if (!matches(file)) continue;
    const view = new DataView(file.buffer, file.byteOffset, file.length);
    let pixels: ImageInfo["size"];
    try {
      pixels = size(view);
    } catch (thrown) {
      // A DataView read past the end: the file is cut off before its size is told.
      if (!(thrown instanceof RangeError)) throw thrown;
    }
    return { mimeType, size: pixels };
  }
  return undefined;
}

interface Format {
  readonly mimeType: string;
  matches(file: Uint8Array): boolean;
  /** May read past the end. */
  size(view: DataView): ImageInfo["size"];
}

const formats: readonly Format[] = [
  {
    mimeType: "image/png",
    matches: (file) => startsWith(file, [0x89, ..."PNG\r\n\x1a\n"]) && !isAnimated(file),
    size: (view) => ({ width: view.getUint32(16), height: view.getUint32(20) }),
  },
  {
    mimeType: "image/jpeg",
    matches: (file) => startsWith(file, [0xff, 0xd8, 0xff]),
    size: jpegSize,
  },
  {
    mimeType: "image/gif",
    matches: (file) => startsWith(file, [..."GIF87a"]) || startsWith(file, [..."GIF89a"]),
    size: (view) => ({ width: view.getUint16(6, true), height: view.getUint16(8, true) }),
  },
  {
    mimeType: "image/webp",
    matches: (file) =>
      startsWith(file, [..."RIFF"]) && startsWith(file.subarray(8), [..."WEBPVP8"]),
    size: webpSize,
  },
  {
    mimeType: "image/bmp",
    // "BM" alone is two letters: the reserved fields and the size of the next header tell.
    matches: (file) =>
      startsWith(file, [..."BM"]) &&
      startsWith(file.subarray(6), [0, 0, 0, 0]) &&
      [12, 40, 52, 56, 64, 108, 124].includes(file[14] ?? 0) &&
      startsWith(file.subarray(15), [0, 0, 0]),
    size: (view) =>
      view.getUint32(14, true) === 12
        ? { width: view.getUint16(18, true), height: view.getUint16(20, true) }
        : { width: view.getInt32(18, true), height: Math.abs(view.getInt32(22, true)) },
  },
];

function startsWith(file: Uint8Array, magic: readonly (number | string)[]): boolean {
  return magic.every(
    (want, i) => file[i] === (typeof want === "string" ? want.charCodeAt(0) : want),
  );
}

/** An acTL chunk stands before the first IDAT. */
function isAnimated(file: Uint8Array): boolean {
  const view = new DataView(file.buffer, file.byteOffset, file.length);
  for (let at = 8; at + 8 <= file.length; at += 12 + view.getUint32(at)) {
    const chunk = file.subarray(at + 4);
    if (startsWith(chunk, [..."acTL"])) return true;
    if (startsWith(chunk, [..."IDAT"])) return false;
  }
  return false;
}

/** In the first start-of-frame segment; the markers C4, C8 and CC are no such segments. */
function jpegSize(view: DataView): ImageInfo["size"] {
  let at = 2;
  for (;;) {
    if (view.getUint8(at) !== 0xff) return undefined;
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) {
      at++;
      continue;
    }
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    }
    at += 2 + view.getUint16(at + 2);
  }
}

/** Lossy, lossless and extended files keep their size in different places. */
function webpSize(view: DataView): ImageInfo["size"] {
  const kind = view.getUint8(15);
  if (kind === 0x20) {
    return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
  }
  if (kind === 0x4c) {
    const bits = view.getUint32(21, true);
    return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
  }
  const width = 1 + (view.getUint32(24, true) & 0xffffff);
  const height = 1 + (view.getUint16(27, true) | (view.getUint8(29) << 16));
  return { width, height };
}
