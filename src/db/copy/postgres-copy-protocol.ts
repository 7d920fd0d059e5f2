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
  readonly take: (row: Uint8Array) => void
  readonly handleReadyForQuery: () => void
  readonly handleError: (error: unknown) => void

  constructor(text: string, bytes: Uint8Array | undefined, take: (row: Uint8Array) => void) {
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

  handleCopyData({ chunk }: { chunk: Uint8Array }): void {
    this.take(chunk)
  }

  handleCommandComplete(): void {}
}

/** Runs `copy … from stdin` with all lines at once. */
export const copyIn = (client: Client, text: string, bytes: Uint8Array): Promise<void> =>
  client.query(new CopyStatement(text, bytes, () => {})).done

/** Runs `copy … to stdout`. A row is a view of the driver's buffer, valid until `take` ends. */
export const copyOut = (
  client: Client,
  text: string,
  take: (row: Uint8Array) => void,
): Promise<void> => client.query(new CopyStatement(text, undefined, take)).done
