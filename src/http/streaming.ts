import type { Addressed, Asked, Route } from '#core/route.ts'
import type { WriteTx } from '#core/tx.ts'
import type { Endpoint } from '#wire/endpoint.ts'
import { actorOf, type Handler } from './handling.ts'
import type { House } from './house.ts'
import { parametersOf, searchOf } from './parameters.ts'
import { type Sight, Stream } from './stream.ts'
import { endSpan } from './traced.ts'

/** What the operation of a stream gives: the projects of which the person may hear; null: all. */
interface Seen {
  project_ids: readonly string[] | null
}

/**
 * The way of a stream of notices: it begins where the reader was cut off, and goes on until one of
 * both ends it. The operation tells what the person sees, and is asked again when that may change.
 */
export function streaming(house: House, { endpoint, subject, operation }: Route): Handler {
  const { storage, streams, authenticator, load } = house
  const parameters = parametersOf(endpoint)
  return async (request, reply) => {
    const { authorization, cookie, 'last-event-id': last } = request.headers
    const query = parameters(searchOf(request.raw.url ?? '')) as { after?: string }
    const actor = actorOf(request)
    streams.refuseOneMore(actor.user_id)
    // From where it goes on has to be known before it begins.
    await storage.read(actor, (tx) => tx.newestNotice())
    const asked = { params: {}, query, body: undefined } as Addressed<Endpoint>

    const sightOf = (of: typeof actor): Promise<Sight> =>
      storage.read(of, async (tx) => {
        const found = await subject(tx as WriteTx, asked)
        const { project_ids } = (await operation(
          tx as WriteTx,
          found,
          asked as Asked<Endpoint>,
        )) as Seen
        return project_ids && new Set(project_ids)
      })

    reply.hijack()
    const { raw } = reply
    raw.writeHead(200, { ...request.outgoing, ...HEADERS })
    if (request.method === 'HEAD' || raw.destroyed) return void raw.end()
    // It may last for days, and is no work.
    load.requests -= 1
    endSpan(request, 200)
    const authenticate = () => authenticator.authenticate(authorization, cookie)
    const stream = new Stream(raw, actor, { authenticate, sightOf })
    streams.add(stream)
    const from = typeof last === 'string' && last !== '' ? last : query.after
    const { missed, id, close } = storage.notices.listen(actor.workspace_id, from, stream)
    raw.once('close', () => {
      close()
      load.requests += 1
    })
    stream.begin(id, missed)
  }
}

/** No proxy may hold back what is to be told at once. */
const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
}
