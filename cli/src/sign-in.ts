import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { text as readAll } from 'node:stream/consumers'
import { describeConnectionFailure } from '../../sdk/src/errors.ts'
import { Docket, getMe, type Me, type Scope } from '../../sdk/src/index.ts'
import {
  createAuthorizationRequest,
  createMemoryStore,
  createTokenSource,
  exchangeCode,
  type OAuthGrant,
  signOut,
} from '../../sdk/src/oauth.ts'
import { fetchThroughProxy } from '../../sdk/src/proxy.ts'
import type { CommandContext, CommandDefinition } from './command.ts'
import {
  applicationAt,
  grantStore,
  isLoopbackHost,
  parseOrigin,
  profileName,
  readConfig,
  removeGrantFile,
  writeConfig,
} from './config.ts'
import { CommandFailure, CommandUsageError } from './failures.ts'
import { ask, askSecret, openInBrowser } from './output.ts'

async function login({ input, output, profile }: CommandContext) {
  const name = profileName(profile)
  const address = input.text('url') ?? process.env.DOCKET_URL
  const url = parseOrigin(address ?? (await ask('Address of the server:', '--url')), '--url')
  if (url.startsWith('http:') && !isLoopbackHost(new URL(url).hostname)) {
    output.note(`${url} is not encrypted: everybody on the way can read your sign-in and tasks.`)
  }
  const key = await readKey(input, url)
  if (key === undefined && !process.stderr.isTTY && !input.flag('no-browser')) {
    throw input.wrong('There is no terminal. Give --key-stdin and the key on standard input.')
  }
  const store = key === undefined ? grantStore(name, url) : undefined
  const grant = store && (await signInWithBrowser(input, url))
  // Until the server has accepted it, the grant of the earlier sign-in stays.
  const memory = createMemoryStore(grant)
  const token = key ?? createTokenSource(applicationAt(url), memory)
  const me = await getMe(new Docket({ baseUrl: url, token }))
  if (store) await store.withLock(async () => store.write(await memory.read()))
  else removeGrantFile(name)
  const config = readConfig()
  const ids = { user_id: me.user.id, workspace_id: me.workspace.id }
  config.profiles[name] = { url, ...ids, ...(key !== undefined && { key }) }
  writeConfig(config)
  await output.result(describeMe(me, url), sentence(me, url))
}

/** An API key, if the person wants to sign in with one. */
async function readKey(input: CommandContext['input'], url: string): Promise<string | undefined> {
  if (!input.flag('key') && !input.flag('key-stdin')) return undefined
  const key = input.flag('key-stdin')
    ? (await readAll(process.stdin)).trim()
    : await askSecret(
        `Create an API key at ${url}/settings/api-keys.\nAPI key (not shown):`,
        '--key-stdin and the key on standard input',
      )
  // Another text may be a password, and belongs to no server.
  if (!/^dkt_\w+$/.test(key)) throw new CommandUsageError('An API key begins with dkt_.')
  return key
}

const SIGN_IN_TIMEOUT_MS = 5 * 60_000

/** Signs the person in with the browser, which comes back to this process (RFC 8252 §7.3). */
async function signInWithBrowser(input: CommandContext['input'], url: string): Promise<OAuthGrant> {
  const application = applicationAt(url)
  const scopes = await readScopes(url, input.flag('read-only') ? ':read' : '')
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const redirectUri = `http://127.0.0.1:${port}/callback`
  const request = await createAuthorizationRequest(application, { redirectUri, scopes })
  const grant = new Promise<OAuthGrant>((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new CommandFailure('timeout', 'Nobody has signed in within five minutes.'))
    }, SIGN_IN_TIMEOUT_MS)
    let exchange: Promise<OAuthGrant> | undefined
    server.on('request', async ({ url: path = '' }, response) => {
      // Every page that the browser shows can send requests here, but only Docket knows the state.
      const state = URL.canParse(path, redirectUri)
        ? new URL(path, redirectUri).searchParams.get('state')
        : null
      if (state !== request.state) return answer(response, 404, 'Not found')
      clearTimeout(timer)
      // Once, also if the page is reloaded meanwhile: a code that is used twice ends the authorization.
      exchange ??= exchangeCode(application, path, request)
      try {
        const result = await exchange
        answer(response, 200, 'You are signed in. You can close this window.')
        resolve(result)
      } catch (error) {
        answer(response, 400, 'The sign-in has failed. The terminal says why.')
        reject(error)
      }
    })
  })
  process.stderr.write(`To sign in, open this address in your browser:\n\n${request.url}\n\n`)
  if (!input.flag('no-browser')) openInBrowser(request.url)
  try {
    return await grant
  } finally {
    server.close()
  }
}

function answer(response: ServerResponse, status: number, text: string) {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
  response.end(text)
}

const DISCOVERY_TIMEOUT_MS = 10_000

/** The scopes of an installation (RFC 8414) that end so. */
async function readScopes(url: string, ending: string): Promise<Scope[]> {
  const address = `${url}/.well-known/oauth-authorization-server`
  const signal = AbortSignal.timeout(DISCOVERY_TIMEOUT_MS)
  let text: string
  try {
    text = await (await fetchThroughProxy(address, { signal, redirect: 'manual' })).text()
  } catch (error) {
    const message = `No answer from ${url}: ${describeConnectionFailure(error)}`
    throw new CommandFailure('network_error', message)
  }
  try {
    const { scopes_supported }: { scopes_supported: Scope[] } = JSON.parse(text)
    return scopes_supported.filter((scope) => scope.endsWith(ending))
  } catch {
    const message = `There is no Docket at ${url}: something else answers there.`
    throw new CommandFailure('not_docket', message)
  }
}

const describeMe = ({ user, workspace, credential }: Me, url: string) => ({
  url,
  user: { id: user.id, name: user.name, role: user.role },
  workspace: { id: workspace.id, name: workspace.name },
  scopes: credential.scopes,
})

const sentence = ({ user, workspace }: Me, url: string): string =>
  `You are ${user.name} (${user.role}) in ${workspace.name} at ${url}.`

async function logout({ output, profile }: CommandContext) {
  const name = profileName(profile)
  const config = readConfig()
  const stored = config.profiles[name]
  if (!stored) return output.result(null, 'You were not signed in.')
  delete config.profiles[name]
  writeConfig(config)
  if (stored.key === undefined) {
    const store = grantStore(name, stored.url)
    try {
      await signOut(applicationAt(stored.url), store)
    } finally {
      await store.withLock(() => store.write(undefined))
    }
  }
  const hint = `The key remains valid until you delete it at ${stored.url}/settings/api-keys.`
  const text = `Signed out of ${stored.url}.${stored.key === undefined ? '' : ` ${hint}`}`
  await output.result({ profile: name, url: stored.url }, text)
}

async function whoami({ output, connect }: CommandContext) {
  const { docket } = connect()
  const me = await getMe(docket)
  const text = `${sentence(me, docket.baseUrl)}\nScopes: ${me.credential.scopes.join(', ')}`
  await output.result(describeMe(me, docket.baseUrl), text)
}

/** Commands that sign in and out. */
export const SIGN_IN_COMMANDS: readonly CommandDefinition[] = [
  {
    name: 'login',
    summary: 'Sign in to a server with the browser, or with an API key',
    details:
      'What is stored in ~/.config/docket is for you alone to read. With --profile you can be signed in to several servers or workspaces.',
    options: {
      url: { value: 'URL', about: 'Address of the server; default: DOCKET_URL' },
      'read-only': { about: 'Ask for the rights to read only' },
      'no-browser': { about: 'Only print the address to open on this computer' },
      key: { about: 'Ask for an API key, for example where there is no browser' },
      'key-stdin': { about: 'Read an API key from standard input' },
    },
    run: login,
  },
  { name: 'logout', summary: 'Sign out, and forget what is stored', run: logout },
  { name: 'whoami', summary: 'Show who is signed in, and with which scopes', run: whoami },
]
