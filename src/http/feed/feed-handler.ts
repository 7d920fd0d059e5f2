import type { FastifyReply, FastifyRequest } from 'fastify'
import type { UserActor } from '#core/actor.ts'
import { invalidCursor } from '#core/api-error.ts'
import type { Feed, FeedPage, FeedRoute } from '#core/route.ts'
import { prefersToJson } from '#lib/media-type.ts'
import type { AppContext } from '../app-context.ts'
import { getActor, type RequestHandler } from '../pipeline/request-handler.ts'
import { toErrorBody } from '../reply/error-reply.ts'
import { sendReply } from '../reply/send.ts'
import { abortReply, sendPiece, streamReply } from '../reply/stream-reply.ts'
import { createQueryParser, getQueryString } from '../request/query-parameters.ts'
import { ChangeSignal } from './change-signal.ts'
import { FeedStream } from './feed-stream.ts'
import { HintBuffer } from './hint-buffer.ts'
import { isStuck, type OpenFeed, STUCK_RETRY_MS } from './open-feed.ts'
import { createPositionTokens, type PositionToken } from './position-token.ts'
import { canResume, revalidateActor } from './revalidate-actor.ts'

const DEFAULT_LIMIT = 200
/** Of the first entries of a stream. */
const FIRST_PAGE_SIZE = 100
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
  const first = await feed.read(start, FIRST_PAGE_SIZE)
  const head = { status: 200, headers: EVENT_STREAM_HEADERS }
  await streamReply(context, request, reply, head, () => {
    if (request.method === 'HEAD' || raw.destroyed) return void raw.end()
    beginEventStream(context, request)
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

/**
 * Marks a request as an open stream of events. It may last for days and does no work, so it is no
 * request in flight. That its client leaves is its usual end.
 */
function beginEventStream({ load }: Pick<AppContext, 'load'>, request: FastifyRequest): void {
  load.requests -= 1
  request.isEventStream = true
}
