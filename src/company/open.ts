import * as client from 'openid-client'
import type { Claims, Company } from '#core/company.ts'
import { Refusal } from '#core/refusal.ts'
import { boundedFetch, isUnreached } from './fetch.ts'

export interface CompanySettings extends Pick<Company, 'name' | 'only' | 'newcomers'> {
  issuer: string
  clientId: string
  /** Undefined: a public client, by PKCE alone. */
  clientSecret: string | undefined
  scopes: string
  /** Lower-case; empty: any. */
  domains: readonly string[]
}

interface Log {
  error(about: object, message: string): void
}

/** What a provider says of itself is believed so long, and that it is gone. */
const BELIEVED_MS = 60 * 60 * 1000
const GONE_MS = 10_000
const TIMEOUT_S = 10

/** What is kept of a sign-in while the browser is away. */
interface Kept {
  state: string
  nonce: string
  verifier: string
}

/** Opens the way to the company's provider; undefined where none is set. Nothing is asked before it is needed. */
export function openCompany(
  settings: CompanySettings | undefined,
  baseUrl: string,
  log: Log,
): Company | undefined {
  if (!settings) return undefined
  const { name, only, newcomers, scopes: scope, domains } = settings
  const redirect_uri = `${baseUrl}/sign-in/company`
  const provider = remembered(() => discovered(settings))
  const asking = async <T>(work: (config: client.Configuration) => Promise<T>): Promise<T> => {
    try {
      return await work(await provider())
    } catch (error) {
      throw told(error, log)
    }
  }
  return {
    ...{ name, only, newcomers },
    begin: () =>
      asking(async (config) => {
        const verifier = client.randomPKCECodeVerifier()
        const kept: Kept = { state: client.randomState(), nonce: client.randomNonce(), verifier }
        const url = client.buildAuthorizationUrl(config, {
          ...{ redirect_uri, scope, state: kept.state, nonce: kept.nonce },
          code_challenge: await client.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
        })
        return { url: url.href, kept: JSON.stringify(kept) }
      }),
    finish: (text, { code, state, iss }) =>
      asking(async (config) => {
        const kept = JSON.parse(text) as Kept
        const back = new URL(redirect_uri)
        const answer = { code, state, ...(iss !== undefined && { iss }) }
        back.search = new URLSearchParams(answer).toString()
        const tokens = await client.authorizationCodeGrant(config, back, {
          expectedState: kept.state,
          expectedNonce: kept.nonce,
          pkceCodeVerifier: kept.verifier,
          idTokenExpected: true,
        })
        const signed = tokens.claims()
        if (!signed) throw failed()
        // Some tell the address by this alone; it is bound to the subject that was signed.
        const more =
          signed.email === undefined && config.serverMetadata().userinfo_endpoint !== undefined
            ? await client.fetchUserInfo(config, tokens.access_token, signed.sub)
            : {}
        const claims = claimsFrom({ ...more, ...signed }, signed.iss, signed.sub)
        if (domains.length > 0 && !domains.includes(claims.email?.split('@')[1] ?? '')) {
          throw foreign()
        }
        return claims
      }),
  }
}

async function discovered(settings: CompanySettings): Promise<client.Configuration> {
  const { issuer, clientId, clientSecret } = settings
  const isPlain = issuer.startsWith('http:')
  return client.discovery(
    new URL(issuer),
    clientId,
    undefined,
    clientSecret === undefined ? client.None() : client.ClientSecretBasic(clientSecret),
    {
      timeout: TIMEOUT_S,
      [client.customFetch]: boundedFetch,
      // The settings allow it on this machine alone.
      ...(isPlain && { execute: [client.allowInsecureRequests] }),
    },
  )
}

/** The same answer for a while; of many who ask at once one goes, and a failure is remembered shortly. */
function remembered<T>(find: () => Promise<T>): () => Promise<T> {
  let found: Promise<T> | undefined
  let until = 0
  return () => {
    if (found && Date.now() < until) return found
    until = Number.POSITIVE_INFINITY
    const asked = find()
    found = asked
    asked.then(
      () => {
        until = Date.now() + BELIEVED_MS
      },
      () => {
        until = Date.now() + GONE_MS
      },
    )
    return asked
  }
}

function claimsFrom(told: Record<string, unknown>, issuer: string, subject: string): Claims {
  const text = (value: unknown) => (typeof value === 'string' ? value.trim() : '')
  // Some write it as a text.
  const isVerified =
    told.email_verified === true || told.email_verified === 'true' || isEntras(told, issuer)
  const email = isVerified ? text(told.email).toLowerCase() : ''
  const name = text(told.name) || text(told.preferred_username) || email.split('@')[0] || 'Somebody'
  const fits = /^[^@\s\p{Cc}]+@[^@\s\p{Cc}]+$/u.test(email) && email.length <= 254
  return {
    ...{ issuer, subject },
    email: fits ? email : null,
    name: [...name.replace(/\p{Cc}/gu, ' ')].slice(0, 100).join(''),
  }
}

/** Entra ID tells in a claim of its own whether the domain of the address is the company's. */
const isEntras = ({ xms_edov }: Record<string, unknown>, issuer: string): boolean =>
  issuer.startsWith('https://login.microsoftonline.com/') && /^(true|1)$/.test(String(xms_edov))

/** What the person hears; the operator hears why, and never a code or a token. */
function told(error: unknown, log: Log): unknown {
  if (error instanceof Refusal) return error
  const why = { code: codeOf(error), reason: error instanceof Error ? error.message : '' }
  if (isUnreached(error)) {
    log.error(why, "The company's sign-in cannot be reached")
    return gone()
  }
  log.error(why, "A sign-in by the company's provider has failed")
  return failed()
}

function codeOf(error: unknown): string {
  if (error instanceof client.ResponseBodyError) return error.error
  return error instanceof client.ClientError ? (error.code ?? '') : ''
}

const gone = () =>
  new Refusal(503, 'unavailable', "The company's sign-in does not answer. Try again in a moment.", {
    headers: { 'retry-after': String(GONE_MS / 1000) },
  })

const failed = () =>
  new Refusal(
    401,
    'company_sign_in_failed',
    "The company's sign-in did not work out: begin it anew.",
  )

const foreign = () =>
  new Refusal(
    403,
    'company_email_refused',
    'Only verified addresses of certain domains come in here.',
  )
