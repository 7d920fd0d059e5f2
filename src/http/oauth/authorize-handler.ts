import type { FastifyReply, FastifyRequest } from 'fastify'
import { OAUTH_PATHS, type OAuthResponse, RESUME_COOKIE } from '#auth/oauth/authorization-server.ts'
import { approvalOfApplication, membershipInOwningWorkspace } from '#auth/oauth/grants.ts'
import {
  expireConsentCookie,
  hasConsentCookie,
  serializeConsentCookie,
} from '#auth/oauth/interactions.ts'
import { readCookie } from '#auth/sessions/sessions.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { MaybePromise } from '#lib/maybe-promise.ts'
import { isScope } from '#wire/scopes.ts'
import { authorizationFailedPage } from '../api-reference/site/message-pages.ts'
import type { AppContext } from '../app-context.ts'
import type { RequestHandler } from '../pipeline/request-handler.ts'
import { sendReply } from '../reply/send.ts'
import { findSessionId } from '../request/request-origin.ts'
import { requestFields } from '../server/log.ts'
import { documentHeaders } from '../web-app/serve-web-app.ts'
import { isDocumentAddress, loadClientDocument, normalizeClientId } from './client-documents.ts'
import { MCP_PATH, MCP_SCOPES } from './mcp-resource.ts'

/** The parameters of an authorization request; all others are ignored (docs/spec/api.md#oauth). */
const AUTHORIZATION_PARAMETERS = [
  'response_type',
  'client_id',
  'redirect_uri',
  'scope',
  'state',
  'prompt',
  'resource',
  'code_challenge',
  'code_challenge_method',
  'login_hint',
]
const MAX_EMAIL_LENGTH = 254
const CONSENT_PATH = /^\/oauth\/consent\/([A-Za-z0-9_-]+)/

/**
 * `GET /oauth/authorize`: redirects to the consent page, or back to the application with an
 * error. If the redirect URI is not verified as the application's own, it shows an error page
 * instead.
 */
export function createAuthorizeHandler(context: AppContext): RequestHandler {
  const { oauth, baseUrl } = context
  return async (request, reply) => {
    context.limits.authorizationRequests(request.ip)
    const query = readParameters(new URL(request.raw.url ?? '', baseUrl), baseUrl)
    const session_id = await findSessionId(context, request)
    if (session_id === null) context.limits.anonymousAuthorizations(request.ip)
    const client_id = query.get('client_id')
    if (isDocumentAddress(client_id)) {
      const problem = await loadClientDocument(context, client_id, request.ip)
      if (problem !== undefined) return sendFailurePage(request, reply, 400, problem)
    }
    normalizeClientId(query)
    const target = `${OAUTH_PATHS.authorization}?${query}`
    const response = await oauth.server.handle({ method: 'GET', target, session_id })
    const uid = CONSENT_PATH.exec(response.location ?? '')?.[1]
    if (uid === undefined) {
      const mayLeave =
        response.location === undefined || (await mayReturnUnasked(context, query, session_id))
      return finish(context, request, reply, mayLeave ? response : withoutLocation(response))
    }
    return sendReply(request, reply, {
      status: 303,
      headers: {
        location: baseUrl + response.location,
        'referrer-policy': 'no-referrer',
        'set-cookie': [serializeConsentCookie(baseUrl, uid), ...resumeCookies(response)],
      },
    })
  }
}

/**
 * Whether an error may be sent to the application. A request with `prompt=none` or with a wrong
 * parameter comes back at once, so a link to Docket would lead to the application without a
 * question. That is only done if this person has approved the application, or for wrong parameters if
 * a workspace of theirs has registered it: a stranger can register another one, by itself or in a
 * workspace of their own (RFC 9700 §4.11.2).
 */
async function mayReturnUnasked(
  { storage }: AppContext,
  query: URLSearchParams,
  session_id: string | null,
): Promise<boolean> {
  if (session_id === null) return false
  const who = { session_id, application_id: query.get('client_id') ?? '' }
  const isSilent = query.getAll('prompt').some((prompt) => prompt.split(' ').includes('none'))
  return storage.read(ANONYMOUS_ACTOR, async (tx) => {
    if (!isSilent && (await tx.one(membershipInOwningWorkspace, who))) return true
    return (await tx.one(approvalOfApplication, who)) !== undefined
  })
}

/** The response as a page instead of a redirect, with the reason that the application would get. */
function withoutLocation({ location, ...response }: OAuthResponse): OAuthResponse {
  const { searchParams } = new URL(location ?? '')
  const error_description = isQuestionRefused(searchParams.get('error'))
    ? 'it wants no question, but you have not authorized the application'
    : (searchParams.get('error_description') ?? '')
  return { ...response, location: undefined, body: { error_description } }
}

const isQuestionRefused = (error: string | null) =>
  error === 'login_required' || error === 'consent_required'

/** `GET /oauth/authorize/:uid`: continues the request after the person has decided. */
export function createResumeHandler(context: AppContext): RequestHandler {
  const { oauth, baseUrl } = context
  return async (request, reply) => {
    const { uid = '' } = request.params as { uid?: string }
    const cookie = findResumeCookies(baseUrl, uid, request.headers.cookie)
    const target = `${OAUTH_PATHS.authorization}/${encodeURIComponent(uid)}`
    const response = await oauth.server.handle({ method: 'GET', target, cookie })
    const cookies = /^[\w-]+$/.test(uid)
      ? [expireConsentCookie(baseUrl, uid), ...resumeCookies(response)]
      : []
    return finish(context, request, reply, response, cookies)
  }
}

/** Redirects the browser back to the application, or shows an error page. */
function finish(
  { log }: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { location, status, body, outcome, fault }: OAuthResponse,
  cookies: string[] = [],
): MaybePromise<void> {
  if (fault !== undefined)
    log.error({ ...requestFields(request), err: fault }, 'Authorization failed')
  if (location !== undefined && outcome === 'done') {
    const headers = { location, 'referrer-policy': 'no-referrer', 'set-cookie': cookies }
    return sendReply(request, reply, { status: 303, headers })
  }
  const { error_description = '' } = Object(body) as { error_description?: string }
  const reason = outcome === 'done' ? error_description : 'this request was answered already'
  return sendFailurePage(request, reply, status >= 500 ? 500 : 400, reason)
}

const sendFailurePage = (
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  reason: string,
): MaybePromise<void> =>
  sendReply(request, reply, {
    status,
    body: authorizationFailedPage(reason),
    headers: documentHeaders({ referrer: 'no-referrer' }),
  })

/** Returns only the cookies by which the library resumes a request, and none of its others. */
const resumeCookies = ({ cookies }: OAuthResponse): string[] =>
  cookies.filter((cookie) => cookie.startsWith(RESUME_COOKIE))

/**
 * Returns the resume cookies only if this browser began the request. Another host of the domain
 * could plant the cookies of its own request, and would get the person's consent for it.
 */
function findResumeCookies(
  baseUrl: string,
  uid: string,
  header: string | undefined,
): string | undefined {
  if (!hasConsentCookie(baseUrl, uid, header) || readCookie(header, RESUME_COOKIE) !== uid)
    return undefined
  return header
    ?.split(';')
    .filter((part) => part.trim().startsWith(RESUME_COOKIE))
    .join(';')
}

/**
 * Returns the query without unknown parameters and scopes. Programs that look for tools may leave it to the server
 * what they can do; other applications say what they need.
 */
function readParameters({ searchParams }: URL, baseUrl: string): URLSearchParams {
  const query = new URLSearchParams()
  for (const [name, value] of searchParams) {
    if (AUTHORIZATION_PARAMETERS.includes(name))
      query.append(name, NORMALIZERS[name]?.(value) ?? value)
  }
  if (!query.has('scope') && query.get('resource') === baseUrl + MCP_PATH)
    query.set('scope', MCP_SCOPES.join(' '))
  return query
}

/** These also keep requests short, which are stored for half an hour. */
const NORMALIZERS: Record<string, (value: string) => string> = {
  scope: dropUnknownScopes,
  prompt: (value) => dropRepeated(value.split(' ')),
  // What cannot be an email address is no hint.
  login_hint: (value) => (value.length <= MAX_EMAIL_LENGTH ? value : ''),
  // The library would return this error in a fragment, which an application with codes never reads.
  response_type: (value) => (value.includes('token') ? 'other' : value),
}

/** Drops unknown scopes, unless all are unknown: then the library rejects them. */
function dropUnknownScopes(scope: string): string {
  const known = scope.split(' ').filter(isScope)
  return known.length > 0 ? dropRepeated(known) : scope
}

const dropRepeated = (words: readonly string[]): string => [...new Set(words)].join(' ')
