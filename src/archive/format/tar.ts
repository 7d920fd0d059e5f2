import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'

/*
 * The subset of the tar format (ustar) that an archive needs: regular files with short names.
 * Nothing in it can make a program write outside of its target or more than the header declares.
 */

const BLOCK_BYTES = 512
/** Sizes below fit eleven octal digits. Larger ones are binary, as in GNU tar. */
const OCTAL_SIZE_LIMIT = 8 ** 11

/** A file in an archive: its name, and the position and number of its bytes. */
export interface TarEntry {
  name: string
  start: number
  size: number
}

/**
 * The header of a file, without times and owners, so that the same content gives the same bytes.
 */
export function tarHeader(name: string, size: number): Buffer {
  const header = Buffer.alloc(BLOCK_BYTES)
  header.write(name, 0, 100, 'ascii')
  for (const [at, text] of [
    [100, '0000600\0'],
    [108, '0000000\0'],
    [116, '0000000\0'],
    [136, '00000000000\0'],
    [148, '        '],
    [156, '0'],
    [257, 'ustar\0'],
    [263, '00'],
  ] as const) {
    header.write(text, at, 'ascii')
  }
  if (size < OCTAL_SIZE_LIMIT) header.write(`${octal(size, 11)}\0`, 124, 'ascii')
  else {
    header[124] = 0x80
    header.writeBigUInt64BE(BigInt(size), 128)
  }
  header.write(`${octal(checksumOf(header), 6)}\0 `, 148, 'ascii')
  return header
}

/** The zero bytes that follow a file of this size. */
export const tarPadding = (size: number): Buffer =>
  Buffer.alloc((BLOCK_BYTES - (size % BLOCK_BYTES)) % BLOCK_BYTES)

/** The end-of-archive marker. */
export const TAR_END = Buffer.alloc(2 * BLOCK_BYTES)

const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0')

/** The checksum of a header, in which the checksum field itself counts as spaces. */
function checksumOf(header: Buffer): number {
  let sum = 0
  for (const [at, byte] of header.entries()) sum += at >= 148 && at < 156 ? 0x20 : byte
  return sum
}

/** The size of a file and its SHA-256. */
interface TarFileDigest {
  bytes: number
  /** In lower-case hex. */
  sha256: string
}

/** Writes an archive, file after file, whose sizes need not be known before. */
export async function createTarFile(path: string) {
  const file = await open(path, 'wx', 0o600)
  let end = 0
  const writeAt = async (bytes: Uint8Array, at: number) => {
    for (let from = 0; from < bytes.length; )
      from += (await file.write(bytes, from, bytes.length - from, at + from)).bytesWritten
  }
  return {
    /** Adds a file, unless `isWanted` rejects what came; then the next one takes its place. */
    async add(
      name: string,
      chunks: AsyncIterable<Uint8Array>,
      isWanted: (digest: TarFileDigest) => boolean = () => true,
    ): Promise<TarFileDigest | undefined> {
      const hash = createHash('sha256')
      const start = end + BLOCK_BYTES
      let bytes = 0
      for await (const chunk of chunks) {
        hash.update(chunk)
        await writeAt(chunk, start + bytes)
        bytes += chunk.length
      }
      const digest = { bytes, sha256: hash.digest('hex') }
      if (!isWanted(digest)) return undefined
      const padding = tarPadding(bytes)
      await writeAt(tarHeader(name, bytes), end)
      await writeAt(padding, start + bytes)
      end = start + bytes + padding.length
      return digest
    },
    /** Ends the archive and syncs it to disk. */
    async finish(): Promise<void> {
      await writeAt(TAR_END, end)
      await file.truncate(end + TAR_END.length)
      await file.sync()
    },
    close: () => file.close(),
  }
}

/** A file that is no valid tar. The message says what is wrong and where. */
export class InvalidTarError extends Error {}

/** Reads bytes of an archive from a position on; fewer if it ends before. */
export type ReadAt = (at: number, length: number) => Promise<Buffer>

/**
 * Streams the entries of an archive. Throws `InvalidTarError` at a header that `tarHeader` cannot
 * have written.
 */
export async function* readTarEntries(read: ReadAt, total: number): AsyncGenerator<TarEntry> {
  for (let at = 0; ; ) {
    const header = await read(at, BLOCK_BYTES)
    if (header.length < BLOCK_BYTES)
      throw new InvalidTarError('it ends in the middle: it is not a whole archive')
    if (header.every((byte) => byte === 0)) {
      const rest = total - at
      const isValidEnd = rest === TAR_END.length && (await isZero(read, at, rest))
      if (isValidEnd) return
      throw new InvalidTarError('something stands behind its end, or the end is cut')
    }
    const name = header.toString('latin1', 0, header.indexOf(0))
    const size = parseSize(header)
    if (!/^[a-z0-9_./]{1,99}$/.test(name) || !header.equals(tarHeader(name, size))) {
      throw new InvalidTarError(
        `what stands at byte ${at} is no file that docket export has written`,
      )
    }
    const start = at + BLOCK_BYTES
    const padding = tarPadding(size).length
    at = start + size + padding
    if (at > total) throw new InvalidTarError(`${name} is cut off: it is not a whole archive`)
    if (!(await isZero(read, start + size, padding))) {
      throw new InvalidTarError(`something stands behind ${name}`)
    }
    yield { name, start, size }
  }
}

async function isZero(read: ReadAt, from: number, length: number): Promise<boolean> {
  if (length === 0) return true
  const bytes = await read(from, length)
  return bytes.length === length && bytes.every((byte) => byte === 0)
}

function parseSize(header: Buffer): number {
  if (header[124] === 0x80) {
    const size = header.readBigUInt64BE(128)
    return size <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(size) : 0
  }
  const text = header.toString('latin1', 124, 135)
  return /^[0-7]{11}$/.test(text) ? Number.parseInt(text, 8) : 0
}
