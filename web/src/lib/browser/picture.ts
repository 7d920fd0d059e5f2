/** The leading bytes of the image types that are shown. Other types are never shown as images. */
const SIGNATURES: readonly [type: string, at: number, bytes: readonly number[]][] = [
  ['image/png', 0, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ['image/jpeg', 0, [0xff, 0xd8, 0xff]],
  ['image/gif', 0, [0x47, 0x49, 0x46, 0x38]],
  ['image/webp', 8, [0x57, 0x45, 0x42, 0x50]],
]
const RIFF = [0x52, 0x49, 0x46, 0x46]

/** Whether a content type is that of a supported image; other files are not even fetched. */
export const isPictureType = (content_type: string): boolean =>
  SIGNATURES.some(([type]) => type === content_type.toLowerCase())

/** The image type of a file by its leading bytes; undefined for anything else, including SVG. */
export function detectPictureType(bytes: Uint8Array): string | undefined {
  const found = SIGNATURES.find(([, at, magic]) => magic.every((byte, i) => bytes[at + i] === byte))
  if (found?.[0] === 'image/webp' && !RIFF.every((byte, i) => bytes[i] === byte)) return
  return found?.[0]
}
