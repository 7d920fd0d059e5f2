import type { IncomingMessage } from 'node:http'
import { OAUTH_PATHS } from '#auth/oauth/authorization-server.ts'
import { isAccessToken, isRefreshToken } from '#auth/oauth/grants.ts'
import { resourceAddresses } from '#auth/oauth/oidc-adapter.ts'
import { ApiError } from '#core/api-error.ts'
import { clientNetworkOf } from '#lib/client-network.ts'
import type { AppContext } from '../app-context.ts'
import { countRawHeaders, getRawHeader, isMalformed } from '../pipeline/admission.ts'
import type { RequestHandler } from '../pipeline/request-handler.ts'
import { sendReply } from '../reply/send.ts'
import {
  bodyTooLarge,
  collectBody,
  hasBody,
  hasContentCoding,
  MAX_OPEN_BODY_BYTES,
} from '../request/json-body.ts'
import { findClientAuthenticationError, type OAuthError } from './client-authentication.ts'
import { normalizeClientId } from './client-documents.ts'

/** Paths that clients call directly, without a browser. */
export const CLIENT_ENDPOINT_PATHS = [
  OAUTH_PATHS.token,
  OAUTH_PATHS.revocation,
  OAUTH_PATHS.introspection,
] as const

/** The request is a form, the reply is JSON. */
export function createClientEndpointHandler(
  context: AppContext,
  path: (typeof CLIENT_ENDPOINT_PATHS)[number],
): RequestHandler {
  const { oauth, authenticator, limits, baseUrl } = context
  const takesToken = path !== OAUTH_PATHS.token
  return async (request, reply) => {
    const { raw, ip } = request
    const form = await readFormBody(raw)
    const authorization = getRawHeader(raw, 'authorization')
    const { status, body } = await respond()
    const challenge = status === 401 && authorization !== undefined
    if (status === 401 || isMalformed(status)) limits.address(ip)
    return sendReply(request, reply, {
      status,
      body: body === '' ? '' : JSON.stringify(body),
      headers: challenge ? { 'www-authenticate': 'Basic realm="docket"' } : {},
      secret: true,
    })

    async function respond(): Promise<{ status: number; body: unknown }> {
      normalizeClientId(form)
      const error =
        countRawHeaders(raw, 'authorization') > 1
          ? DUPLICATE_AUTHORIZATION
          : findClientAuthenticationError(authorization, form)
      if (error) return { status: error.error === 'invalid_client' ? 401 : 400, body: error }
      if (takesToken) maskForeignToken(form)
      else normalizeResource(form, baseUrl)
      const oauthRequest = {
        method: 'POST',
        target: path,
        authorization,
        form: form.toString(),
        network: clientNetworkOf(ip),
      } as const
      const { status, body, outcome, hasRevokedAccess } = await oauth.server.handle(oauthRequest)
      if (hasRevokedAccess) authenticator.invalidate()
      if (outcome === 'spent') return { status: 400, body: ALREADY_USED }
      return { status, body: isActive(body) ? { ...body, aud: baseUrl } : body }
    }
  }
}

/** Whether an introspection found an active token, whose `aud` the library does not always set. */
const isActive = (body: unknown): body is { active: true } => Object(body).active === true

const DUPLICATE_AUTHORIZATION: OAuthError = {
  error: 'invalid_request',
  error_description: 'the Authorization header was sent twice',
}

const ALREADY_USED: OAuthError = {
  error: 'invalid_grant',
  error_description: 'the code or refresh token was used already, or its grant has ended',
}

/**
 * The one resource has several addresses (docs/spec/api.md#oauth), of which the library takes each for another.
 */
function normalizeResource(form: URLSearchParams, baseUrl: string): void {
  const [resource = '', ...others] = form.getAll('resource')
  if (others.length === 0 && resourceAddresses(baseUrl).includes(resource))
    form.set('resource', baseUrl)
}

/**
 * Replaces text that cannot be one of our tokens, which must count as unknown (RFC 7009 §2.2). The
 * library would reject text that looks like a token of another format.
 */
function maskForeignToken(form: URLSearchParams): void {
  const tokens = form.getAll('token').filter((token) => token !== '')
  const [token = ''] = tokens
  if (tokens.length !== 1 || isAccessToken(token) || isRefreshToken(token)) return
  form.set('token', 'unknown')
}

const FORM_TYPE =
  /^application\/x-www-form-urlencoded[ \t]*(;[ \t]*charset[ \t]*=[ \t]*"?utf-8"?[ \t]*)?$/i

/** Reads the form of an OAuth request (docs/spec/api.md#bodies-and-content-types) and checks in the order 415, 413. */
async function readFormBody(request: IncomingMessage): Promise<URLSearchParams> {
  if (!hasBody(request)) return new URLSearchParams()
  if (
    hasContentCoding(request) ||
    !FORM_TYPE.test(getRawHeader(request, 'content-type')?.trim() ?? '')
  ) {
    const message = "Send the body as 'Content-Type: application/x-www-form-urlencoded'."
    throw new ApiError(415, 'unsupported_media_type', message)
  }
  if (Number(request.headers['content-length'] ?? 0) > MAX_OPEN_BODY_BYTES)
    throw bodyTooLarge(MAX_OPEN_BODY_BYTES)
  return new URLSearchParams((await collectBody(request, MAX_OPEN_BODY_BYTES)).toString('utf8'))
}
