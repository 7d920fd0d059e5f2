import { readFileSync } from 'node:fs'

/** What a server did to a file of its database, in order. */
export interface Step {
  kind: 'write' | 'truncate' | 'sync'
  /** 0 the database, 1 its log. */
  file: 0 | 1
  /** On the monotonic clock, in nanoseconds. */
  at: bigint
  offset: number
  bytes: Buffer
}

const HEAD = 32
const SECTOR = 512
const KINDS = ['write', 'truncate', 'sync'] as const

/** Reads the journal that power-cut.c has written. */
export function stepsIn(path: string): Step[] {
  const journal = readFileSync(path)
  const steps: Step[] = []
  for (let at = 0; at + HEAD <= journal.length; ) {
    const kind = KINDS[journal.readUInt32LE(at) - 1] ?? 'sync'
    const file = journal.readUInt32LE(at + 4) === 0 ? 0 : 1
    const length = kind === 'write' ? Number(journal.readBigUInt64LE(at + 24)) : 0
    const bytes = journal.subarray(at + HEAD, at + HEAD + length)
    const offset = Number(journal.readBigUInt64LE(at + 16))
    steps.push({ kind, file, at: journal.readBigUInt64LE(at + 8), offset, bytes })
    at += HEAD + length
  }
  return steps
}

/** A disk that holds for certain what was flushed, and of the rest whatever chance leaves. */
export class Disk {
  readonly #durable = [new Content(), new Content()] as const
  #open: Step[] = []

  do(step: Step): void {
    if (step.kind !== 'sync') {
      this.#open.push(step)
      return
    }
    for (const one of this.#open) if (one.file === step.file) this.#durable[one.file].apply(one)
    this.#open = this.#open.filter(({ file }) => file !== step.file)
  }

  /** The two files after a cut: each unflushed write is there, is not, or is torn by sectors. */
  cut(chance: () => number): [Buffer, Buffer] {
    const files = [this.#durable[0].copy(), this.#durable[1].copy()] as const
    const mood = chance()
    for (const step of this.#open) {
      const fate = chance()
      // Some cuts lose all that was not flushed, some nothing, most a part.
      if (mood < 0.2 || (mood < 0.8 && fate < 0.4)) continue
      const torn = mood < 0.8 && fate > 0.7 && step.kind === 'write'
      for (const part of torn ? sectorsOf(step, chance) : [step]) files[step.file].apply(part)
    }
    return [files[0].bytes, files[1].bytes]
  }
}

function sectorsOf(step: Step, chance: () => number): Step[] {
  const parts: Step[] = []
  for (let at = 0; at < step.bytes.length; at += SECTOR) {
    if (chance() < 0.5) continue
    parts.push({ ...step, offset: step.offset + at, bytes: step.bytes.subarray(at, at + SECTOR) })
  }
  return parts
}

/** The bytes of a file, with room to grow. */
class Content {
  #room = Buffer.alloc(0)
  #length = 0

  get bytes(): Buffer {
    return this.#room.subarray(0, this.#length)
  }

  copy(): Content {
    const copy = new Content()
    copy.#room = Buffer.from(this.bytes)
    copy.#length = this.#length
    return copy
  }

  apply({ kind, offset, bytes }: Step): void {
    if (kind === 'truncate') {
      this.#reach(offset)
      this.#room.fill(0, offset, this.#length)
      this.#length = offset
      return
    }
    this.#reach(offset + bytes.length)
    this.#length = Math.max(this.#length, offset + bytes.length)
    bytes.copy(this.#room, offset)
  }

  #reach(length: number): void {
    if (length <= this.#room.length) return
    const room = Buffer.alloc(2 * length)
    this.#room.copy(room)
    this.#room = room
  }
}
