import type { Client, Connection, Submittable } from 'pg'

declare module 'pg' {
  interface Connection {
    sendCopyFromChunk(bytes: Uint8Array): void
    endCopyFrom(): void
  }
}

/** A COPY statement for the driver: it sends bytes or receives rows. */
class CopyStatement implements Submittable {
  readonly done: Promise<void>
  readonly text: string
  readonly bytes: Uint8Array | undefined
  readonly take: (row: Uint8Array) => unknown
  readonly handleReadyForQuery: () => void
  readonly handleError: (error: unknown) => void

  constructor(text: string, bytes: Uint8Array | undefined, take: (row: Uint8Array) => unknown) {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.text = text
    this.bytes = bytes
    this.take = take
    this.done = promise
    this.handleReadyForQuery = resolve
    this.handleError = reject
  }

  submit(connection: Connection): void {
    connection.query(this.text)
  }

  handleCopyInResponse(connection: Connection): void {
    if (this.bytes) connection.sendCopyFromChunk(this.bytes)
    connection.endCopyFrom()
  }

  handleCopyData({ chunk }: { chunk: Uint8Array }, { stream }: Connection): void {
    const pending = this.take(chunk)
    if (!(pending instanceof Promise)) return
    stream.pause()
    pending.then(() => stream.resume(), this.handleError)
  }

  handleCommandComplete(): void {}
}

/** Runs `copy … from stdin` with all lines at once. */
export const copyIn = (client: Client, text: string, bytes: Uint8Array): Promise<void> =>
  client.query(new CopyStatement(text, bytes, () => {})).done

/**
 * Runs `copy … to stdout`. A row is a view of the driver's buffer, valid until `take` ends. Where `take`
 * returns a promise, the connection is not read until it is fulfilled, but for the rows that the driver
 * has already received. If it is rejected, so is the copy, and the connection is of no more use.
 */
export const copyOut = (
  client: Client,
  text: string,
  take: (row: Uint8Array) => unknown,
): Promise<void> => client.query(new CopyStatement(text, undefined, take)).done

/** Decodes a row that `copyOut` passes, without its line feed. */
export const copiedLine = (row: Uint8Array): string =>
  Buffer.from(row.buffer, row.byteOffset, row.length - 1).toString()
