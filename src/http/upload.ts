import type { FastifyRequest } from 'fastify'
import { Refusal, unavailable, workspaceFull } from '#core/refusal.ts'
import type { Route } from '#core/route.ts'
import { keyOf } from '#files/files.ts'
import { newId } from '#lib/id.ts'
import type { Answer } from './answer.ts'
import { actorOf, type Handler, outgoing } from './handling.ts'
import type { House } from './house.ts'
import { intake, isLarge } from './intake.ts'
import { performed } from './perform.ts'
import { places } from './places.ts'
import { type Received, receive } from './receive.ts'
import { send } from './send.ts'
import { askedBy } from './upload-asked.ts'

/** More would share the disk so that none gets on; they come again. */
const MOST_AT_ONCE = 64

/** Makes what serves the uploads of a route, so many at once. */
export function uploading(house: House, route: Route): Handler {
  const receiving = uploadOf(house, route)
  const room = places(MOST_AT_ONCE)
  return async (request, reply) => {
    const leave = room.take(actorOf(request).workspace_id)
    if (!leave) throw unavailable('Too many files are coming in: try again soon.')
    try {
      const answer = await receiving(request)
      return await send(request, reply, outgoing(route.endpoint, answer))
    } catch (error) {
      // What is still to come of a large file that is refused is not waited for.
      if (!request.raw.readableEnded && isLarge(lengthOf(request))) {
        request.outgoing.connection = 'close'
      }
      throw error
    } finally {
      leave()
    }
  }
}

/**
 * The way of an upload. Its bytes go into a draft while they come; when it is whole, and nothing
 * that can be known speaks against it, the file is put in place; then its row is written. So a crash
 * can leave a file without a row, which is swept, and never a row without its file.
 */
function uploadOf(house: House, route: Route) {
  const { storage, files, maxAttachmentBytes: max, log } = house
  const askedOf = askedBy(house, route)

  return async (request: FastifyRequest): Promise<Answer> => {
    const actor = actorOf(request)
    const { workspace_id } = actor
    const received: Received = { isForm: false, filename: undefined, contentType: '', faults: [] }
    const asked = askedOf(request, received)
    const draft = await files.draft()
    const declared = lengthOf(request)
    const taking = intake(draft, { workspace_id, max, declared, ask: asked.worth })
    try {
      await receive(request.raw, received, draft, max, taking.write).catch(firstOf(asked.worth))
      const sha256 = await draft.finish()
      if (draft.size > (await asked.worth())) throw workspaceFull()
      const id = newId('att', storage.clock.now())
      const key = keyOf(workspace_id, id)
      const write = asked.write({ id, size_bytes: draft.size, sha256 })
      if (received.faults.length === 0) await files.put(key, draft)
      // From here on its row counts, and it must not count twice.
      taking.end()
      const answer = await storage
        .write(actor, performed(house, route, write))
        .catch(async (error: unknown) => {
          // Of a write that failed it may be unknown whether its row is there: so the file stays.
          if (error instanceof Refusal && error.status < 500) await drop(key)
          throw error
        })
      if (answer.replayed) await drop(key)
      return answer
    } finally {
      taking.end()
      await draft.discard()
    }
  }

  /** What cannot be removed now is swept later. */
  function drop(key: string): Promise<void> {
    return files.remove(key).catch((err) => log.warn({ err, key }, 'A file stays for now'))
  }
}

/** Of a form that is no good: whether the record is found, and who may, is answered before (2.3). */
function firstOf(ask: () => Promise<unknown>) {
  return async (error: unknown): Promise<never> => {
    const isOfForm = error instanceof Refusal && error.status === 422
    if (isOfForm) {
      await ask().catch((other: unknown) => {
        if (!(other instanceof Refusal) || other.status !== 422) throw other
      })
    }
    throw error
  }
}

/** The bytes that a request says it brings; undefined where it does not say. */
function lengthOf({ headers }: FastifyRequest): number | undefined {
  const length = headers['content-length']
  return length === undefined ? undefined : Number(length)
}
