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
import { canResume, revalidateActor } from '../pipeline/admission.ts'
import { getActor, nameNewestChange, type RequestHandler } from '../pipeline/request-handler.ts'
import { createQueryParser, getQueryString } from '../request/query-parameters.ts'
import { chooseCoding } from './content-coding.ts'
import { sendPiece, streamReply } from './stream-reply.ts'

/**
 * Creates the handler of a reply in lines of JSON (`application/x-ndjson`). Each line is compressed and
 * has left before the next one is read, in another turn of the event loop and with the rights of that moment; a
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
    const coding = chooseCoding(request.headers['accept-encoding'])
    // Read before the head is sent, so that a project that is not there is an error reply.
    const first = await request.unsentReplies.make(request, async () => {
      const line = await lines.next()
      if (coding) request.unsentReplies.count(request, ENCODER_BYTES)
      return line
    })
    const headers = {
      'content-type': 'application/x-ndjson',
      'cache-control': 'no-store',
      vary: 'Accept-Encoding',
      ...(coding && { 'content-encoding': coding.name }),
    }
    await streamReply(context, request, reply, { status: 200, headers }, async () => {
      const { raw } = reply
      if (request.method === 'HEAD') return void raw.end()
      const closed = new Promise<void>((resolve) => raw.once('close', resolve))
      // A client that leaves is not an error.
      raw.on('error', () => {})
      const encoder = coding && createEncoder(coding.name)
      let sent = Promise.resolve()
      const send = (piece: string | Uint8Array) => {
        sent = sendPiece(raw, piece, (bytes) => request.unsentReplies.count(request, bytes))
      }
      encoder?.on('data', send).once('end', () => raw.end())
      const out = encoder ?? raw
      try {
        for (let line = first; !line.done && !raw.destroyed; line = await lines.next()) {
          const text = `${line.value}\n`
          if (encoder) {
            encoder.write(text)
            await Promise.race([flush(encoder), closed])
          } else send(text)
          // In it, the encoder passes on the last of what it has flushed.
          await nextTurn()
          await sent
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

/** What an encoder of brotli keeps in memory until its reply has ended; measured: 2.3 to 3.5 MB. */
const ENCODER_BYTES = 4 * 1_024 * 1_024

/** A client that reads slowly must not go on with rights that have ended. */
async function admitAgain(context: AppContext, request: FastifyRequest): Promise<UserActor> {
  const now = await revalidateActor(context, request)
  if (canResume(getActor(request), now)) return now
  throw insufficientRole('Your rights have changed.')
}

/**
 * Tasks are 3 % longer than with quality 5 and a window of 4 MiB, with less than half of the memory and a third of the time.
 */
const BROTLI_PARAMS = {
  [constants.BROTLI_PARAM_QUALITY]: 4,
  [constants.BROTLI_PARAM_LGWIN]: 18,
}

const createEncoder = (name: 'br' | 'gzip'): BrotliCompress | Gzip =>
  name === 'br' ? createBrotliCompress({ params: BROTLI_PARAMS }) : createGzip({ level: 5 })

/** Passes on all of the line that was written last. */
const flush = (encoder: BrotliCompress | Gzip) =>
  new Promise<void>((resolve) => encoder.flush(() => resolve()))
