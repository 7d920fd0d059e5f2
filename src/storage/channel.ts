import { randomBytes } from 'node:crypto'
import pg from 'pg'

/** What a process needs to hear the others on its database, and to be heard. */
export interface ChannelOptions {
  /** An address behind which no pooler shares connections: LISTEN is of one connection. */
  url: string
  /** What another process has said. */
  heard(message: unknown): void
  /** From now on everything is heard; what was said before was missed. */
  opened(): void
  closed(): void
  /** How often it is tried whether this process hears itself; if not, the connection is made anew. */
  beatMs?: number
}

const NAME = 'docket'
/** A payload must be shorter than 8,000 bytes. */
const MOST_BYTES = 7_900
/** What is said in one moment is said together. */
const GATHER_MS = 2
const BEAT_MS = 5_000
const AGAIN_MS = 100
const AGAIN_LATEST_MS = 10_000
const SILENCE_MS = 4_000

/**
 * LISTEN and NOTIFY over a connection of its own, made anew whenever it ends. What is said is said
 * after the commits that it tells of: within them it would make all commits of the whole server wait
 * for each other (a third of the writes of four connections, two thirds of sixteen). So it may be
 * lost with the process, and whoever must not miss a thing has to find that out.
 */
export class Channel {
  readonly #options: ChannelOptions
  readonly #name = randomBytes(9).toString('base64url')
  #client: pg.Client | undefined
  #said: string[] = []
  #saying = false
  /** Whether it has heard itself on this connection, and since when. */
  #openedAt: number | undefined
  #beat: NodeJS.Timeout | undefined
  #unheard = false
  #wait = AGAIN_MS
  #again: NodeJS.Timeout | undefined
  #isOver = false

  constructor(options: ChannelOptions) {
    this.#options = options
    this.#connect()
  }

  get isOpen(): boolean {
    return this.#openedAt !== undefined
  }

  /** For how many milliseconds it has been open. */
  get age(): number {
    return this.#openedAt === undefined ? 0 : performance.now() - this.#openedAt
  }

  /** Says something to the other processes, soon; while there is no connection nothing is said. */
  say(message: object): void {
    if (!this.isOpen) return
    this.#said.push(JSON.stringify(message))
    this.#sayAll()
  }

  /** Ends without waiting for a server that may not answer. */
  close(): void {
    this.#isOver = true
    clearTimeout(this.#again)
    clearInterval(this.#beat)
    this.#client?.end().catch(() => {})
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#options.url,
      connectionTimeoutMillis: 2_000,
      query_timeout: SILENCE_MS,
      keepAlive: true,
      application_name: 'docket-channel',
    })
    this.#client = client
    client.on('error', () => this.#lost(client))
    client.on('end', () => this.#lost(client))
    client.on('notification', ({ payload = '' }) => this.#hear(client, payload))
    try {
      await client.connect()
      await client.query(`listen ${NAME}`)
      this.#unheard = true
      await this.#notify(client, [])
      this.#beat = setInterval(() => this.#listens(client), this.#options.beatMs ?? BEAT_MS).unref()
    } catch {
      this.#lost(client)
    }
  }

  /** A pooler may take LISTEN and give the connection to somebody else: that is as good as none. */
  async #listens(client: pg.Client): Promise<void> {
    if (this.#unheard) return this.#lost(client)
    this.#unheard = true
    await this.#notify(client, []).catch(() => this.#lost(client))
  }

  #lost(client: pg.Client): void {
    if (client !== this.#client) return
    this.#client = undefined
    const wasOpen = this.isOpen
    this.#openedAt = undefined
    this.#said = []
    clearInterval(this.#beat)
    client.end().catch(() => {})
    if (this.#isOver) return
    if (wasOpen) this.#options.closed()
    this.#again = setTimeout(() => this.#connect(), this.#wait * (0.5 + Math.random())).unref()
    this.#wait = Math.min(2 * this.#wait, AGAIN_LATEST_MS)
  }

  #hear(client: pg.Client, payload: string): void {
    const space = payload.indexOf(' ')
    if (payload.slice(0, space) !== this.#name) {
      for (const message of messagesIn(payload.slice(space + 1))) this.#options.heard(message)
      return
    }
    if (client !== this.#client) return
    this.#unheard = false
    if (this.isOpen) return
    this.#openedAt = performance.now()
    this.#wait = AGAIN_MS
    this.#options.opened()
  }

  async #sayAll(): Promise<void> {
    if (this.#saying) return
    this.#saying = true
    while (this.#said.length > 0) {
      await new Promise((go) => setTimeout(go, GATHER_MS))
      const client = this.#client
      const said = this.#said.splice(0)
      if (client) await this.#notify(client, said).catch(() => this.#lost(client))
    }
    this.#saying = false
  }

  async #notify(client: pg.Client, said: readonly string[]): Promise<void> {
    const text = `select pg_notify('${NAME}', payload) from unnest($1::text[]) as payload`
    const payloads = packed(said, MOST_BYTES - this.#name.length)
    const values = [payloads.map((payload) => `${this.#name} [${payload}]`)]
    await client.query({ name: 'say', text, values })
  }
}

/** Joins texts by commas, as long as they are short enough together. */
function packed(texts: readonly string[], most: number): string[] {
  const all = ['']
  let length = 0
  for (const text of texts) {
    const bytes = Buffer.byteLength(text) + 1
    const last = all.at(-1)
    if (last === '' || last === undefined || length + bytes <= most) {
      all[all.length - 1] = last ? `${last},${text}` : text
      length += bytes
    } else {
      all.push(text)
      length = bytes
    }
  }
  return all
}

/** A Docket of another version may say things that this one does not understand. */
function messagesIn(json: string): unknown[] {
  try {
    const messages: unknown = JSON.parse(json)
    return Array.isArray(messages) ? messages : []
  } catch {
    return []
  }
}
