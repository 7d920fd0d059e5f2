import { randomUUID } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { Docket } from '../../sdk/src/index.ts'
import {
  createTokenSource,
  type OAuthApplication,
  type OAuthGrant,
  type OAuthStore,
} from '../../sdk/src/oauth.ts'
import { createFileStore } from '../../sdk/src/oauth-node.ts'
import { CommandFailure, CommandUsageError, NotSignedInError } from './failures.ts'

/** A server, a person and a credential that are stored under a name. */
interface SignInProfile {
  url: string
  user_id: string
  workspace_id: string
  /** An API key. Without it the person has signed in with the browser, and the grant is in a file of its own. */
  key?: string
}

interface StoredConfig {
  profiles: Record<string, SignInProfile>
}

/** A server with the credential for it. */
export interface Connection {
  docket: Docket
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

export function readConfig(): StoredConfig {
  const content = readPersonalFile(configFile())
  if (content === undefined) return { profiles: {} }
  try {
    const config: StoredConfig = JSON.parse(content)
    return { profiles: { ...config.profiles } }
  } catch {
    throw new CommandFailure('file_unreadable', `${configFile()} is not JSON. Repair or delete it.`)
  }
}

export const writeConfig = (config: StoredConfig): void =>
  writePersonalFile(configFile(), `${JSON.stringify(config, undefined, 2)}\n`)

export const profileName = (option: string | undefined): string =>
  option ?? (process.env.DOCKET_PROFILE || DEFAULT_PROFILE)

/** Whether a host is this computer, as its parsed URL names it: `localhost.example.com` is another one. */
export const isLoopbackHost = (host: string): boolean =>
  /^((.+\.)?localhost\.?|127\.\d+\.\d+\.\d+|\[::1\])$/.test(host)

/** The origin of a server. Without a scheme it is https, except on this computer. */
export function parseOrigin(text: string, name: string): string {
  const address = /^https?:\/\//i.test(text) ? text : `http://${text}`
  if (URL.canParse(address) && /^https?:\/\/[^/?#@\\]+\/?$/i.test(address)) {
    const { origin, hostname } = new URL(address)
    const isSecured = address === text || isLoopbackHost(hostname)
    return isSecured ? origin : new URL(`https://${text}`).origin
  }
  throw new CommandUsageError(`${name} must be an address such as https://docket.example.com.`)
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
  // What is stored for one server is not sent to another.
  const stored = profile?.url === url ? profile : undefined
  if (!DOCKET_KEY && !stored) throw new NotSignedInError(`You are not signed in to ${url}.`)
  const key = DOCKET_KEY || stored?.key
  // Such as the quotation marks or the end of a line of a file of settings, which no header can have.
  if (key !== undefined && !/^[!-~]+$/.test(key)) {
    const source = DOCKET_KEY ? 'DOCKET_KEY' : 'The stored key'
    throw new CommandUsageError(`${source} must be an API key, which begins with dkt_.`)
  }
  const token = key ?? createTokenSource(applicationAt(url), grantStore(name, url))
  return {
    docket: new Docket({ baseUrl: url, token, ...(maxRetries && { maxRetries }) }),
  }
}

/** The application that every installation has for the command line. */
export const applicationAt = (baseUrl: string): OAuthApplication => ({
  baseUrl,
  clientId: 'app_00000000000000000000000001',
})

const grantFile = (profile: string): string =>
  join(dirname(configFile()), `grant-${encodeURIComponent(profile)}.json`)

/** Forgets the grant of a profile, for whichever server it is. */
export const removeGrantFile = (profile: string): void =>
  rmSync(grantFile(profile), { force: true })

function openGrantFile(path: string): OAuthStore {
  try {
    return createFileStore(path)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    const advice = 'Sign in with --key, or set XDG_CONFIG_HOME to a shorter folder.'
    throw new CommandFailure('path_too_long', `${error.message}. ${advice}`)
  }
}

/** A grant with the server to which alone its tokens may be sent. */
interface StoredGrant extends OAuthGrant {
  origin?: string
}

/** Keeps the grant of a profile for a server in a file, which processes refresh one at a time. */
export function grantStore(profile: string, origin: string): OAuthStore {
  const file = openGrantFile(grantFile(profile))
  return {
    ...file,
    async read() {
      const grant: StoredGrant | undefined = await file.read()
      return grant?.origin === origin ? grant : undefined
    },
    write(grant) {
      const stored: StoredGrant | undefined = grant && { ...grant, origin }
      return file.write(stored)
    },
  }
}
