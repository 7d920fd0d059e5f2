import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { type Actor, lacksSecondFactor } from '#core/actor.ts'
import { insufficientScope, Refusal } from '#core/refusal.ts'
import { workspaceDeleted } from '#identity/deletion.ts'
import { secondFactorMissing } from '#identity/demand.ts'
import type { Endpoint } from '#wire/endpoint.ts'
import type { House } from './house.ts'
import { refuseForeign } from './origin.ts'

/**
 * What is decided before a body is read: who asks (401; 429 for an address that fails too often),
 * whether a page of another site made the browser ask (403), whether the workspace or the session has
 * a request left (429), whether the credential may do this at all (403).
 */
export async function admit(house: House, endpoint: Endpoint, request: FastifyRequest) {
  const { scope } = endpoint
  if (scope === 'session') refuseKeys(request)
  const actor = await authenticated(house, request)
  if (actor.type === 'user') refuseForeign(request, house.baseUrl)
  const spent = endpoint.limit === 'session' ? house.sessionLimit(actor) : house.limit(actor)
  Object.assign(request.outgoing, spent instanceof Promise ? await spent : spent)
  if (actor.workspace_deleted_at && !endpoint.ofDeleted) throw workspaceDeleted()
  if (lacksSecondFactor(actor) && !endpoint.beforeSecondFactor) throw secondFactorMissing()
  const needed = scope === 'any' || scope === 'session' || scope === 'open' ? undefined : scope
  if (needed && !actor.scopes.has(needed)) throw insufficientScope(needed)
  request.actor = actor
}

/** What serves the web app alone takes no key or token, whatever it is (contract 9). */
export function refuseKeys(request: FastifyRequest): void {
  if (timesSent(request.raw, 'authorization') === 0) return
  const message = 'This serves the web app: it takes its session cookie, and no Authorization.'
  throw new Refusal(403, 'session_required', message)
}

async function authenticated(house: House, request: FastifyRequest): Promise<Actor> {
  if (timesSent(request.raw, 'authorization') > 1) {
    throw new Refusal(400, 'invalid_header', 'Send one Authorization header.', {
      details: [{ field: 'Authorization', code: 'duplicate', message: 'It was sent twice.' }],
    })
  }
  try {
    const { authorization, cookie } = request.headers
    return await house.authenticator.authenticate(authorization, cookie)
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) house.addressLimit(request.ip)
    throw error
  }
}

/** How often a header was sent: Node keeps only one of some. */
export const timesSent = (request: IncomingMessage, name: string): number =>
  valuesOf(request, name).length

/** A header as it was sent, several of a name joined by commas; undefined without any. */
export const sent = (request: IncomingMessage, name: string): string | undefined => {
  const values = valuesOf(request, name)
  return values.length > 0 ? values.join(', ') : undefined
}

function valuesOf({ rawHeaders }: IncomingMessage, name: string): string[] {
  const values: string[] = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const sent = rawHeaders[at] ?? ''
    if (sent.length === name.length && sent.toLowerCase() === name) {
      values.push(rawHeaders[at + 1] ?? '')
    }
  }
  return values
}
