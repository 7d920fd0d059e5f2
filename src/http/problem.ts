import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '#core/refusal.ts'
import type { House } from './house.ts'
import { SHED } from './overload.ts'
import { send } from './send.ts'

/** The body of an error (contract 2.1). */
export function problemOf(baseUrl: string, request_id: string, refusal: Refusal): string {
  const { type, code, message, details } = refusal
  const doc_url = `${baseUrl}/docs/errors#${code}`
  return JSON.stringify({ error: { type, code, message, request_id, doc_url, details } })
}

/** Makes the one place where an error becomes a reply (contract 2.1). */
export function problems({ baseUrl, log }: Pick<House, 'baseUrl' | 'log'>) {
  const challenge = `Bearer realm="docket", resource_metadata="${baseUrl}/.well-known/oauth-protected-resource"`

  return (error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const refusal = error instanceof Refusal ? error : translated(error)
    const { status, message, headers } = refusal
    // What overload refuses is told of once, when it begins.
    if (status >= 500 && error !== SHED)
      log.error({ request_id: request.id, err: refusal.cause ?? error }, message)
    const body = problemOf(baseUrl, request.id, refusal)
    const authenticate = challengeOf(refusal)
    return send(request, reply, {
      status,
      body,
      headers: { ...headers, ...(authenticate && { 'www-authenticate': authenticate }) },
    })
  }

  function challengeOf({ status, code, message, details }: Refusal): string | undefined {
    if (code === 'authentication_required' || code === 'invalid_credentials') return challenge
    if (status === 401) {
      return `${challenge}, error="invalid_token", error_description="${message}"`
    }
    if (code !== 'insufficient_scope') return undefined
    return `${challenge}, error="insufficient_scope", scope="${details[0]?.field ?? ''}"`
  }
}

/** What was not foreseen is a fault of ours, but for what the HTTP layer itself refuses. */
function translated(error: unknown): Refusal {
  const status =
    error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : undefined
  if (status === 400) return new Refusal(400, 'invalid_request', 'The request is malformed.')
  const message = 'Something went wrong on our side; nothing was changed.'
  return new Refusal(500, 'internal_error', message, { cause: error })
}
