import { readFileSync } from 'node:fs'

/** One operation of a server on a file of its database. */
export interface DiskOperation {
  kind: 'write' | 'truncate' | 'sync'
  /** 0 is the database, 1 its write-ahead log. */
  file: 0 | 1
  /** Nanoseconds of the monotonic clock. */
  at: bigint
  offset: number
  bytes: Buffer
}

const RECORD_HEAD_BYTES = 32
const SECTOR_BYTES = 512
const KINDS = ['write', 'truncate', 'sync'] as const

/** Reads the journal that power-cut.c writes. */
export function readDiskJournal(path: string): DiskOperation[] {
  const journal = readFileSync(path)
  const steps: DiskOperation[] = []
  for (let at = 0; at + RECORD_HEAD_BYTES <= journal.length; ) {
    const kind = KINDS[journal.readUInt32LE(at) - 1] ?? 'sync'
    const file = journal.readUInt32LE(at + 4) === 0 ? 0 : 1
    const length = kind === 'write' ? Number(journal.readBigUInt64LE(at + 24)) : 0
    const bytes = journal.subarray(at + RECORD_HEAD_BYTES, at + RECORD_HEAD_BYTES + length)
    const offset = Number(journal.readBigUInt64LE(at + 16))
    steps.push({ kind, file, at: journal.readBigUInt64LE(at + 8), offset, bytes })
    at += RECORD_HEAD_BYTES + length
  }
  return steps
}

/** A disk that keeps flushed data; unflushed data survives a power cut only by chance. */
export class SimulatedDisk {
  readonly #durable = [new FileContent(), new FileContent()] as const
  #unflushed: DiskOperation[] = []

  perform(step: DiskOperation): void {
    if (step.kind !== 'sync') {
      this.#unflushed.push(step)
      return
    }
    for (const one of this.#unflushed)
      if (one.file === step.file) this.#durable[one.file].apply(one)
    this.#unflushed = this.#unflushed.filter(({ file }) => file !== step.file)
  }

  /** Returns both files after a cut: each unflushed write is kept, lost, or torn by sectors. */
  cut(random: () => number): [Buffer, Buffer] {
    const files = [this.#durable[0].copy(), this.#durable[1].copy()] as const
    const cutKind = random()
    for (const step of this.#unflushed) {
      const fate = random()
      // Some cuts lose everything that was not flushed, some nothing, most of them a part.
      if (cutKind < 0.2 || (cutKind < 0.8 && fate < 0.4)) continue
      const torn = cutKind < 0.8 && fate > 0.7 && step.kind === 'write'
      for (const part of torn ? tearIntoSectors(step, random) : [step]) files[step.file].apply(part)
    }
    return [files[0].bytes, files[1].bytes]
  }
}

function tearIntoSectors(step: DiskOperation, random: () => number): DiskOperation[] {
  const parts: DiskOperation[] = []
  for (let at = 0; at < step.bytes.length; at += SECTOR_BYTES) {
    if (random() < 0.5) continue
    parts.push({
      ...step,
      offset: step.offset + at,
      bytes: step.bytes.subarray(at, at + SECTOR_BYTES),
    })
  }
  return parts
}

/** The bytes of a file, with spare capacity to grow. */
class FileContent {
  #buffer = Buffer.alloc(0)
  #length = 0

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length)
  }

  copy(): FileContent {
    const copy = new FileContent()
    copy.#buffer = Buffer.from(this.bytes)
    copy.#length = this.#length
    return copy
  }

  apply({ kind, offset, bytes }: DiskOperation): void {
    if (kind === 'truncate') {
      this.#ensureCapacity(offset)
      this.#buffer.fill(0, offset, this.#length)
      this.#length = offset
      return
    }
    this.#ensureCapacity(offset + bytes.length)
    this.#length = Math.max(this.#length, offset + bytes.length)
    bytes.copy(this.#buffer, offset)
  }

  #ensureCapacity(length: number): void {
    if (length <= this.#buffer.length) return
    const larger = Buffer.alloc(2 * length)
    this.#buffer.copy(larger)
    this.#buffer = larger
  }
}
