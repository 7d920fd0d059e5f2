import { Readable } from 'node:stream'
import { type Entry, fromRandomAccessReader, RandomAccessReader, type ZipFile } from 'yauzl'
import type { Source } from './reading.ts'
import { Unreadable } from './unreadable.ts'

/** What may come out of an archive, of each file and in all; and how much larger than it lies there. */
const MOST_BYTES = 536_870_912
const MOST_RATIO = 200
const MOST_ENTRIES = 10_000
const NO_ZIP = 'The ZIP archive is damaged, or is none.'

/** A file in an archive. Its name is looked at, never used as a path. */
export interface Packed {
  name: string
  bytes(): AsyncIterable<Uint8Array>
}

class Ranges extends RandomAccessReader {
  readonly #source: Source
  constructor(source: Source) {
    super()
    this.#source = source
  }
  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.#source.bytes(start, end), { objectMode: false })
  }
}

/**
 * The files of a ZIP archive, in order; the bytes of one are read before the next is asked for. An
 * archive that is out of proportion, whatever it says of itself, throws `Unreadable`.
 */
export async function* filesIn(source: Source): AsyncGenerator<Packed> {
  const zip = await opened(source)
  try {
    if (zip.entryCount > MOST_ENTRIES) {
      throw new Unreadable(`The ZIP archive holds more than ${MOST_ENTRIES} files.`)
    }
    let left = MOST_BYTES
    for (;;) {
      const entry = await nextOf(zip)
      if (!entry) return
      if (entry.fileName.endsWith('/')) continue
      yield {
        name: entry.fileName,
        async *bytes() {
          const most = Math.min(left, Math.max(1_048_576, entry.compressedSize * MOST_RATIO))
          if (entry.uncompressedSize > most) throw outOfProportion(entry)
          const stream = await streamOf(zip, entry)
          let size = 0
          try {
            for await (const chunk of stream) {
              size += (chunk as Buffer).length
              if (size > most) throw outOfProportion(entry)
              yield chunk as Buffer
            }
          } catch (error) {
            throw error instanceof Unreadable ? error : new Unreadable(NO_ZIP, { cause: error })
          }
          left -= size
        },
      }
    }
  } finally {
    zip.close()
  }
}

const outOfProportion = ({ fileName }: Entry) =>
  new Unreadable(`"${fileName.slice(0, 80)}" in the ZIP archive would be far too large.`)

const opened = (source: Source) =>
  new Promise<ZipFile>((resolve, reject) => {
    const options = { lazyEntries: true, autoClose: false, validateEntrySizes: true }
    fromRandomAccessReader(new Ranges(source), source.size, options, (error, zip) => {
      if (error) reject(new Unreadable(NO_ZIP, { cause: error }))
      else resolve(zip)
    })
  })

const nextOf = (zip: ZipFile) =>
  new Promise<Entry | undefined>((resolve, reject) => {
    const settle = (end: () => void) => () => {
      for (const name of ['entry', 'end', 'error']) zip.removeAllListeners(name)
      end()
    }
    zip.once('entry', (entry: Entry) => settle(() => resolve(entry))())
    zip.once(
      'end',
      settle(() => resolve(undefined)),
    )
    zip.once('error', (error) => settle(() => reject(new Unreadable(NO_ZIP, { cause: error })))())
    zip.readEntry()
  })

const streamOf = (zip: ZipFile, entry: Entry) =>
  new Promise<Readable>((resolve, reject) => {
    zip.openReadStream(entry, (error, stream) => {
      if (error) reject(new Unreadable(NO_ZIP, { cause: error }))
      else resolve(stream)
    })
  })
