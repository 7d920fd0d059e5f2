import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  type BrotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  type Gzip,
} from 'node:zlib'
import type { LinesRoute } from '#core/route.ts'
import type { AppContext } from '../app-context.ts'
import { getActor, type RequestHandler } from '../pipeline/request-handler.ts'
import { createQueryParser, getQueryString } from '../request/query-parameters.ts'
import { chooseCoding } from './content-coding.ts'
import { streamReply } from './stream-reply.ts'

/**
 * Creates the handler of a reply in lines of JSON (`application/x-ndjson`). Each line is compressed and
 * sent before the next one is read, in another turn of the event loop; a client that reads slowly sets
 * the pace.
 */
export function createLinesHandler(
  context: AppContext,
  { endpoint, run }: LinesRoute,
): RequestHandler {
  const parseQuery = createQueryParser(endpoint)
  return async (request, reply) => {
    const actor = getActor(request)
    const query = parseQuery(getQueryString(request.raw.url ?? ''))
    const input = { params: request.params, query, body: undefined }
    const lines = run((work) => context.storage.read(actor, work), input)
    // Read before the head is sent, so that a project that is not there is an error reply.
    const first = await lines.next()
    const coding = chooseCoding(request.headers['accept-encoding'])
    const headers = {
      'content-type': 'application/x-ndjson',
      'cache-control': 'no-store',
      vary: 'Accept-Encoding',
      ...(coding && { 'content-encoding': coding.name }),
    }
    await streamReply(context, request, reply, { status: 200, headers }, async () => {
      const { raw } = reply
      if (request.method === 'HEAD') return void raw.end()
      raw.setTimeout(context.transferTimeouts.stalledMs, () => raw.destroy())
      const closed = new Promise<void>((resolve) => raw.once('close', resolve))
      // A client that leaves is not an error.
      raw.on('error', () => {})
      const encoder = coding && createEncoder(coding.name)
      encoder?.pipe(raw)
      const out = encoder ?? raw
      try {
        for (let line = first; !line.done && !raw.destroyed; line = await lines.next()) {
          const hasRoom = out.write(`${line.value}\n`)
          if (encoder) await Promise.race([flush(encoder), closed])
          else if (!hasRoom) await Promise.race([once(out, 'drain'), closed])
          await nextTurn()
        }
        out.end()
      } finally {
        await lines.return(undefined)
        if (raw.destroyed) encoder?.destroy()
      }
    })
  }
}

const createEncoder = (name: 'br' | 'gzip'): BrotliCompress | Gzip =>
  name === 'br'
    ? createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 5 } })
    : createGzip({ level: 5 })

/** Lets the line leave that was written last, as soon as the client has taken those before it. */
const flush = (encoder: BrotliCompress | Gzip) =>
  new Promise<void>((resolve) => encoder.flush(() => resolve()))
