import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Provider } from 'oidc-provider'
import { type Means, openLibrary } from './library.ts'
import { type End, Unit, units } from './unit.ts'

export { PATHS, RESUME } from './library.ts'

/** One request, with no more of it than the protocol knows. */
export interface Asked {
  method: 'GET' | 'POST'
  /** Path and query. */
  target: string
  cookie?: string | undefined
  authorization?: string | undefined
  /** The text of a form. */
  form?: string
  /** The session of the browser, where it is signed in. */
  session_id?: string | null
}

/** What the library would answer, unsent. */
export interface Answered {
  status: number
  /** JSON, or empty. */
  body: unknown
  location: string | undefined
  cookies: string[]
  /** `spent`: a code, token or request was used a second time, and the answer does not count. */
  end: End
  /** Whether somebody's access has ended with it. */
  ended: boolean
  /** What went wrong on our side, where there is an answer all the same. */
  fault: unknown
}

/** The authorization server (contract 4.4). */
export interface AuthorizationServer {
  answer(asked: Asked): Promise<Answered>
}

/**
 * Opens the authorization server; its library is loaded when it is asked for the first time. It sees
 * requests that are made for it and answers into the air: what goes out is decided by `http`.
 */
export function authorizationServer(means: Means): AuthorizationServer {
  let opening: Promise<ReturnType<typeof listening>> | undefined
  return {
    async answer(asked) {
      opening ??= openLibrary(means)
        .then(listening)
        .catch((error) => {
          // The next request tries again.
          opening = undefined
          throw error
        })
      const listen = await opening
      const unit = new Unit(asked.session_id ?? null)
      const heard = await listen(unit, asked, means.baseUrl)
      if (heard.fault !== undefined && heard.location === undefined) throw heard.fault
      if (heard.status >= 400) unit.refuse()
      const end = await unit.commit(means.storage)
      return { ...heard, end, ended: unit.ended }
    },
  }
}

type Heard = Omit<Answered, 'end' | 'ended'>

function listening(provider: Provider) {
  const heard = new WeakMap<IncomingMessage, Heard>()
  const faults = new WeakMap<IncomingMessage, unknown>()
  provider.on('server_error', (ctx, fault) => faults.set(ctx.req, fault))
  provider.use(async (ctx, next) => {
    // Nothing is written to the response: it belongs to no connection.
    ctx.respond = false
    await next().catch((fault: unknown) => faults.set(ctx.req, fault))
    const { status, body } = ctx
    const location = ctx.response.get('location') || undefined
    const cookies = [ctx.response.get('set-cookie') ?? []].flat().filter((one) => one !== '')
    heard.set(ctx.req, { status, body, location, cookies, fault: faults.get(ctx.req) })
  })
  const handle = provider.callback()
  return async (unit: Unit, asked: Asked, baseUrl: string): Promise<Heard> => {
    const request = requestOf(asked, new URL(baseUrl))
    await units.run(unit, () => handle(request, new ServerResponse(request)))
    const answer = heard.get(request)
    if (!answer) throw new Error('The authorization server gave no answer')
    return answer
  }
}

/** A request that came over no connection. */
function requestOf({ method, target, form, ...headers }: Asked, base: URL): IncomingMessage {
  const request = new IncomingMessage(new Socket())
  request.method = method
  request.url = target
  request.headers = {
    host: base.host,
    'x-forwarded-host': base.host,
    'x-forwarded-proto': base.protocol.slice(0, -1),
    accept: method === 'GET' ? 'text/html' : 'application/json',
    ...(headers.cookie !== undefined && { cookie: headers.cookie }),
    ...(headers.authorization !== undefined && { authorization: headers.authorization }),
    ...(form !== undefined && {
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': String(Buffer.byteLength(form)),
    }),
  }
  if (form !== undefined) request.push(form)
  request.push(null)
  return request
}
