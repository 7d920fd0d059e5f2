/** Thrown for a body that is not well-formed multipart, or that ends before its last delimiter. */
export class MalformedMultipartError extends Error {}

/**
 * White space that may follow a delimiter in its line (RFC 2046 §5.1.1). Real clients send less.
 */
const MAX_PADDING = 64
const LINE_END = /^[ \t]*\r\n/
const PARTIAL_LINE_END = /^(-|[ \t]*\r?)$/

/**
 * Finds text that begins like a delimiter and is not one, which no part may contain (RFC 2046
 * §5.1.1). The parser would end the part there, and a truncated file would be stored.
 */
export class DelimiterScanner {
  /** Whether the last delimiter was seen; bytes after it belong to no part. */
  isClosed = false
  readonly #delimiter: Buffer
  /** The tail of the bytes so far, in which a delimiter may have begun. */
  #tail: Buffer = Buffer.from('\r\n')

  constructor(boundary: string) {
    this.#delimiter = Buffer.from(`\r\n--${boundary}`)
  }

  /** Scans the next bytes of a body. */
  scan(chunk: Buffer): void {
    const bytes = Buffer.concat([this.#tail, chunk])
    const { length } = this.#delimiter
    let from = 0
    for (
      let at = bytes.indexOf(this.#delimiter);
      at >= 0;
      at = bytes.indexOf(this.#delimiter, from)
    ) {
      from = at + length
      if (this.isClosed) throw new MalformedMultipartError('It goes on after its end')
      const after = bytes.toString('latin1', from, from + MAX_PADDING)
      if (PARTIAL_LINE_END.test(after) && after.length < MAX_PADDING) {
        this.#tail = bytes.subarray(at)
        return
      }
      this.isClosed = after.startsWith('--')
      if (!this.isClosed && !LINE_END.test(after))
        throw new MalformedMultipartError('It contains its boundary')
    }
    this.#tail = bytes.subarray(Math.max(from, bytes.length - length + 1))
  }
}
