import type { Actor } from '#core/actor.ts'
import type { StreamRoute } from '#core/route.ts'
import type { AppContext } from '../app-context.ts'
import { beginEventStream, EVENT_STREAM_HEADERS } from '../event-streams/event-stream.ts'
import { getActor, type RequestHandler } from '../pipeline/request-handler.ts'
import { abortReply, streamReply } from '../reply/stream-reply.ts'
import { createQueryParser, getQueryString } from '../request/query-parameters.ts'
import { LiveStream, type VisibleProjects } from './live-stream.ts'

/**
 * Creates the handler of the live stream (server-sent events). A stream resumes after
 * `Last-Event-ID` or `?after`. The operation returns the visible projects, and runs again when
 * these may have changed.
 */
export function createLiveStreamHandler(
  context: AppContext,
  { endpoint, run }: StreamRoute,
): RequestHandler {
  const { storage, authenticator } = context
  const parseQuery = createQueryParser(endpoint)
  return async (request, reply) => {
    const { authorization, cookie, 'last-event-id': lastEventId } = request.headers
    const query = parseQuery(getQueryString(request.raw.url ?? ''))
    const actor = getActor(request)
    const { raw } = reply
    if (raw.destroyed) return void reply.hijack()
    // A reply always closes, whether it becomes a stream or an error, or the client has left.
    raw.once('close', context.liveStreams.acquireSlot(actor.user_id))
    // The stream can only resume from a position that is known, so load the newest one first.
    await storage.read(actor, (tx) => tx.newestChangeId())
    const input = { params: {}, query, body: undefined }

    const loadVisibleProjects = (viewer: Actor): Promise<VisibleProjects> =>
      storage.read(viewer, async (tx) => {
        const { project_ids } = await run(tx, input)
        return project_ids && new Set(project_ids)
      })

    const authenticate = () => authenticator.authenticate(authorization, cookie)
    const onError = (error: unknown) => abortReply(context, request, reply, error)
    const head = { status: 200, headers: EVENT_STREAM_HEADERS }
    await streamReply(context, request, reply, head, () => {
      if (request.method === 'HEAD' || raw.destroyed) return void raw.end()
      beginEventStream(context, request)
      const stream = new LiveStream(raw, actor, { authenticate, loadVisibleProjects, onError })
      context.liveStreams.add(stream)
      const resumeAfter =
        typeof lastEventId === 'string' && lastEventId !== '' ? lastEventId : query.after
      const { missed, id, close } = storage.changeFeed.subscribe(
        actor.workspace_id,
        resumeAfter,
        stream,
      )
      raw.once('close', close)
      stream.begin(id, missed)
    })
  }
}
