import { createReadStream, statSync } from 'node:fs'

/** A file of a release. */
export interface ReleaseFile {
  /** The path in the release, with `/`. */
  path: string
  /** The text, or the path of a file to copy. */
  content: { text: string } | { file: string }
  executable?: boolean
}

const BLOCK = 512
/** The runtime has 150 MB: with the small chunks that streams have by default, archiving it takes longer. */
export const CHUNK_BYTES = 2 ** 20
/** 2000-01-01: the time of every file, so that an archive does not depend on when it was made. */
const MODIFIED_S = 946_684_800

/**
 * Writes files as a tar archive (POSIX ustar) below one folder. The bytes depend only on paths,
 * contents and the executable bit: entries are sorted, and owner, mode and time are fixed.
 */
export async function* createTar(
  folder: string,
  files: readonly ReleaseFile[],
): AsyncGenerator<Buffer> {
  const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1))
  const directories = new Set<string>()
  for (const { path, content, executable = false } of sorted) {
    for (const directory of parentsOf(`${folder}/${path}`)) {
      if (directories.has(directory)) continue
      directories.add(directory)
      yield createHeader({ path: `${directory}/`, mode: 0o755, size: 0, type: '5' })
    }
    const size = sizeOf(content)
    const mode = executable ? 0o755 : 0o644
    yield createHeader({ path: `${folder}/${path}`, mode, size, type: '0' })
    yield* readContent(content)
    yield Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK)
  }
  yield Buffer.alloc(2 * BLOCK)
}

/** Reads a file of a release in pieces. */
export async function* readContent(content: ReleaseFile['content']): AsyncGenerator<Buffer> {
  if ('text' in content) yield Buffer.from(content.text)
  else yield* createReadStream(content.file, { highWaterMark: CHUNK_BYTES })
}

const sizeOf = (content: ReleaseFile['content']): number =>
  'text' in content ? Buffer.byteLength(content.text) : statSync(content.file).size

const parentsOf = (path: string): string[] =>
  path
    .split('/')
    .slice(0, -1)
    .map((_, at, names) => names.slice(0, at + 1).join('/'))

interface TarHeader {
  path: string
  mode: number
  size: number
  /** `0`: a file; `5`: a directory. */
  type: '0' | '5'
}

function createHeader({ path, mode, size, type }: TarHeader): Buffer {
  const header = Buffer.alloc(BLOCK)
  const { name, prefix } = splitPath(path)
  const octal = (value: number, width: number) => `${value.toString(8).padStart(width - 1, '0')}\0`
  const fields: [offset: number, value: string][] = [
    [0, name],
    [100, octal(mode, 8)],
    [108, octal(0, 8)],
    [116, octal(0, 8)],
    [124, octal(size, 12)],
    [136, octal(MODIFIED_S, 12)],
    // The checksum is computed as if this field had spaces.
    [148, ' '.repeat(8)],
    [156, type],
    [257, 'ustar\x0000'],
    [265, 'root'],
    [297, 'root'],
    [345, prefix],
  ]
  for (const [offset, value] of fields) header.write(value, offset, 'utf8')
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return header
}

/** A path of more than 100 bytes is split at a slash. */
function splitPath(path: string): { name: string; prefix: string } {
  if (Buffer.byteLength(path) <= 100) return { name: path, prefix: '' }
  const at = path.lastIndexOf('/', path.length - 2)
  const [prefix, name] = [path.slice(0, at), path.slice(at + 1)]
  if (at < 0 || Buffer.byteLength(name) > 100 || Buffer.byteLength(prefix) > 155)
    throw new Error(`The path is too long for a tar archive: ${path}`)
  return { name, prefix }
}
