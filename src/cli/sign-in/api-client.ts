import { randomBytes } from 'node:crypto'
import { chmod, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ApiError, serviceUnavailable } from '#core/api-error.ts'
import { makeDirectory } from '#db/installation/data-dir.ts'
import { discoverOAuthServer, type OAuthTokens } from './oauth-client.ts'

/** The stored sign-in of the user of this computer. */
export interface CliCredentials extends OAuthTokens {
  /** Base URL of the Docket. */
  url: string
  client_id: string
  user_id: string
  workspace_id: string
}

/** Reads the stored credentials; undefined if nobody is signed in. */
export async function readCredentials(personalDir: string): Promise<CliCredentials | undefined> {
  const path = credentialsPath(personalDir)
  try {
    return JSON.parse(await readFile(path, 'utf8')) as CliCredentials
  } catch (error) {
    if (Object(error).code === 'ENOENT') return undefined
    const why = error instanceof Error ? error.message : String(error)
    throw new ApiError(500, 'internal_error', `Cannot read ${path}: ${why}`, { cause: error })
  }
}

/** Reads the stored credentials. Throws 401 if nobody is signed in. */
export async function requireCredentials(personalDir: string): Promise<CliCredentials> {
  const credentials = await readCredentials(personalDir)
  if (credentials) return credentials
  const message = 'You are not signed in on this computer. Run docket login.'
  throw new ApiError(401, 'authentication_required', message)
}

/**
 * Stores credentials in a file that only this user can read. The file is replaced atomically and
 * synced: neither another process nor a power cut may leave a part of it, or an old refresh token,
 * whose use would end the sign-in.
 */
export async function saveCredentials(
  personalDir: string,
  credentials: CliCredentials,
): Promise<void> {
  const path = credentialsPath(personalDir)
  makeDirectory(dirname(path), 0o700)
  await chmod(dirname(path), 0o700)
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  try {
    const file = await open(draft, 'wx', 0o600)
    try {
      await file.writeFile(`${JSON.stringify(credentials, undefined, 2)}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

export const deleteCredentials = (personalDir: string): Promise<void> =>
  rm(credentialsPath(personalDir), { force: true })

const credentialsPath = (personalDir: string) => join(personalDir, 'docket', 'credentials.json')

const REQUEST_TIMEOUT_MS = 60_000
/** An access token that expires within this time is refreshed first. */
const EXPIRY_MARGIN_MS = 60_000

/** A request to the API. */
export interface ApiRequest {
  method: string
  /** The path with its query: `/tasks` or `/api/v1/tasks`. */
  path: string
  /** The body as JSON text. */
  data?: string | undefined
}

/** Sends a request as the signed-in user. Throws the error that the API responds with. */
export async function requestAsUser(personalDir: string, request: ApiRequest): Promise<object> {
  let credentials = await requireCredentials(personalDir)
  const refreshAt = Date.parse(credentials.expires_at) - EXPIRY_MARGIN_MS
  if (!(Date.now() < refreshAt)) credentials = await refresh(personalDir, credentials)
  const response = await send(credentials, request)
  if (response.status !== 401) return readBody(response)
  // The token may have expired although the clock of this computer says otherwise.
  return readBody(await send(await refresh(personalDir, credentials), request))
}

/** Sends one request with the given token. */
export async function requestWithToken(
  credentials: Pick<CliCredentials, 'url' | 'access_token'>,
  request: ApiRequest,
) {
  return readBody(await send(credentials, request))
}

async function send(
  { url, access_token }: Pick<CliCredentials, 'url' | 'access_token'>,
  { method, path, data }: ApiRequest,
): Promise<Response> {
  const address = new URL(path.startsWith('/api/') ? path : `/api/v1${path}`, url)
  // The token must only be sent to the API of the Docket that issued it.
  if (address.origin !== url || !address.pathname.startsWith('/api/v1/')) {
    throw new ApiError(404, 'route_not_found', `${path} is not a path of the API, such as /tasks.`)
  }
  const request = new Request(address, {
    method: method.toUpperCase(),
    redirect: 'error',
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
    ...(data !== undefined && { body: data }),
  })
  try {
    return await fetch(request)
  } catch (error) {
    throw serviceUnavailable(`Cannot reach Docket at ${url}.`, error)
  }
}

async function readBody(response: Response): Promise<object> {
  const text = await response.text()
  const body = text === '' ? {} : parseObject(text)
  if (response.ok && body) return body
  const { code, message } = Object(Object(body).error) as Record<string, unknown>
  if (typeof code === 'string') throw new ApiError<string>(response.status, code, String(message))
  throw serviceUnavailable(
    `The response (${response.status}) is not JSON; docket api only prints JSON.`,
  )
}

function parseObject(text: string): object | undefined {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null ? body : undefined
  } catch {
    return undefined
  }
}

/** Fetches new tokens, unless another process has done so since `old` was read. */
async function refresh(personalDir: string, old: CliCredentials): Promise<CliCredentials> {
  const current = await requireCredentials(personalDir)
  if (current.refresh_token !== old.refresh_token) return current
  try {
    const tokens = await (await discoverOAuthServer(current.url)).refresh(current.refresh_token)
    const next = { ...current, ...tokens }
    await saveCredentials(personalDir, next)
    return next
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'invalid_grant') throw error
    const message = `Your sign-in to ${current.url} has expired. Run docket login again.`
    throw new ApiError(401, 'invalid_token', message, { cause: error })
  }
}
