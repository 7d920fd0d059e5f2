import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import {
  connectToDocket,
  createAuthorizationUrl,
  exchangeCode,
  isAuthorizationEnded,
  listOpenTasks,
  renewTokens,
  revokeAuthorization,
  type UserTokens,
} from './docket.ts'
import { failurePage, signInPage, tasksPage } from './pages.ts'
import { createVisitorStore, type Visitor } from './visitors.ts'

const { DOCKET_URL = 'http://127.0.0.1:4000', PORT = '3000' } = process.env
const { DOCKET_CLIENT_ID: id, DOCKET_CLIENT_SECRET: secret } = process.env
if (!id || !secret) {
  console.error(
    'Usage: DOCKET_CLIENT_ID=app_… DOCKET_CLIENT_SECRET=dcs_… npx node examples/oauth-client/web.ts',
  )
  process.exit(2)
}

const site = `http://127.0.0.1:${PORT}`
/** The registered URI, never derived from the Host header of a request. */
const redirectUri = `${site}/callback`
const docket = await connectToDocket(DOCKET_URL, id, secret)
const visitors = createVisitorStore()

createServer((request, response) => {
  serve(request, response).catch((error: Error) => {
    // Anybody can cause an error: the logged message contains no token and no code.
    console.error(error.message)
    sendPage(response, 502, failurePage('The request to Docket failed.'))
  })
}).listen(Number(PORT), '127.0.0.1', () => console.log(`Open ${site}`))

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const address = new URL(request.url ?? '/', site)
  const visitor = visitors.find(request) ?? {}
  switch (`${request.method} ${address.pathname}`) {
    case 'GET /':
      return home(visitor, response)
    case 'GET /sign-in': {
      const { address, checks } = await createAuthorizationUrl(docket, redirectUri)
      return redirect(response, address, visitors.keep({ checks }))
    }
    case 'GET /callback':
      return callback(visitor, address, response)
    case 'POST /sign-out': {
      const tokens = await visitor.tokens?.catch(ignoreEnd)
      delete visitor.tokens
      if (tokens) await revokeAuthorization(docket, tokens.refresh)
      return redirect(response, '/')
    }
    default:
      return sendPage(response, 404, failurePage('Page not found.'))
  }
}

/** Handles the redirect from Docket. Without this visitor's own checks it could be forged. */
async function callback(visitor: Visitor, back: URL, response: ServerResponse): Promise<void> {
  const { checks } = visitor
  delete visitor.checks
  if (!checks) return sendPage(response, 400, failurePage('No sign-in is in progress.'))
  try {
    const tokens = await exchangeCode(docket, back, checks)
    return redirect(response, '/', visitors.keep({ tokens: Promise.resolve(tokens) }))
  } catch (error) {
    if (!isAuthorizationEnded(error)) throw error
    return sendPage(response, 403, failurePage('You denied the request, or it has expired.'))
  }
}

async function home(visitor: Visitor, response: ServerResponse): Promise<void> {
  const tasks = await tasksOf(visitor)
  return sendPage(response, 200, tasks ? tasksPage(tasks) : signInPage())
}

/** Undefined if the visitor is not signed in, or no longer authorized. */
async function tasksOf(visitor: Visitor) {
  try {
    // Rejects if a parallel request finds that the authorization has ended.
    const tokens = await visitor.tokens
    if (!tokens) return undefined
    const fresh = tokens.expiresAt > Date.now() ? tokens : await renewOnce(visitor, tokens)
    const tasks = await listOpenTasks(docket, fresh.access)
    return tasks ?? (await listOpenTasks(docket, (await renewOnce(visitor, fresh)).access))
  } catch (error) {
    ignoreEnd(error)
    delete visitor.tokens
    return undefined
  }
}

/** Throws an error again, unless it says that the authorization has ended. */
function ignoreEnd(error: unknown): undefined {
  if (!isAuthorizationEnded(error)) throw error
}

/** Renews the tokens, once for all parallel requests with the same old ones. */
async function renewOnce(visitor: Visitor, old: UserTokens): Promise<UserTokens> {
  const { tokens } = visitor
  const found = await tokens
  if (tokens === visitor.tokens && found === old) {
    visitor.tokens = renewTokens(docket, old.refresh)
    // A temporary failure of Docket must not require signing in again.
    visitor.tokens.catch((error) => {
      if (!isAuthorizationEnded(error)) visitor.tokens = Promise.resolve(old)
    })
  }
  return (await visitor.tokens) ?? old
}

function sendPage(response: ServerResponse, status: number, page: string): void {
  const headers = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }
  response.writeHead(status, { ...headers, 'referrer-policy': 'no-referrer' }).end(page)
}

function redirect(response: ServerResponse, location: string, cookie?: string): void {
  response.writeHead(303, { location, ...(cookie && { 'set-cookie': cookie }) }).end()
}
