/** The first bytes of the pictures that are shown; whatever else calls itself a picture is not. */
const MAGIC: readonly [type: string, at: number, bytes: readonly number[]][] = [
  ['image/png', 0, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ['image/jpeg', 0, [0xff, 0xd8, 0xff]],
  ['image/gif', 0, [0x47, 0x49, 0x46, 0x38]],
  ['image/webp', 8, [0x57, 0x45, 0x42, 0x50]],
]
const RIFF = [0x52, 0x49, 0x46, 0x46]

/** Whether a file that calls itself so may be a picture at all: others are not even fetched. */
export const mayBePicture = (content_type: string): boolean =>
  MAGIC.some(([type]) => type === content_type.toLowerCase())

/** What kind of picture bytes are by what they begin with; undefined for everything else, SVG too. */
export function pictureType(bytes: Uint8Array): string | undefined {
  const found = MAGIC.find(([, at, magic]) => magic.every((byte, i) => bytes[at + i] === byte))
  if (found?.[0] === 'image/webp' && !RIFF.every((byte, i) => bytes[i] === byte)) return
  return found?.[0]
}
