import { isAccessToken, isRefreshToken } from '#identity/oauth/access.ts'
import { PATHS } from '#identity/oauth/server.ts'
import { sent, timesSent } from '../admission.ts'
import type { Handler } from '../handling.ts'
import type { House } from '../house.ts'
import { send } from '../send.ts'
import { clientFault, type Fault } from './client.ts'
import { formOf } from './form.ts'

/** The addresses to which clients come themselves. */
export const ENDPOINTS = [PATHS.token, PATHS.revocation, PATHS.introspection] as const

/** Serves one of them: a form in, JSON out. */
export function endpointOf(house: House, path: (typeof ENDPOINTS)[number]): Handler {
  const { oauth, authenticator, addressLimit, baseUrl } = house
  const looksAtToken = path !== PATHS.token
  return async (request, reply) => {
    const { raw, ip } = request
    const form = await formOf(raw)
    const authorization = sent(raw, 'authorization')
    const { status, body } = await outcome()
    const challenge = status === 401 && authorization !== undefined
    if (status === 401) addressLimit(ip)
    return send(request, reply, {
      status,
      body: body === '' ? '' : JSON.stringify(body),
      headers: challenge ? { 'www-authenticate': 'Basic realm="docket"' } : {},
      secret: true,
    })

    async function outcome(): Promise<{ status: number; body: unknown }> {
      const fault = timesSent(raw, 'authorization') > 1 ? TWICE : clientFault(authorization, form)
      if (fault) return { status: fault.error === 'invalid_client' ? 401 : 400, body: fault }
      if (looksAtToken) hideForeign(form)
      else nameResource(form, baseUrl)
      const asked = { method: 'POST', target: path, authorization, form: form.toString() } as const
      const { status, body, end, ended } = await oauth.answer(asked)
      if (ended) authenticator.doubt()
      if (end === 'spent') return { status: 400, body: SPENT }
      return { status, body: isActive(body) ? { ...body, aud: baseUrl } : body }
    }
  }
}

/** Whether it tells of a living token: each is for the one resource, which the library tells of some alone. */
const isActive = (body: unknown): body is { active: true } => Object(body).active === true

const TWICE: Fault = {
  error: 'invalid_request',
  error_description: 'the Authorization header was sent twice',
}

const SPENT: Fault = {
  error: 'invalid_grant',
  error_description: 'the code or refresh token was used already, or its grant has ended',
}

/** There is one resource, of two spellings (contract 4.4): the library takes what is granted for another. */
function nameResource(form: URLSearchParams, baseUrl: string): void {
  const named = form.getAll('resource')
  if (named.length === 1 && named[0] === `${baseUrl}/`) form.set('resource', baseUrl)
}

/**
 * What cannot be a token of ours is unknown (RFC 7009, section 2.2): of what looks like a token of
 * another make the library would say so.
 */
function hideForeign(form: URLSearchParams): void {
  const tokens = form.getAll('token').filter((token) => token !== '')
  const [token = ''] = tokens
  if (tokens.length !== 1 || isAccessToken(token) || isRefreshToken(token)) return
  form.set('token', 'unknown')
}
