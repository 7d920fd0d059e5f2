import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import {
  begin,
  connect,
  finish,
  hasEnded,
  openTasks,
  renew,
  revoke,
  type Tokens,
} from './docket.ts'
import { signInPage, sorryPage, tasksPage } from './pages.ts'
import { newVisitors, type Visitor } from './visitors.ts'

const { DOCKET_URL = 'http://127.0.0.1:4000', PORT = '3000' } = process.env
const { DOCKET_CLIENT_ID: id, DOCKET_CLIENT_SECRET: secret } = process.env
if (!id || !secret) {
  console.error(
    'Usage: DOCKET_CLIENT_ID=app_… DOCKET_CLIENT_SECRET=dcs_… npx node examples/oauth-client/web.ts',
  )
  process.exit(2)
}

const site = `http://127.0.0.1:${PORT}`
/** As it was registered: never made of what a request says of its host. */
const redirectUri = `${site}/callback`
const docket = await connect(DOCKET_URL, id, secret)
const visitors = newVisitors()

createServer((request, response) => {
  serve(request, response).catch((error: Error) => {
    // A stranger's request can be at fault as well: what is logged holds no token and no code.
    console.error(error.message)
    show(response, 502, sorryPage('Docket could not be asked, or did not agree.'))
  })
}).listen(Number(PORT), '127.0.0.1', () => console.log(`Open ${site}`))

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const address = new URL(request.url ?? '/', site)
  const visitor = visitors.find(request) ?? {}
  switch (`${request.method} ${address.pathname}`) {
    case 'GET /':
      return home(visitor, response)
    case 'GET /sign-in': {
      const { address, checks } = await begin(docket, redirectUri)
      return leave(response, address, visitors.keep({ checks }))
    }
    case 'GET /callback':
      return callback(visitor, address, response)
    case 'POST /sign-out': {
      const tokens = await visitor.tokens
      delete visitor.tokens
      if (tokens) await revoke(docket, tokens.refresh)
      return leave(response, '/')
    }
    default:
      return show(response, 404, sorryPage('There is no such page.'))
  }
}

/** Somebody comes back from Docket, or pretends to: without the checks of this visitor it is nothing. */
async function callback(visitor: Visitor, back: URL, response: ServerResponse): Promise<void> {
  const { checks } = visitor
  delete visitor.checks
  if (!checks) return show(response, 400, sorryPage('Nobody here has begun to sign in.'))
  try {
    const tokens = await finish(docket, back, checks)
    return leave(response, '/', visitors.keep({ tokens: Promise.resolve(tokens) }))
  } catch (error) {
    if (!hasEnded(error)) throw error
    return show(response, 403, sorryPage('You did not allow it, or waited for too long.'))
  }
}

async function home(visitor: Visitor, response: ServerResponse): Promise<void> {
  const tasks = await tasksOf(visitor)
  return show(response, 200, tasks ? tasksPage(tasks) : signInPage())
}

/** Undefined where the visitor is not signed in, or not any more. */
async function tasksOf(visitor: Visitor) {
  const tokens = await visitor.tokens
  if (!tokens) return undefined
  try {
    const fresh = tokens.until > Date.now() ? tokens : await renewed(visitor, tokens)
    const tasks = await openTasks(docket, fresh.access)
    return tasks ?? (await openTasks(docket, (await renewed(visitor, fresh)).access))
  } catch (error) {
    if (!hasEnded(error)) throw error
    delete visitor.tokens
    return undefined
  }
}

/** Renews the tokens, once for all who found the same old ones. */
async function renewed(visitor: Visitor, old: Tokens): Promise<Tokens> {
  const { tokens } = visitor
  const found = await tokens
  if (tokens === visitor.tokens && found === old) {
    visitor.tokens = renew(docket, old.refresh)
    // A Docket that is away for a moment is no reason to sign in again.
    visitor.tokens.catch((error) => {
      if (!hasEnded(error)) visitor.tokens = Promise.resolve(old)
    })
  }
  return (await visitor.tokens) ?? old
}

function show(response: ServerResponse, status: number, page: string): void {
  const headers = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }
  response.writeHead(status, { ...headers, 'referrer-policy': 'no-referrer' }).end(page)
}

function leave(response: ServerResponse, location: string, cookie?: string): void {
  response.writeHead(303, { location, ...(cookie && { 'set-cookie': cookie }) }).end()
}
