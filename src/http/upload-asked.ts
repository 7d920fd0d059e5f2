import type { FastifyRequest } from 'fastify'
import { Refusal, refuseFaults } from '#core/refusal.ts'
import type { Addressed, Route } from '#core/route.ts'
import type { WriteTx } from '#core/tx.ts'
import type { Endpoint } from '#wire/endpoint.ts'
import { fault } from '#wire/fault.ts'
import { type Reading, readerOf } from '#wire/read.ts'
import { timesSent } from './admission.ts'
import { actorOf, refuseMalformed } from './handling.ts'
import type { House } from './house.ts'
import { fingerprintOf, isKept, keyOf } from './idempotency.ts'
import { parametersOf, searchOf } from './parameters.ts'
import type { Received } from './receive.ts'

/** What the pipeline makes of a file that has come. */
interface File {
  id: string
  size_bytes: number
  sha256: string
}

/** Stands for a file of which only the name is known. */
const NONE: File = { id: `att_${'0'.repeat(26)}`, size_bytes: 1, sha256: '0'.repeat(64) }

/**
 * What an upload asks for, from the query and headers to the fields, while its bytes still come
 * (`worth`) and when they are there (`write`): refused both times in the order of the contract.
 */
export function askedBy(house: House, route: Route) {
  const { endpoint, subject, room } = route
  const parameters = parametersOf(endpoint)
  const read = readerOf(endpoint.body ?? {})

  return (request: FastifyRequest, received: Received) => {
    const target = request.raw.url ?? ''

    /** Query and headers (400). The name is the query's, where the body is the file. */
    function asked(): { addressed: Addressed<Endpoint>; key: string | undefined } {
      const query = parameters(searchOf(target)) as { filename?: string }
      if (received.isForm && query.filename !== undefined) throw notInForm()
      if (!received.isForm) received.filename = query.filename
      const key = keyOf(
        request.headers['idempotency-key'],
        timesSent(request.raw, 'idempotency-key'),
      )
      const { params } = request
      return { addressed: { params, query, body: undefined } as Addressed<Endpoint>, key }
    }

    function reading(file: File): Reading {
      const { filename, contentType: content_type, faults } = received
      const { value, faults: wrong } = read({
        ...{ ...file, content_type },
        ...(filename !== undefined && { filename }),
      })
      // Where there is no file, nobody misses its name.
      const isMissing = faults.some(({ field, code }) => field === 'file' && code === 'required')
      return { value, faults: [...faults, ...(isMissing ? [] : wrong)] }
    }

    return {
      /** Refuses what is refused whatever else comes; the bytes that there is room for. */
      async worth(): Promise<number> {
        const { addressed, key } = asked()
        return house.storage.read(actorOf(request), async (tx) => {
          // What is answered already is answered again, whatever has become of the record.
          if (key !== undefined && (await isKept(tx, key))) return Number.POSITIVE_INFINITY
          refuseMalformed(request.params)
          // A subject only reads; a Route has forgotten it.
          const found = await subject(tx as WriteTx, addressed)
          refuseFaults(reading(NONE).faults)
          return room?.(tx, found) ?? 0
        })
      },
      /** What the transaction of the whole upload goes by. */
      write(file: File) {
        const { addressed, key } = asked()
        const { filename, contentType } = received
        const content = { filename: filename ?? null, contentType, sha256: file.sha256 }
        const fingerprint = fingerprintOf(request.method, target, content)
        const keyed = key === undefined ? undefined : { key, secret: false, fingerprint }
        return { keyed, addressed, read: () => reading(file) }
      },
    }
  }
}

function notInForm(): Refusal {
  const detail = fault('filename', 'conflicting_fields', 'is for a file that is the whole body')
  return new Refusal(400, 'invalid_parameter', detail.message, { details: [detail] })
}
