import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  type BrotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  type Gzip,
} from 'node:zlib'
import type { FastifyRequest } from 'fastify'
import type { UserActor } from '#core/actor.ts'
import { ApiError, insufficientRole } from '#core/api-error.ts'
import type { LinesRoute, ReadLine } from '#core/route.ts'
import type { AppContext } from '../app-context.ts'
import { canResume, revalidateActor } from '../feed/revalidate-actor.ts'
import { getActor, nameNewestChange, type RequestHandler } from '../pipeline/request-handler.ts'
import { createQueryParser, getQueryString } from '../request/query-parameters.ts'
import { chooseCoding } from './content-coding.ts'
import { streamReply } from './stream-reply.ts'

/**
 * Creates the handler of a reply in lines of JSON (`application/x-ndjson`). Each line is compressed and
 * sent before the next one is read, in another turn of the event loop and with the rights of that moment; a
 * client that reads slowly sets the pace.
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
    let isBegun = false
    const read: ReadLine = async (work) => {
      if (isBegun) return context.storage.read(await admitAgain(context, request), work)
      isBegun = true
      return context.storage.read(actor, async (tx) => {
        await nameNewestChange(request, tx)
        return work(tx)
      })
    }
    const lines = run(read, input)
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
      } catch (error) {
        if (!(error instanceof ApiError) || error.status >= 500) throw error
        // What the person may read has ended meanwhile. The next request tells why.
        out.end()
      } finally {
        await lines.return(undefined)
        if (raw.destroyed) encoder?.destroy()
      }
    })
  }
}

/** A client that reads slowly must not go on with rights that have ended. */
async function admitAgain(context: AppContext, request: FastifyRequest): Promise<UserActor> {
  const now = await revalidateActor(context, request)
  if (canResume(getActor(request), now)) return now
  throw insufficientRole('Your rights have changed.')
}

const createEncoder = (name: 'br' | 'gzip'): BrotliCompress | Gzip =>
  name === 'br'
    ? createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 5 } })
    : createGzip({ level: 5 })

/** Lets the line leave that was written last, as soon as the client has taken those before it. */
const flush = (encoder: BrotliCompress | Gzip) =>
  new Promise<void>((resolve) => encoder.flush(() => resolve()))
