import type { FastifyReply, FastifyRequest } from 'fastify'
import { cookieIn } from '#identity/cookie.ts'
import { askedCleared, askedSet, wasAskedHere } from '#identity/oauth/cookie.ts'
import { type Answered, PATHS, RESUME } from '#identity/oauth/server.ts'
import { isScope } from '#wire/scopes.ts'
import type { Handler } from '../handling.ts'
import type { House } from '../house.ts'
import { authorizationFailedPage } from '../pages/missing.ts'
import { send } from '../send.ts'
import { sessionHere } from '../session-here.ts'
import { documentHeaders } from '../web/policy.ts'

/** All that an authorization request may say; the rest is ignored (contract 4.4). */
const PARAMETERS = [
  ...['response_type', 'client_id', 'redirect_uri', 'scope', 'state', 'prompt', 'resource'],
  ...['code_challenge', 'code_challenge_method', 'login_hint'],
]
const CONSENT = /^\/oauth\/consent\/([A-Za-z0-9_-]+)/

/**
 * `GET /oauth/authorize`: to the page of consent, back to the application with an error, or, where it is
 * not known that the address is the application's own, to a page of errors and nowhere else.
 */
export function authorize(house: House): Handler {
  const { oauth, baseUrl, askingLimit } = house
  return async (request, reply) => {
    askingLimit(request.ip)
    const target = `${PATHS.authorization}?${understood(new URL(request.raw.url ?? '', baseUrl))}`
    const session_id = await sessionHere(house, request)
    const answered = await oauth.answer({ method: 'GET', target, session_id })
    const uid = CONSENT.exec(answered.location ?? '')?.[1]
    if (uid === undefined) return leave(house, request, reply, answered)
    return send(request, reply, {
      status: 303,
      headers: {
        location: baseUrl + answered.location,
        'referrer-policy': 'no-referrer',
        'set-cookie': [askedSet(baseUrl, uid), ...resuming(answered)],
      },
    })
  }
}

/** `GET /oauth/authorize/:uid`: where the browser goes on after the decision. */
export function resume(house: House): Handler {
  const { oauth, baseUrl } = house
  return async (request, reply) => {
    const { uid = '' } = request.params as { uid?: string }
    const cookie = kept(baseUrl, uid, request.headers.cookie)
    const target = `${PATHS.authorization}/${encodeURIComponent(uid)}`
    const answered = await oauth.answer({ method: 'GET', target, cookie })
    const cookies = /^[\w-]+$/.test(uid) ? [askedCleared(baseUrl, uid), ...resuming(answered)] : []
    return leave(house, request, reply, answered, cookies)
  }
}

/** Sends the browser back to the application, or shows why not. */
function leave(
  { baseUrl, log }: House,
  request: FastifyRequest,
  reply: FastifyReply,
  { location, status, body, end, fault }: Answered,
  cookies: string[] = [],
): Promise<void> {
  if (fault !== undefined) log.error({ request_id: request.id, err: fault }, 'Authorization failed')
  if (location !== undefined && end === 'done') {
    const headers = { location, 'referrer-policy': 'no-referrer', 'set-cookie': cookies }
    return send(request, reply, { status: 303, headers })
  }
  const { error_description = '' } = Object(body) as { error_description?: string }
  const said = end === 'done' ? error_description : 'this request was answered already'
  return send(request, reply, {
    status: status >= 500 ? 500 : 400,
    body: authorizationFailedPage(said),
    headers: documentHeaders(baseUrl, { referrer: 'no-referrer' }),
  })
}

/** The cookies with which the library finds the request again, and none of its others. */
const resuming = ({ cookies }: Answered): string[] =>
  cookies.filter((cookie) => cookie.startsWith(RESUME))

/**
 * The cookies that the library set, from the browser in which this very request began: a neighbour in the
 * domain can slip in those of a request of its own, and would have its answer taken for the person's.
 */
function kept(baseUrl: string, uid: string, header: string | undefined): string | undefined {
  if (!wasAskedHere(baseUrl, uid, header) || cookieIn(header, RESUME) !== uid) return undefined
  return header
    ?.split(';')
    .filter((part) => part.trim().startsWith(RESUME))
    .join(';')
}

/** The query without what is not understood. */
function understood({ searchParams }: URL): URLSearchParams {
  const query = new URLSearchParams()
  for (const [name, value] of searchParams) {
    if (PARAMETERS.includes(name)) query.append(name, READ[name]?.(value) ?? value)
  }
  return query
}

const READ: Record<string, (value: string) => string> = {
  scope: knownScopes,
  // Its error would come in a fragment, where an application that asks for a code does not look.
  response_type: (value) => (value.includes('token') ? 'other' : value),
}

/** Those that are known, if any is. */
function knownScopes(scope: string): string {
  const known = scope.split(' ').filter(isScope)
  return known.length > 0 ? known.join(' ') : scope
}
