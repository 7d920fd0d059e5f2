import type { Endpoint } from '#wire/endpoint.ts'
import type { Handler } from './handling.ts'
import type { House } from './house.ts'
import { unhurry } from './patience.ts'

type Handed = Pick<Endpoint, 'method' | 'scope'> & { upload?: unknown }

/**
 * Leaves a request to the process that writes, which judges, counts and logs it; undefined where this
 * process does all itself.
 */
export function handing(house: House, { method, scope, upload }: Handed): Handler | undefined {
  const { hand, authenticator, load } = house
  if (!hand) return undefined
  const mayChangeRights = method !== 'GET' && (scope === 'session' || scope === 'open')
  return async (request, reply) => {
    const { raw } = request
    if (upload) unhurry(raw)
    request.handed = true
    // It is under way there.
    load.requests -= 1
    reply.raw.once('close', () => {
      load.requests += 1
    })
    try {
      await hand(raw, reply.raw)
    } catch (error) {
      request.handed = false
      throw error
    }
    reply.hijack()
    if (mayChangeRights) authenticator.doubt()
  }
}
