import type { FastifyRequest } from 'fastify'
import { Refusal } from '#core/refusal.ts'
import type { House } from './house.ts'

/** The session of the browser, if there is one; one that has ended is none. */
export async function sessionHere(
  { authenticator }: House,
  { headers }: FastifyRequest,
): Promise<string | null> {
  if (headers.cookie === undefined) return null
  try {
    return (await authenticator.authenticate(undefined, headers.cookie)).credential_id
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 401) throw error
    return null
  }
}
