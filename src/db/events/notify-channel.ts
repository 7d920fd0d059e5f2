import { randomBytes } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import pg from 'pg'
import { namedConnection } from '../postgres/pool.ts'

/** How a process exchanges messages with the other processes on its database. */
interface NotifyChannelOptions {
  /** An address without a connection pooler: LISTEN belongs to one connection. */
  url: string
  /** Receives a message of another process. */
  onMessage(message: unknown): void
  /** Runs when the channel begins to receive; earlier messages were missed. */
  onOpen(): void
  onClose(): void
  /** How often the process checks that it receives its own messages, and reconnects if not. */
  beatMs?: number
}

const CHANNEL_NAME = 'docket'
/** PostgreSQL requires payloads shorter than 8,000 bytes. */
const MAX_PAYLOAD_BYTES = 7_900
/** Messages of this interval are sent together. */
const BATCH_INTERVAL_MS = 2
const HEARTBEAT_INTERVAL_MS = 10_000
const MIN_RECONNECT_MS = 100
const MAX_RECONNECT_MS = 10_000
const QUERY_TIMEOUT_MS = 4_000

/**
 * LISTEN and NOTIFY over a dedicated connection, which is reopened whenever it ends. Messages are sent
 * after the commits that they announce: NOTIFY within a transaction makes all commits of the server
 * wait for each other (it cost a third of the writes with four connections, two thirds with sixteen).
 * A message can therefore be lost with its process.
 */
export class NotifyChannel {
  readonly #options: NotifyChannelOptions
  readonly #processName = randomBytes(9).toString('base64url')
  #client: pg.Client | undefined
  #pending: string[] = []
  #isSending = false
  /** When this connection first received its own message; undefined before that. */
  #openedAt: number | undefined
  #heartbeat: NodeJS.Timeout | undefined
  #awaitsEcho = false
  #reconnectMs = MIN_RECONNECT_MS
  #reconnectTimer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: NotifyChannelOptions) {
    this.#options = options
    this.#connect()
  }

  get isOpen(): boolean {
    return this.#openedAt !== undefined
  }

  /** Milliseconds since the channel opened; 0 while it is closed. */
  get openMs(): number {
    return this.#openedAt === undefined ? 0 : performance.now() - this.#openedAt
  }

  /** Sends a message to the other processes soon; drops it while there is no connection. */
  send(message: object): void {
    if (!this.isOpen) return
    this.#pending.push(JSON.stringify(message))
    this.#flush()
  }

  /** Closes without waiting, because the server may not answer. */
  close(): void {
    this.#isClosed = true
    clearTimeout(this.#reconnectTimer)
    clearInterval(this.#heartbeat)
    this.#client?.end().catch(() => {})
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({
      ...namedConnection(this.#options.url, 'docket-channel'),
      connectionTimeoutMillis: 2_000,
      query_timeout: QUERY_TIMEOUT_MS,
      keepAlive: true,
    })
    this.#client = client
    client.on('error', () => this.#disconnect(client))
    client.on('end', () => this.#disconnect(client))
    client.on('notification', ({ payload = '' }) => this.#receive(client, payload))
    try {
      await client.connect()
      await client.query(`listen ${CHANNEL_NAME}`)
      this.#awaitsEcho = true
      await this.#notify(client, [])
      this.#heartbeat = setInterval(
        () => this.#checkHeartbeat(client),
        this.#options.beatMs ?? HEARTBEAT_INTERVAL_MS,
      ).unref()
    } catch {
      this.#disconnect(client)
    }
  }

  /** A pooler may accept LISTEN and then give the connection to another client. */
  async #checkHeartbeat(client: pg.Client): Promise<void> {
    // Sockets are read after timers: a process that is late itself may have the echo already.
    if (this.#awaitsEcho) await nextTurn()
    if (client !== this.#client) return
    if (this.#awaitsEcho) return this.#disconnect(client)
    this.#awaitsEcho = true
    await this.#notify(client, []).catch(() => this.#disconnect(client))
  }

  #disconnect(client: pg.Client): void {
    if (client !== this.#client) return
    this.#client = undefined
    const wasOpen = this.isOpen
    this.#openedAt = undefined
    this.#pending = []
    clearInterval(this.#heartbeat)
    client.end().catch(() => {})
    if (this.#isClosed) return
    if (wasOpen) this.#options.onClose()
    this.#reconnectTimer = setTimeout(
      () => this.#connect(),
      this.#reconnectMs * (0.5 + Math.random()),
    ).unref()
    this.#reconnectMs = Math.min(2 * this.#reconnectMs, MAX_RECONNECT_MS)
  }

  #receive(client: pg.Client, payload: string): void {
    const space = payload.indexOf(' ')
    if (payload.slice(0, space) !== this.#processName) {
      for (const message of parseMessages(payload.slice(space + 1)))
        this.#options.onMessage(message)
      return
    }
    if (client !== this.#client) return
    this.#awaitsEcho = false
    if (this.isOpen) return
    this.#openedAt = performance.now()
    this.#reconnectMs = MIN_RECONNECT_MS
    this.#options.onOpen()
  }

  async #flush(): Promise<void> {
    if (this.#isSending) return
    this.#isSending = true
    while (this.#pending.length > 0) {
      await new Promise((go) => setTimeout(go, BATCH_INTERVAL_MS))
      const client = this.#client
      const messages = this.#pending.splice(0)
      if (client) await this.#notify(client, messages).catch(() => this.#disconnect(client))
    }
    this.#isSending = false
  }

  async #notify(client: pg.Client, messages: readonly string[]): Promise<void> {
    const text = `select pg_notify('${CHANNEL_NAME}', payload) from unnest($1::text[]) as payload`
    const payloads = packPayloads(messages, MAX_PAYLOAD_BYTES - this.#processName.length)
    const values = [payloads.map((payload) => `${this.#processName} [${payload}]`)]
    await client.query({ name: 'say', text, values })
  }
}

/** Sends a message to all processes, over any connection: it is lost if that fails. */
export function notifyOnce(pool: pg.Pool, message: object): void {
  const payload = `once [${JSON.stringify(message)}]`
  pool.query(`select pg_notify('${CHANNEL_NAME}', $1)`, [payload]).catch(() => {})
}

/** Joins texts with commas into payloads of at most `maxBytes`. */
function packPayloads(texts: readonly string[], maxBytes: number): string[] {
  const payloads = ['']
  let length = 0
  for (const text of texts) {
    const bytes = Buffer.byteLength(text) + 1
    const last = payloads.at(-1)
    if (last === '' || last === undefined || length + bytes <= maxBytes) {
      payloads[payloads.length - 1] = last ? `${last},${text}` : text
      length += bytes
    } else {
      payloads.push(text)
      length = bytes
    }
  }
  return payloads
}

/** Ignores payloads that another version of Docket sends in an unknown format. */
function parseMessages(json: string): unknown[] {
  try {
    const messages: unknown = JSON.parse(json)
    return Array.isArray(messages) ? messages : []
  } catch {
    return []
  }
}
