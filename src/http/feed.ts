import { createCipheriv, createDecipheriv, createHash, createHmac } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Counter, Gauge, type Registry } from 'prom-client'
import { may, type UserActor } from '#core/actor.ts'
import {
  ApiError,
  conflict,
  insufficientRole,
  invalidCursor,
  serviceUnavailable,
} from '#core/api-error.ts'
import type { CommitListeners, Hint } from '#core/commit-listeners.ts'
import type { Feed, FeedPage, FeedRoute } from '#core/route.ts'
import { prefersToJson } from '#lib/media-type.ts'
import type { AppContext } from './app-context.ts'
import { canResume, revalidateActor } from './pipeline/admission.ts'
import { getActor, type RequestHandler } from './pipeline/request-handler.ts'
import { toErrorBody } from './reply/error-reply.ts'
import { sendReply } from './reply/send.ts'
import { abortReply, sendPiece, streamReply } from './reply/stream-reply.ts'
import { createQueryParser, getQueryString } from './request/query-parameters.ts'

const DEFAULT_LIMIT = 200
/** How many entries a stream reads at once. */
const STREAM_PAGE_SIZE = 100
/** How often a request that waits reads without a signal, which a change may lack or lose. */
const MAX_WAIT_MS = 2_000
/** How long a request waits for a change of rights to take effect. */
const MAX_STUCK_MS = 500
/** Nobody can follow more changes of a page than four a second. */
const PAGE_COLLECT_MS = 250
/** The value of `after` for the present position. */
const NOW = 'now'

interface FeedQuery {
  after?: string
  limit?: number
  wait?: number
}

/**
 * Creates the handler of a feed (docs/spec/api.md#changes). It replies with one page, waits for
 * something new if asked to, or streams server-sent events if the client prefers these.
 */
export function createFeedHandler(context: AppContext, route: FeedRoute): RequestHandler {
  const parseQuery = createQueryParser(route.endpoint)
  const tokenOf = createPositionTokens(context.cursorSecret)
  return async (request, reply) => {
    const actor = getActor(request)
    // The scope comes before the query in the order of checks; with `types` it depends on the query.
    route.open(actor, {})
    const query: FeedQuery = parseQuery(getQueryString(request.raw.url ?? ''))
    const isStream = prefersToJson(request.headers.accept, EVENT_STREAM_TYPE)
    const lastEventId = isStream ? request.headers['last-event-id'] : undefined
    const after = typeof lastEventId === 'string' && lastEventId !== '' ? lastEventId : query.after
    const feed = route.open(actor, query)
    const token = tokensOf(feed, tokenOf(feed.scope))
    const start = await loadStart(context, feed, actor, after, token)
    const open = (as: UserActor): OpenFeed => {
      const { read, loadVisibleProjects } = as === actor ? feed : route.open(as, query)
      return {
        // A stream goes on once there is room, as after any error of the server.
        read: async (position, limit) =>
          request.unsentReplies.make(request, () =>
            context.storage.read(as, (tx) => read(tx, position, limit)),
          ),
        toToken: token.create,
        ...(loadVisibleProjects && {
          loadVisibleProjects: (ids) =>
            context.storage.read(as, (tx) => loadVisibleProjects(tx, ids)),
        }),
      }
    }
    if (isStream) return streamFeed(context, request, reply, open(actor), start)
    const page =
      after === NOW
        ? { entries: [], position: start, has_more: false }
        : await readPage(context, reply, request, open, start, query)
    // Most replies say that nothing is new. Encrypting the same position again would cost as much as all else.
    const position =
      after !== undefined && after !== NOW && page.position === start
        ? after
        : token.create(page.position)
    return sendReply(request, reply, { status: 200, body: toBody(page, position) })
  }
}

/** The texts of positions: plain ones where the feed has them, else encrypted ones. */
const tokensOf = ({ plain }: Feed, encrypted: PositionToken): PositionToken =>
  plain === undefined
    ? encrypted
    : {
        create: (position) => plain.create(position) ?? encrypted.create(position),
        parse: (text, reject) => plain.parse(text) ?? encrypted.parse(text, reject),
      }

async function loadStart(
  { storage }: AppContext,
  feed: Feed,
  actor: UserActor,
  after: string | undefined,
  token: PositionToken,
): Promise<unknown> {
  if (after === NOW) return storage.read(actor, (tx) => feed.readPosition(tx))
  if (after === undefined) return undefined
  return token.parse(after, () =>
    invalidCursor('is no position of these changes; begin again without it', 'after'),
  )
}

/** Reads a page; with nothing new, waits for something until the time that the client gives is over. */
async function readPage(
  context: AppContext,
  { raw: outgoing }: FastifyReply,
  request: FastifyRequest,
  open: (actor: UserActor) => OpenFeed,
  start: unknown,
  { limit = DEFAULT_LIMIT, wait = 0 }: FeedQuery,
): Promise<FeedPage> {
  const actor = getActor(request)
  const opened = open(actor)
  const first = await opened.read(start, limit)
  const isRepeated = isStuck(opened, start, first)
  if (!isRepeated && (wait === 0 || !isEmpty(first))) return first
  const until = performance.now() + (isRepeated ? MAX_STUCK_MS : wait * 1_000)
  const signal = new ChangeSignal(context.storage.commitListeners, actor.workspace_id, outgoing)
  const release = context.feedStreams.addWaiting(signal)
  // It waits and does no work: it is no request in flight.
  context.load.requests -= 1
  try {
    let page = first
    for (;;) {
      // The rights may have changed during the wait.
      const now = await revalidateActor(context, request)
      if (!canResume(actor, now)) return page
      const feed = open(now)
      const next = await feed.read(page.position, limit)
      const isWaiting = isEmpty(next) || isStuck(feed, page.position, next)
      page = next
      const restMs = until - performance.now()
      if (!isWaiting || restMs <= 0 || outgoing.destroyed || signal.isClosed) return page
      await signal.wait(Math.min(restMs, page.has_more ? STUCK_RETRY_MS : MAX_WAIT_MS))
    }
  } finally {
    context.load.requests += 1
    release()
  }
}

const isEmpty = ({ entries, has_more }: FeedPage): boolean => entries.length === 0 && !has_more

function toBody({ entries, has_more }: FeedPage, position: string): string {
  const data = entries.map(({ json }) => json).join(',')
  return `{"data":[${data}],"position":"${position}","has_more":${has_more}}`
}

async function streamFeed(
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  feed: OpenFeed,
  start: unknown,
): Promise<void> {
  const { raw } = reply
  const actor = getActor(request)
  if (raw.destroyed) return void reply.hijack()
  const isSession = actor.type === 'user'
  raw.once(
    'close',
    isSession
      ? context.feedStreams.acquirePersonSlot(actor.user_id)
      : context.feedStreams.acquireSlot(actor.workspace_id),
  )
  const hints = feed.loadVisibleProjects && new HintBuffer()
  const signal = new ChangeSignal(context.storage.commitListeners, actor.workspace_id, raw, hints)
  raw.once('close', () => signal.close())
  // Read before the head is sent, so that an expired position is an error reply.
  const first = await feed.read(start, STREAM_PAGE_SIZE)
  const head = { status: 200, headers: EVENT_STREAM_HEADERS }
  await streamReply(context, request, reply, head, () => {
    if (request.method === 'HEAD' || raw.destroyed) return void raw.end()
    // It may last for days and does no work, so it is no request in flight; its client may leave at any time.
    context.load.requests -= 1
    request.isEventStream = true
    const stream = new FeedStream(raw, actor, feed, {
      signal,
      hints,
      collectMs: isSession ? PAGE_COLLECT_MS : 0,
      send: (text) => sendPiece(raw, text, (bytes) => request.unsentReplies.count(request, bytes)),
      authenticate: () => revalidateActor(context, request),
      describeError: (error) => toErrorBody(context.baseUrl, request.id, error),
      onError: (error) => abortReply(context, request, reply, error),
    })
    context.feedStreams.add(stream)
    void stream.run(first)
  })
}

const EVENT_STREAM_TYPE = 'text/event-stream'

const EVENT_STREAM_HEADERS = {
  'content-type': `${EVENT_STREAM_TYPE}; charset=utf-8`,
  'cache-control': 'no-store',
  // Proxies must not buffer the events.
  'x-accel-buffering': 'no',
}

/** A feed as one request reads it: with the rights of its actor, and positions as texts. */
interface OpenFeed {
  read(after: unknown, limit: number): Promise<FeedPage>
  toToken(position: unknown): string
  /** Of a feed with hints: which of these projects the actor sees. */
  loadVisibleProjects?(project_ids: readonly string[]): Promise<readonly string[]>
}

/**
 * How long to wait before a stuck read is repeated: a change of rights takes effect for a cached
 * credential within 200 ms.
 */
export const STUCK_RETRY_MS = 100

/**
 * Whether a page has got nowhere, as while the rights of the reader change. Reading on at once would
 * only repeat it.
 */
const isStuck = (
  { toToken }: OpenFeed,
  after: unknown,
  { entries, position, has_more }: FeedPage,
): boolean =>
  has_more && entries.length === 0 && (after === undefined || toToken(after) === toToken(position))

/** How long a feed is left alone that could not be read. */
const RETRY_MS = 500
/** How often the feed is read without a signal, which a change may lack or lose. */
const READ_INTERVAL_MS = 5_000
const HEARTBEAT_INTERVAL_MS = 15_000

interface FeedStreamDeps {
  /** How long changes are collected after a read that had some, because each read costs the same. */
  collectMs: number
  signal: ChangeSignal
  /** What the feed of a page lacks. */
  hints?: HintBuffer | undefined
  /** Sends a text, and resolves when the client has taken it or has left. */
  send: (text: string) => Promise<void>
  authenticate: () => UserActor | Promise<UserActor>
  /** The text of an error for the client. */
  describeError: (error: ApiError) => string
  /** Logs an unexpected error and closes the connection; the client reconnects. */
  onError: (error: unknown) => void
}

/**
 * Sends a feed to one client as server-sent events, from its position on for as long as the client
 * listens and its rights are the same (docs/spec/api.md#changes).
 */
export class FeedStream {
  readonly #raw: ServerResponse
  readonly #actor: UserActor
  readonly #feed: OpenFeed
  readonly #deps: FeedStreamDeps
  #position: unknown
  #isCaughtUp = false
  #heartbeatAt = performance.now() + HEARTBEAT_INTERVAL_MS
  /** When the feed is read without a signal. */
  #readAt = performance.now() + READ_INTERVAL_MS
  onHints: (count: number) => void = () => {}

  constructor(raw: ServerResponse, actor: UserActor, feed: OpenFeed, deps: FeedStreamDeps) {
    this.#raw = raw
    this.#actor = actor
    this.#feed = feed
    this.#deps = deps
    // A client that disconnects is not an error.
    raw.on('error', () => {})
  }

  /** Whether a page of the web app reads it. */
  get isOfPage(): boolean {
    return this.#deps.hints !== undefined
  }

  onClose(listener: () => void): void {
    this.#raw.once('close', listener)
  }

  /** Sends a page that was read already, and then whatever follows it. */
  async run(first: FeedPage): Promise<void> {
    try {
      await this.#sendPage(first)
      await this.#follow()
    } catch (error) {
      if (this.#isOver) return
      if (!(error instanceof ApiError) || error.status >= 500) this.#deps.onError(error)
      else this.#raw.end(`event: end\ndata: ${this.#deps.describeError(error)}\n\n`)
    } finally {
      this.#deps.signal.close()
    }
  }

  /** Ends the stream because the server stops; the client reconnects in a moment. */
  end(): void {
    this.#raw.end(`retry: ${1_000 + Math.floor(Math.random() * 2_000)}\n\n`)
    this.#deps.signal.close()
  }

  get #isOver(): boolean {
    return this.#raw.destroyed || this.#raw.writableEnded
  }

  /** Until the feed is read without a signal, or the credential expires. */
  get #waitMs(): number {
    const { expires_at } = this.#actor
    const left = expires_at === null ? READ_INTERVAL_MS : Date.parse(expires_at) - Date.now()
    return Math.max(0, Math.min(READ_INTERVAL_MS, left))
  }

  /** Checks at once whether its client still has its rights. */
  revalidate(): void {
    this.#deps.signal.interrupt()
  }

  async #follow(): Promise<void> {
    while (!this.#isOver) {
      if (this.#isCaughtUp && (await this.#deps.signal.wait(this.#waitMs))) this.#readAt = 0
      if (this.#isOver) return
      try {
        await this.#sendNews()
      } catch (error) {
        if (!(error instanceof ApiError) || error.status < 500) throw error
        // The storage does not answer. Hints that were to be sent are lost.
        this.#deps.hints?.addMissed()
        this.#readAt = 0
        await pause(RETRY_MS)
      }
    }
  }

  async #sendNews(): Promise<void> {
    await this.#revalidate()
    const now = performance.now()
    if (now >= this.#heartbeatAt) {
      this.#heartbeatAt = now + HEARTBEAT_INTERVAL_MS
      // Scripts in a browser do not see comments.
      await this.#deps.send(this.isOfPage ? 'event: heartbeat\ndata: {}\n\n' : ': still here\n\n')
    }
    await this.#sendHints()
    if (this.#isCaughtUp && now < this.#readAt) return
    await this.#readOn()
    this.#readAt = performance.now() + READ_INTERVAL_MS
  }

  /** Hints have no id: a client that connects again resumes after the last change. */
  async #sendHints(): Promise<void> {
    const { loadVisibleProjects = async () => [] } = this.#feed
    const hints = (await this.#deps.hints?.take(this.#actor, loadVisibleProjects)) ?? []
    if (hints.length === 0) return
    this.onHints(hints.length)
    await this.#deps.send(hints.map((hint) => `event: stale\ndata: ${hint}\n\n`).join(''))
  }

  async #readOn(): Promise<void> {
    const page = await this.#feed.read(this.#position, STREAM_PAGE_SIZE)
    const isRepeated = isStuck(this.#feed, this.#position, page)
    await this.#sendPage(page)
    if (isRepeated) await pause(STUCK_RETRY_MS)
    // With a fast client neither reads nor writes would let another request have its turn.
    else if (page.has_more) await nextTurn()
    else if (page.entries.length > 0) await pause(this.#deps.collectMs)
  }

  async #revalidate(): Promise<void> {
    const actor = await this.#deps.authenticate()
    if (canResume(this.#actor, actor) && actor.role === this.#actor.role) return
    throw insufficientRole('Your rights have changed. Connect again to go on with the new ones.')
  }

  async #sendPage({ entries, position, has_more }: FeedPage): Promise<void> {
    const wasCaughtUp = this.#isCaughtUp && entries.length === 0
    this.#position = position
    this.#isCaughtUp = !has_more
    const events = entries.map(
      (entry) =>
        `event: change\nid: ${this.#feed.toToken(entry.position)}\ndata: ${entry.json}\n\n`,
    )
    if (!has_more && !wasCaughtUp) {
      const token = this.#feed.toToken(position)
      events.push(
        `event: caught_up\nid: ${token}\ndata: ${JSON.stringify({ position: token })}\n\n`,
      )
    }
    if (events.length > 0) await this.#deps.send(events.join(''))
  }
}

/** docs/spec/api.md#changes */
const MAX_STREAMS_PER_WORKSPACE = 100
/** Of the web app: one for each browser (without https, for each tab). */
const MAX_STREAMS_PER_PERSON = 10
/** Lost access must take effect within a second. */
const RIGHTS_INTERVAL_MS = 500
/** Lets the last bytes leave before the server closes the connections. */
const FLUSH_MS = 20

/** All streams of feeds of this process: limits them per workspace, and ends them. */
export class FeedStreams {
  readonly #open = new Set<FeedStream>()
  /** By workspace or person: how many streams are open or being opened. */
  readonly #slots = new Map<string, number>()
  #isEnded = false
  /** Of requests that wait for something new. */
  readonly #waiting = new Set<ChangeSignal>()

  readonly #metrics: ReturnType<typeof registerMetrics>
  readonly #loadRights: () => Promise<unknown>
  #rights: unknown
  #timer: NodeJS.Timeout | undefined

  /** `loadRights` resolves to another value whenever somebody's rights may have changed. */
  constructor(
    registry: Registry,
    listeners: CommitListeners,
    loadRights: () => Promise<unknown> = async () => undefined,
  ) {
    this.#loadRights = loadRights
    this.#metrics = registerMetrics(registry, listeners, this.#open)
  }

  /** Watches the rights while somebody listens: once for all of them. */
  #watchRights(): void {
    this.#timer ??= setInterval(() => this.#checkRights(), RIGHTS_INTERVAL_MS).unref()
  }

  async #checkRights(): Promise<void> {
    if (this.#open.size + this.#waiting.size === 0) {
      clearInterval(this.#timer)
      this.#timer = undefined
      return
    }
    const before = this.#rights
    // While the database does not answer, nobody gets anything either.
    this.#rights = await this.#loadRights().catch(() => before)
    if (this.#rights === before) return
    for (const stream of this.#open) stream.revalidate()
    for (const signal of this.#waiting) signal.interrupt()
  }

  /** Takes a slot; the function that is returned releases it, and must be called once. */
  acquireSlot(workspace_id: string): () => void {
    return this.#acquire(
      workspace_id,
      MAX_STREAMS_PER_WORKSPACE,
      `The workspace already has ${MAX_STREAMS_PER_WORKSPACE} streams of changes. Close one, or ask with \`wait\`.`,
    )
  }

  /** The same for the web app, so that open pages take no slots of programs. */
  acquirePersonSlot(user_id: string): () => void {
    return this.#acquire(
      user_id,
      MAX_STREAMS_PER_PERSON,
      `You already have ${MAX_STREAMS_PER_PERSON} live connections. Close a browser tab.`,
    )
  }

  /**
   * Runs before anything is awaited, so that streams which open at the same moment cannot pass the limit
   * together.
   */
  #acquire(owner: string, max: number, limitReached: string): () => void {
    if (this.#isEnded) throw serviceUnavailable('Docket is restarting. Try again in a few seconds.')
    const count = this.#slots.get(owner) ?? 0
    if (count >= max) throw conflict('limit_reached', limitReached)
    this.#slots.set(owner, count + 1)
    return () => {
      const left = (this.#slots.get(owner) ?? 0) - 1
      if (left > 0) this.#slots.set(owner, left)
      else this.#slots.delete(owner)
    }
  }

  add(stream: FeedStream): void {
    this.#open.add(stream)
    this.#watchRights()
    stream.onClose(() => this.#open.delete(stream))
    stream.onHints = (count) => this.#metrics.hints.inc(count)
    // Its first page was read while the server began to stop.
    if (this.#isEnded) stream.end()
  }

  /** Adds a request that waits; the function that is returned ends its wait, and must be called once. */
  addWaiting(signal: ChangeSignal): () => void {
    if (this.#isEnded) signal.close()
    this.#waiting.add(signal)
    this.#watchRights()
    return () => {
      this.#waiting.delete(signal)
      signal.close()
    }
  }

  /** Ends all streams, whose clients then reconnect, and accepts no further ones. */
  async end(): Promise<void> {
    this.#isEnded = true
    for (const signal of this.#waiting) signal.close()
    for (const stream of this.#open) stream.end()
    if (this.#open.size > 0) await pause(FLUSH_MS)
  }
}

function registerMetrics(
  registry: Registry,
  listeners: CommitListeners,
  open: ReadonlySet<FeedStream>,
) {
  const registers = [registry]
  new Gauge({
    name: 'docket_change_streams',
    help: 'Open streams of changes, of programs and of pages of the web app',
    registers,
    collect() {
      this.set(open.size)
    },
  })
  new Gauge({
    name: 'docket_live_streams',
    help: 'Open streams of changes of pages of the web app',
    registers,
    collect() {
      this.set([...open].filter(({ isOfPage }) => isOfPage).length)
    },
  })
  new Counter({
    name: 'docket_notices_resets_total',
    help: 'How often a stream or waiting request may have missed something: a page then reads again',
    registers,
    collect() {
      this.reset()
      this.inc(listeners.missed)
    },
  })
  if (listeners.isPeerBusConnected !== undefined) {
    new Gauge({
      name: 'docket_notices_linked',
      help: '1 while this process hears at once of what other processes write',
      aggregator: 'min',
      registers,
      collect() {
        this.set(listeners.isPeerBusConnected ? 1 : 0)
      },
    })
  }
  const hints = new Counter({
    name: 'docket_live_notices_total',
    help: 'Hints sent to pages about records that are not in the feed of changes',
    registers,
  })
  return { hints }
}

/** Tells one request when something in its workspace may have changed. */
export class ChangeSignal {
  readonly #close: () => void
  #hasChanged = false
  #isInterrupted = false
  isClosed = false
  #wake = () => {}

  /**
   * Signals from now on, so create it before reading; it closes with the connection. Hints are added to
   * the buffer.
   */
  constructor(
    listeners: CommitListeners,
    workspace_id: string,
    raw: ServerResponse,
    hints?: HintBuffer,
  ) {
    const signal = () => {
      this.#hasChanged = true
      this.#wake()
    }
    this.#close = listeners.subscribe(workspace_id, {
      onCommit(added) {
        hints?.add(added)
        signal()
      },
      onMissed() {
        hints?.addMissed()
        signal()
      },
    })
    raw.once('close', signal)
  }

  /** Resolves with true at the first change since the last wait, or with false after a time. */
  async wait(ms: number): Promise<boolean> {
    if (!this.#hasChanged && !this.#isInterrupted && !this.isClosed) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms)
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    const hasChanged = this.#hasChanged
    this.#hasChanged = false
    this.#isInterrupted = false
    return hasChanged
  }

  /** Ends the present wait, or else the next one, although nothing has changed. */
  interrupt(): void {
    this.#isInterrupted = true
    this.#wake()
  }

  /** Ends the wait; later ones end at once. */
  close(): void {
    if (this.isClosed) return
    this.isClosed = true
    this.#close()
    this.#wake()
  }
}

/** With more hints a page reads everything again that hints are about. */
const MAX_PENDING_HINTS = 1_000

/** Whether a person learns of a hint, apart from its project. */
function isFor({ hint, only_for }: Hint, actor: UserActor): boolean {
  if (only_for === undefined || only_for === actor.user_id) return true
  // Notifications are private, also from owners and admins.
  return hint.noun !== 'notification' && may(actor, 'see_all_projects')
}

/** The hints that wait to be sent to a page. */
class HintBuffer {
  #pending: Hint[] | 'missed' = []

  add(hints: readonly Hint[]): void {
    if (this.#pending === 'missed') return
    if (this.#pending.length + hints.length > MAX_PENDING_HINTS) this.addMissed()
    else this.#pending.push(...hints)
  }

  /** Adds that any hint may have been missed. */
  addMissed(): void {
    this.#pending = 'missed'
  }

  /**
   * Takes the JSON of the hints that a person may learn of, each once. Which projects they see is asked
   * now, after the commits that the hints are about: few hints are about a project.
   */
  async take(
    actor: UserActor,
    loadVisibleProjects: (project_ids: readonly string[]) => Promise<readonly string[]>,
  ): Promise<string[]> {
    const pending = this.#pending
    this.#pending = []
    if (pending === 'missed') return ['{}']
    const hints = pending.filter((one) => isFor(one, actor))
    const project_ids = new Set(hints.flatMap(({ hint }) => hint.project_id ?? []))
    const visible = new Set(
      may(actor, 'see_all_projects') || project_ids.size === 0
        ? project_ids
        : await loadVisibleProjects([...project_ids]),
    )
    const isVisible = ({ hint: { project_id } }: Hint) =>
      project_id === undefined || visible.has(project_id)
    return [...new Set(hints.filter(isVisible).map(({ hint }) => JSON.stringify(hint)))]
  }
}

const ALGORITHM = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16

/** Writes and reads the positions of one feed as texts. */
interface PositionToken {
  create(position: unknown): string
  /** Throws what `reject` returns if the text was not made for this feed. */
  parse(token: string, reject: () => Error): unknown
}

/**
 * Encrypts positions, because they tell how much happens in projects that the reader does not see. They
 * are bound to their feed, so that one of another person or with other filters is rejected. Equal
 * positions have equal texts.
 */
function createPositionTokens(secret: string): (scope: string) => PositionToken {
  const key = createHash('sha256').update(`positions of feeds\n${secret}`).digest()
  return (scope) => ({
    create(position) {
      const text = JSON.stringify(position)
      const iv = createHmac('sha256', key)
        .update(`${scope}\n${text}`)
        .digest()
        .subarray(0, IV_BYTES)
      const cipher = createCipheriv(ALGORITHM, key, iv).setAAD(Buffer.from(scope))
      const parts = [iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]
      return Buffer.concat(parts).toString('base64url')
    },
    parse(token, reject) {
      const bytes = Buffer.from(token, 'base64url')
      // Letters that base64 ignores would make another text of the same position.
      const isExact = bytes.toString('base64url') === token
      if (!isExact || bytes.length <= IV_BYTES + TAG_BYTES) throw reject()
      const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES))
        .setAAD(Buffer.from(scope))
        .setAuthTag(bytes.subarray(-TAG_BYTES))
      const text = decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES))
      try {
        return JSON.parse(Buffer.concat([text, decipher.final()]).toString())
      } catch {
        throw reject()
      }
    },
  })
}
