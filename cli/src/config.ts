import { createHash, randomUUID } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { Docket, getMe, type Me } from '../../sdk/src/index.ts'
import type { CommandContext, CommandDefinition } from './command.ts'
import { CommandFailure, NotSignedInError, WrongUsageError } from './failures.ts'
import { ask, askSecret } from './output.ts'

/** A server, a person and a credential that are stored under a name. */
interface SignInProfile {
  url: string
  key: string
  user: string
  workspace: string
}

interface StoredConfig {
  profiles: Record<string, SignInProfile>
}

/** A server with the credential for it. */
export interface Connection {
  docket: Docket
  /** Tells apart the servers and persons whose writes can be undone. It contains no secret. */
  owner: string
}

const DEFAULT_PROFILE = 'default'

/** A folder of this person, by the rules of XDG. */
const personalFile = (variable: string, fallback: string, name: string): string =>
  join(process.env[variable] || join(homedir(), fallback), 'docket', name)

/** The file with the stored sign-ins. */
export const configFile = (): string => personalFile('XDG_CONFIG_HOME', '.config', 'config.json')

/** A file with what the command line remembers between two runs. */
export const stateFile = (name: string): string =>
  personalFile('XDG_STATE_HOME', '.local/state', name)

/** Reads a file; undefined if there is none. */
export function readPersonalFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw new CommandFailure('file_unreadable', `Cannot read ${path}: ${String(error)}`)
  }
}

/** Replaces a file that only this person can read, as a whole. */
export function writePersonalFile(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const draft = `${path}.${randomUUID()}`
  try {
    writeFileSync(draft, content, { mode: 0o600, flag: 'wx' })
    // The umask takes rights away and gives none, so this is only for a file system without them.
    chmodSync(draft, 0o600)
    renameSync(draft, path)
  } catch (error) {
    rmSync(draft, { force: true })
    throw new CommandFailure('file_unwritable', `Cannot write ${path}: ${String(error)}`)
  }
}

function readConfig(): StoredConfig {
  const content = readPersonalFile(configFile())
  if (content === undefined) return { profiles: {} }
  try {
    const config: StoredConfig = JSON.parse(content)
    return { profiles: { ...config.profiles } }
  } catch {
    throw new CommandFailure('file_unreadable', `${configFile()} is not JSON. Repair or delete it.`)
  }
}

const writeConfig = (config: StoredConfig): void =>
  writePersonalFile(configFile(), `${JSON.stringify(config, undefined, 2)}\n`)

const profileName = (given: string | undefined): string =>
  given ?? (process.env.DOCKET_PROFILE || DEFAULT_PROFILE)

/** The origin of a server. */
function parseOrigin(text: string, name: string): string {
  const scheme = /^(localhost|127\.|\[::1\])/.test(text) ? 'http' : 'https'
  const address = /^https?:\/\//.test(text) ? text : `${scheme}://${text}`
  if (URL.canParse(address) && /^https?:\/\/[^/?#]+\/?$/.test(address))
    return new URL(address).origin
  throw new WrongUsageError(`${name} must be an address such as https://docket.example.com.`)
}

/** The server and the credential: those of the environment before those of the profile. */
export function connect(profileOption: string | undefined, maxRetries?: number): Connection {
  const name = profileName(profileOption)
  const profile = readConfig().profiles[name]
  const { DOCKET_URL, DOCKET_KEY } = process.env
  const url = DOCKET_URL ? parseOrigin(DOCKET_URL, 'DOCKET_URL') : profile?.url
  if (url === undefined) {
    const message = DOCKET_KEY
      ? 'Set DOCKET_URL to the address of the server of DOCKET_KEY.'
      : `You are not signed in${name === DEFAULT_PROFILE ? '' : ` under the profile ${name}`}. Run docket login, or set DOCKET_URL and DOCKET_KEY.`
    throw new NotSignedInError(message)
  }
  // The stored key is only for the server that it was stored for.
  const key = DOCKET_KEY || (profile?.url === url ? profile.key : undefined)
  if (key === undefined) throw new NotSignedInError(`You are not signed in to ${url}.`)
  const hash = createHash('sha256').update(key).digest('hex').slice(0, 12)
  return {
    docket: new Docket({ baseUrl: url, token: key, ...(maxRetries && { maxRetries }) }),
    owner: `${url} ${hash}`,
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

async function login({ input, output, profile }: CommandContext) {
  const given = input.text('url') ?? process.env.DOCKET_URL
  const url = parseOrigin(given ?? (await ask('Address of the server:', '--url')), '--url')
  if (!input.flag('key-stdin')) {
    output.note(`Create an API key at ${url}/settings/api-keys and copy it.`)
  }
  const key = input.flag('key-stdin')
    ? (await readAll(process.stdin)).trim()
    : await askSecret('API key (not shown):', '--key-stdin and the key on standard input')
  // Another text may be a password, and belongs to no server.
  if (!/^dkt_\w+$/.test(key)) throw new WrongUsageError('An API key begins with dkt_.')
  const me = await getMe(new Docket({ baseUrl: url, token: key }))
  const config = readConfig()
  const stored = { url, key, user: me.user.name, workspace: me.workspace.name }
  config.profiles[profileName(profile)] = stored
  writeConfig(config)
  await output.result(describeMe(me, url), sentence(me, url))
}

async function logout({ output, profile }: CommandContext) {
  const name = profileName(profile)
  const config = readConfig()
  const stored = config.profiles[name]
  delete config.profiles[name]
  if (stored) writeConfig(config)
  const text = stored
    ? `Signed out of ${stored.url} here. The key remains valid until you delete it at ${stored.url}/settings/api-keys.`
    : 'You were not signed in.'
  await output.result({ profile: name, url: stored?.url ?? null }, text)
}

async function whoami({ output, connect }: CommandContext) {
  const { docket } = connect()
  const me = await getMe(docket)
  const text = `${sentence(me, docket.baseUrl)}\nScopes: ${me.credential.scopes.join(', ')}`
  await output.result(describeMe(me, docket.baseUrl), text)
}

/** Who uses the command line, and on which server. */
export const SIGN_IN_COMMANDS: readonly CommandDefinition[] = [
  {
    name: 'login',
    summary: 'Sign in to a server with an API key',
    details:
      'Asks for an API key, checks it and stores it in ~/.config/docket/config.json, which only you can read. With --profile you can be signed in to several servers or workspaces.',
    options: {
      url: { value: 'URL', about: 'Address of the server; default: DOCKET_URL' },
      'key-stdin': { about: 'Read the key from standard input' },
    },
    run: login,
  },
  { name: 'logout', summary: 'Forget the stored key', run: logout },
  { name: 'whoami', summary: 'Show who is signed in, and with which scopes', run: whoami },
]
