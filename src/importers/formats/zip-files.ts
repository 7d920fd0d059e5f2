import { Readable } from 'node:stream'
import type { Entry, ZipFile } from 'yauzl'
import { giveWay } from '#lib/turns.ts'
import type { ImportFile } from '../sources/source.ts'
import { UnreadableFileError } from './unreadable-file-error.ts'

/** Limits against ZIP bombs: bytes in all, and the compression ratio of each file. */
const MAX_UNCOMPRESSED_BYTES = 536_870_912
const MAX_COMPRESSION_RATIO = 200
const MAX_ENTRIES = 10_000

/** A file in a ZIP archive. Its name must never be used as a path. */
interface ZippedFile {
  name: string
  bytes(): AsyncIterable<Uint8Array>
}

/** Whether a file begins with the magic bytes of ZIP. */
export async function isZip(source: ImportFile): Promise<boolean> {
  for await (const [a, b] of source.bytes(0, Math.min(2, source.size)))
    return a === 0x50 && b === 0x4b
  return false
}

/**
 * Streams the files of a ZIP archive in order. The bytes of one must be read before the next is
 * asked for. Throws `UnreadableFileError` if an archive expands beyond the limits; the sizes that
 * its headers claim are not trusted.
 */
export async function* readZipFiles(source: ImportFile): AsyncGenerator<ZippedFile> {
  const zip = await openZip(source)
  try {
    if (zip.entryCount > MAX_ENTRIES)
      throw new UnreadableFileError('zip_too_many_files', { number: MAX_ENTRIES })
    let remaining = MAX_UNCOMPRESSED_BYTES
    for await (const entry of zip.eachEntry()) {
      await giveWay()
      if (entry.fileName.endsWith('/')) continue
      yield {
        name: entry.fileName,
        async *bytes() {
          const maxSize = Math.min(
            remaining,
            Math.max(1_048_576, entry.compressedSize * MAX_COMPRESSION_RATIO),
          )
          if (entry.uncompressedSize > maxSize) throw tooLarge(entry)
          let size = 0
          try {
            for await (const chunk of await zip.openReadStreamPromise(entry)) {
              size += (chunk as Buffer).length
              if (size > maxSize) throw tooLarge(entry)
              yield chunk as Buffer
            }
          } catch (error) {
            throw toZipError(error)
          }
          remaining -= size
        },
      }
    }
  } catch (error) {
    throw toZipError(error)
  } finally {
    zip.close()
  }
}

const toZipError = (error: unknown): UnreadableFileError =>
  error instanceof UnreadableFileError
    ? error
    : new UnreadableFileError('zip_damaged', { cause: error })

const tooLarge = ({ fileName }: Entry) =>
  new UnreadableFileError('zip_file_too_large', { value: fileName.slice(0, 80) })

/** Loads the library first, because most servers never import an archive. */
async function openZip(source: ImportFile): Promise<ZipFile> {
  const { fromRandomAccessReaderPromise, RandomAccessReader } = await import('yauzl')
  const reader = new (class extends RandomAccessReader {
    override _readStreamForRange(start: number, end: number): Readable {
      return Readable.from(source.bytes(start, end), { objectMode: false })
    }
  })()
  const options = { lazyEntries: true, autoClose: false, validateEntrySizes: true }
  try {
    return await fromRandomAccessReaderPromise(reader, source.size, options)
  } catch (error) {
    throw toZipError(error)
  }
}
