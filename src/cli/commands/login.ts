import { randomBytes } from 'node:crypto'
import { ApiError, validationFailed } from '#core/api-error.ts'
import type { Me } from '#resources/me/contract.ts'
import { fieldError } from '#wire/field-error.ts'
import { Flag, MultilineText, Optional, SingleLineText } from '#wire/schema-builders.ts'
import { defineCommand, parseScopesOption, ScopesOption } from '../arguments.ts'
import type { CliInstallation } from '../installation.ts'
import {
  type ApiRequest,
  type CliCredentials,
  deleteCredentials,
  readCredentials,
  requestAsUser,
  requestWithToken,
  requireCredentials,
  saveCredentials,
} from '../sign-in/api-client.ts'
import {
  CLI_CLIENT_ID,
  discoverOAuthServer,
  listenForCallback,
  openBrowser,
} from '../sign-in/oauth-client.ts'

const login = defineCommand({
  name: 'login',
  summary: 'Sign in to a Docket server with the browser, to use whoami and api',
  options: {
    url: Optional(
      SingleLineText(1, 2_048, { description: 'URL of the server; default: DOCKET_BASE_URL' }),
    ),
    scopes: Optional(ScopesOption),
    'no-browser': Optional(Flag({ description: 'Only print the URL to open' })),
  },
  async run({ config }, { url: urlOption, scopes = 'full', 'no-browser': noBrowser = false }) {
    const url = urlOption === undefined ? config.baseUrl : parseOrigin(urlOption)
    const scope = parseScopesOption(scopes).join(' ')
    const signIn = await signInWithBrowser(url, scope, noBrowser ? () => {} : openBrowser)
    const { me, ...credentials } = signIn
    const previous = await readCredentials(config.personalDir).catch(() => undefined)
    await saveCredentials(config.personalDir, credentials)
    // The replaced sign-in is revoked. If its Docket is gone, its tokens expire by themselves.
    if (previous) await revoke(previous).catch(() => {})
    return describeUser(url, me)
  },
})

const logout = defineCommand({
  name: 'logout',
  summary: 'Sign out, on this computer and on the server',
  options: {},
  async run({ config: { personalDir } }) {
    const credentials = await requireCredentials(personalDir)
    await deleteCredentials(personalDir)
    const { url } = credentials
    try {
      await revoke(credentials)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      const hint =
        'You are signed out on this computer only. Revoke the authorization under Settings → Integrations.'
      throw new ApiError<string>(error.status, error.code, `${error.message} ${hint}`, {
        cause: error,
      })
    }
    return { url, signed_in: false }
  },
})

const whoami = defineCommand({
  name: 'whoami',
  summary: 'Show who is signed in, and to which server',
  options: {},
  async run({ config }) {
    const { url, body } = await requestAsClient(config, { method: 'GET', path: '/me' })
    return describeUser(url, body as Me)
  },
})

const api = defineCommand({
  name: 'api',
  summary:
    'Send a request to the API, as the signed-in user or with DOCKET_KEY, and print the reply',
  options: {
    method: SingleLineText(1, 20, { description: 'GET, POST, PATCH or DELETE' }),
    path: SingleLineText(1, 8_192, { description: 'Path, such as /tasks?assignee_id=me' }),
    data: Optional(MultilineText(1, 2 ** 20, { description: 'Request body as JSON' })),
  },
  positionals: ['method', 'path'],
  async run({ config }, request, print) {
    const { body } = await requestAsClient(config, request)
    print(body, JSON.stringify(body, undefined, 2))
    return undefined
  },
})

export const loginCommands = [login, logout, whoami, api]

/** Sends a request with the API key in DOCKET_KEY, which scripts set, or else as the signed-in user. */
async function requestAsClient(
  { client, baseUrl, personalDir }: CliInstallation['config'],
  request: ApiRequest,
) {
  if (client.key === undefined) {
    const body = await requestAsUser(personalDir, request)
    return { url: (await requireCredentials(personalDir)).url, body }
  }
  const url = client.url === undefined ? baseUrl : parseOrigin(client.url, 'DOCKET_URL')
  return { url, body: await requestWithToken({ url, access_token: client.key }, request) }
}

/** Opens the sign-in page and waits for the redirect. Returns the credentials and the user. */
async function signInWithBrowser(url: string, scope: string, open: (address: string) => void) {
  const client = await discoverOAuthServer(url)
  const [state, verifier] = [randomToken(), randomToken()]
  const callback = await listenForCallback(state, async (redirect) => {
    const tokens = await client.exchange(redirect, {
      redirect_uri: callback.redirect_uri,
      state,
      verifier,
    })
    const me = (await requestWithToken({ url, ...tokens }, { method: 'GET', path: '/me' })) as Me
    const ids = { user_id: me.user.id, workspace_id: me.workspace.id }
    return { url, client_id: CLI_CLIENT_ID, ...ids, ...tokens, me }
  })
  try {
    const address = await client.authorizationUrl(
      { redirect_uri: callback.redirect_uri, state, verifier },
      scope,
    )
    console.error(`To sign in, open this URL in your browser:\n\n${address}\n`)
    open(address)
    return await callback.result
  } finally {
    callback.close()
  }
}

const randomToken = () => randomBytes(32).toString('base64url')

const revoke = async ({ url, refresh_token }: CliCredentials) =>
  (await discoverOAuthServer(url)).revoke(refresh_token)

const describeUser = (url: string, { user, workspace, credential }: Me) => ({
  url,
  user_id: user.id,
  name: user.name,
  email: user.email,
  role: user.role,
  workspace_id: workspace.id,
  workspace: workspace.name,
  scopes: credential.scopes,
})

function parseOrigin(text: string, name = 'url'): string {
  const url = URL.parse(text)
  if (url && /^https?:$/.test(url.protocol) && text.replace(/\/$/, '') === url.origin) {
    return url.origin
  }
  const why = 'must be a URL without a path, such as https://docket.example.com'
  throw validationFailed(fieldError(name, 'invalid_value', why))
}
