import { Refusal, unavailable } from '#core/refusal.ts'
import { authorizationAt } from './authorization.ts'
import { type Credentials, credentialsIn, keepCredentials } from './credentials.ts'

const PATIENCE_MS = 60_000
/** An access token that ends sooner is not sent any more. */
const MARGIN_MS = 60_000

/** A request to the API. */
export interface Asked {
  method: string
  /** With query, as the API names it: `/tasks` or `/api/v1/tasks`. */
  path: string
  /** The text of a JSON body. */
  data?: string | undefined
}

/** Asks the API as the person who is signed in; a no of the API is the Refusal that it tells of. */
export async function askAsPerson(personalDir: string, asked: Asked): Promise<object> {
  let credentials = await credentialsIn(personalDir)
  const ends = Date.parse(credentials.expires_at) - MARGIN_MS
  if (!(Date.now() < ends)) credentials = await renewed(personalDir, credentials)
  const reply = await send(credentials, asked)
  if (reply.status !== 401) return told(reply)
  // The clock of this computer may be wrong about when a token ends.
  return told(await send(await renewed(personalDir, credentials), asked))
}

/** Sends one request with the token that is given. */
export async function ask(credentials: Pick<Credentials, 'url' | 'access_token'>, asked: Asked) {
  return told(await send(credentials, asked))
}

async function send(
  { url, access_token }: Pick<Credentials, 'url' | 'access_token'>,
  { method, path, data }: Asked,
): Promise<Response> {
  const address = new URL(path.startsWith('/api/') ? path : `/api/v1${path}`, url)
  // The token goes to the Docket that gave it, and to its API alone.
  if (address.origin !== url || !address.pathname.startsWith('/api/v1/')) {
    throw new Refusal(404, 'route_not_found', `${path} is no path of the API, such as /tasks.`)
  }
  const request = new Request(address, {
    method: method.toUpperCase(),
    redirect: 'error',
    signal: AbortSignal.timeout(PATIENCE_MS),
    headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
    ...(data !== undefined && { body: data }),
  })
  try {
    return await fetch(request)
  } catch (error) {
    throw unavailable(`No Docket can be reached at ${url}.`, error)
  }
}

async function told(reply: Response): Promise<object> {
  const text = await reply.text()
  const body = text === '' ? {} : parsed(text)
  if (reply.ok && body) return body
  const { code, message } = Object(Object(body).error) as Record<string, unknown>
  if (typeof code === 'string') throw new Refusal(reply.status, code, String(message))
  throw unavailable(`The answer (${reply.status}) is not JSON, which alone is shown here.`)
}

function parsed(text: string): object | undefined {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null ? body : undefined
  } catch {
    return undefined
  }
}

/** Fetches the next pair of tokens, unless another process has done so since `old` was read. */
async function renewed(personalDir: string, old: Credentials): Promise<Credentials> {
  const found = await credentialsIn(personalDir)
  if (found.refresh_token !== old.refresh_token) return found
  try {
    const tokens = await (await authorizationAt(found.url)).refresh(found.refresh_token)
    const next = { ...found, ...tokens }
    await keepCredentials(personalDir, next)
    return next
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'invalid_grant') throw error
    const message = `The sign-in at ${found.url} has ended: docket login again.`
    throw new Refusal(401, 'invalid_token', message, { cause: error })
  }
}
