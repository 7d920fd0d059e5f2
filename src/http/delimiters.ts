/** Thrown for what is no form, or breaks off before its end. */
export class Malformed extends Error {}

/** White space that may follow a delimiter in its line (RFC 2046, 5.1.1); nobody sends more. */
const MOST_PADDING = 64
const LINE_END = /^[ \t]*\r\n/
const BEGUN = /^(-|[ \t]*\r?)$/

/**
 * Looks for what begins like a delimiter and is none, which no part may contain (RFC 2046, 5.1.1). A
 * parser that does not look so far would end the part there, and a file would be kept cut short.
 */
export class Delimiters {
  /** Whether the last delimiter has come; what follows belongs to no part. */
  isClosed = false
  readonly #start: Buffer
  /** The end of what has come, where a delimiter may have begun. */
  #rest: Buffer = Buffer.from('\r\n')

  constructor(boundary: string) {
    this.#start = Buffer.from(`\r\n--${boundary}`)
  }

  /** Looks at the next bytes of a body; throws Malformed. */
  see(chunk: Buffer): void {
    const bytes = Buffer.concat([this.#rest, chunk])
    const { length } = this.#start
    let from = 0
    for (let at = bytes.indexOf(this.#start); at >= 0; at = bytes.indexOf(this.#start, from)) {
      from = at + length
      if (this.isClosed) throw new Malformed('It goes on after its end')
      const after = bytes.toString('latin1', from, from + MOST_PADDING)
      if (BEGUN.test(after) && after.length < MOST_PADDING) {
        this.#rest = bytes.subarray(at)
        return
      }
      this.isClosed = after.startsWith('--')
      if (!this.isClosed && !LINE_END.test(after)) throw new Malformed('It contains its boundary')
    }
    this.#rest = bytes.subarray(Math.max(from, bytes.length - length + 1))
  }
}
