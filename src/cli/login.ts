import { randomBytes } from 'node:crypto'
import { invalid, Refusal } from '#core/refusal.ts'
import type { Me } from '#resources/me/contract.ts'
import { fault } from '#wire/fault.ts'
import { Flag, Line, Optional, Text } from '#wire/schema.ts'
import { ask, askAsPerson } from './ask.ts'
import { authorizationAt, CLIENT_ID } from './authorization.ts'
import { openBrowser, openCallback } from './callback.ts'
import { command } from './command.ts'
import {
  type Credentials,
  credentialsIn,
  dropCredentials,
  keepCredentials,
  readCredentials,
} from './credentials.ts'
import { Scopes, scopesIn } from './options.ts'

const login = command({
  name: 'login',
  summary: 'Sign in at a Docket with the browser, for whoami and api',
  options: {
    url: Optional(Line(1, 2_048, { description: 'Where Docket is; default: the base URL' })),
    scopes: Optional(Scopes),
    'no-browser': Optional(Flag({ description: 'Only print the address to open' })),
  },
  async run({ config }, { url: given, scopes = 'full', 'no-browser': byHand = false }) {
    const url = given === undefined ? config.baseUrl : originIn(given)
    const scope = scopesIn(scopes).join(' ')
    const credentials = await signedIn(url, scope, byHand ? () => {} : openBrowser)
    const { me, ...kept } = credentials
    const before = await readCredentials(config.personalDir).catch(() => undefined)
    await keepCredentials(config.personalDir, kept)
    // What it was for is replaced; where that Docket is gone, it ends by itself.
    if (before) await end(before).catch(() => {})
    return shownOf(url, me)
  },
})

const logout = command({
  name: 'logout',
  summary: 'End the sign-in of docket login, here and at the server',
  options: {},
  async run({ config: { personalDir } }) {
    const credentials = await credentialsIn(personalDir)
    await dropCredentials(personalDir)
    const { url } = credentials
    try {
      await end(credentials)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const elsewhere = 'Signed out here alone: end the rest in the settings, under API access.'
      throw new Refusal(error.status, error.code, `${error.message} ${elsewhere}`, { cause: error })
    }
    return { url, signed_in: false }
  },
})

const whoami = command({
  name: 'whoami',
  summary: 'Tell who is signed in, and where',
  options: {},
  async run({ config: { personalDir } }) {
    const me = await askAsPerson(personalDir, { method: 'GET', path: '/me' })
    return shownOf((await credentialsIn(personalDir)).url, me as Me)
  },
})

const api = command({
  name: 'api',
  summary: 'Send a request to the API as who is signed in, and print the answer',
  options: {
    method: Line(1, 20, { description: 'GET, POST, PATCH or DELETE' }),
    path: Line(1, 8_192, { description: 'Such as /tasks?assignee_id=me' }),
    data: Optional(Text(1, 2 ** 20, { description: 'Body as JSON' })),
  },
  places: ['method', 'path'],
  async run({ config: { personalDir } }, asked, tell) {
    const body = await askAsPerson(personalDir, asked)
    tell(body, JSON.stringify(body, undefined, 2))
    return undefined
  },
})

export const loginCommands = [login, logout, whoami, api]

/** Sends the person to the browser and waits; gives what is to be kept, and whose it is. */
async function signedIn(url: string, scope: string, open: (address: string) => void) {
  const server = await authorizationAt(url)
  const [state, verifier] = [newSecret(), newSecret()]
  const callback = await openCallback(state, async (back) => {
    const tokens = await server.exchange(back, {
      redirect_uri: callback.redirect_uri,
      state,
      verifier,
    })
    const me = (await ask({ url, ...tokens }, { method: 'GET', path: '/me' })) as Me
    const whose = { user_id: me.user.id, workspace_id: me.workspace.id }
    return { url, client_id: CLIENT_ID, ...whose, ...tokens, me }
  })
  try {
    const address = await server.address(
      { redirect_uri: callback.redirect_uri, state, verifier },
      scope,
    )
    console.error(`Sign in, in the browser, at\n\n${address}\n`)
    open(address)
    return await callback.settled
  } finally {
    callback.close()
  }
}

const newSecret = () => randomBytes(32).toString('base64url')

const end = async ({ url, refresh_token }: Credentials) =>
  (await authorizationAt(url)).revoke(refresh_token)

const shownOf = (url: string, { user, workspace, credential }: Me) => ({
  ...{ url, user_id: user.id, name: user.name, email: user.email, role: user.role },
  ...{ workspace_id: workspace.id, workspace: workspace.name, scopes: credential.scopes },
})

function originIn(text: string): string {
  const url = URL.parse(text)
  if (url && /^https?:$/.test(url.protocol) && text.replace(/\/$/, '') === url.origin) {
    return url.origin
  }
  const why = 'must be an address such as https://docket.example.com, without a path'
  throw invalid(fault('url', 'invalid_value', why))
}
