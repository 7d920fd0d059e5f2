import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { openFiles } from '#files/open.ts'
import type { S3Settings } from '#files/s3-settings.ts'
import type { MailSettings } from '#mail/mail-settings.ts'
import { verifyMail } from '#mail/smtp.ts'
import { createFindings, describeError, type Finding } from './finding.ts'

const REQUEST_TIMEOUT_MS = 5_000
const BUCKET_TIMEOUT_MS = 10_000

/** Connects to the mail server. */
export async function checkMail(settings: MailSettings | undefined): Promise<Finding> {
  const { ok, failed } = createFindings('mail')
  if (!settings) return ok('not configured; reset passwords with docket user reset-password')
  const { host } = new URL(settings.url)
  try {
    await verifyMail(settings)
    return ok(`${host} accepts email`)
  } catch (error) {
    const how = 'Check DOCKET_SMTP_URL (host, port, user, password) and firewalls on the way.'
    return failed(`${host}: ${describeError(error)}`, how)
  }
}

/** Lists the first file, if files are in a bucket. */
export async function checkBucket(dataDir: string, s3: S3Settings | undefined): Promise<Finding> {
  const { ok, failed } = createFindings('files')
  if (!s3) return ok('stored in the data directory')
  const files = openFiles({ dataDir, s3 })
  const timeout = new AbortController()
  try {
    const first = files.list()[Symbol.asyncIterator]().next()
    const timedOut = pause(BUCKET_TIMEOUT_MS, undefined, { signal: timeout.signal }).then(() => {
      throw new Error('No response within the timeout')
    })
    timedOut.catch(() => {})
    await Promise.race([first, timedOut])
    return ok(`bucket ${s3.bucket} at ${s3.endpoint} is accessible`)
  } catch (error) {
    const how =
      'Check the DOCKET_S3_… settings: the endpoint, that the bucket exists, and the permissions of the key.'
    return failed(`${s3.bucket} at ${s3.endpoint}: ${describeError(error)}`, how)
  } finally {
    timeout.abort()
  }
}

/** The address under which clients reach the server. */
export interface PublicAddress {
  host: string
  port: number
  baseUrl: string
  /** Whether only this machine can reach it. */
  loopback: boolean
  trustProxy: number
}

/** Checks that the base URL leads to this server. `isRunning`: a server is known to run. */
export async function checkBaseUrl(address: PublicAddress, isRunning: boolean): Promise<Finding[]> {
  const { ok, warning, failed } = createFindings('base URL')
  const { baseUrl } = address
  const { hostname } = new URL(baseUrl)
  if (isIP(hostname.replace(/^\[|\]$/g, '')) === 0) {
    try {
      await lookup(hostname)
    } catch (error) {
      const how = `Create a DNS record for ${hostname}, or correct DOCKET_BASE_URL.`
      return [
        failed(`${hostname} does not resolve: ${describeError(error)}`, how),
        ...checkHttps(address),
      ]
    }
  }
  const readiness = await fetchReadiness(baseUrl)
  if (readiness === 'ready') return [ok(`${baseUrl} responds and is ready`), ...checkHttps(address)]
  if (readiness === 'unavailable') {
    const how = 'Check the log of the server; it may be starting or stopping.'
    return [failed(`${baseUrl} responds but is not ready`, how), ...checkHttps(address)]
  }
  if (readiness === 'strange') {
    const how =
      'Another program responds at this address: check DOCKET_BASE_URL, DOCKET_PORT and the proxy.'
    return [
      failed(`the response of ${baseUrl}/readyz is not from Docket`, how),
      ...checkHttps(address),
    ]
  }
  const problem = `${baseUrl}: ${describeError(readiness)}`
  const how = 'The server is running: check the proxy, its certificate and DOCKET_BASE_URL.'
  if (isRunning || (await isListening(address)))
    return [failed(problem, how), ...checkHttps(address)]
  return [
    warning(`no server is running (${problem})`, 'Start the server, and run docket doctor again.'),
    ...checkHttps(address),
  ]
}

/** Asks `/readyz`. `strange` is an answer that is not from Docket; an error means no answer. */
async function fetchReadiness(
  origin: string,
): Promise<'ready' | 'unavailable' | 'strange' | Error> {
  try {
    const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS)
    const reply = await fetch(`${origin}/readyz`, { redirect: 'manual', signal })
    const body: unknown = await reply.json().catch(() => undefined)
    const status = typeof body === 'object' && body !== null && 'status' in body && body.status
    return status === 'ready' || status === 'unavailable' ? status : 'strange'
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

const isListening = async ({ host, port }: PublicAddress): Promise<boolean> => {
  const localHost = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host
  const authority = `${localHost.includes(':') ? `[${localHost}]` : localHost}:${port}`
  const readiness = await fetchReadiness(`http://${authority}`)
  return readiness === 'ready' || readiness === 'unavailable'
}

function checkHttps({ baseUrl, loopback, trustProxy }: PublicAddress): Finding[] {
  const { ok, warning } = createFindings('https')
  if (loopback) return [ok('not needed: Docket serves this machine only')]
  if (baseUrl.startsWith('http:')) {
    const how = 'Use a proxy with TLS, and set DOCKET_BASE_URL to its https URL.'
    return [warning(`${baseUrl}: passwords and sessions are sent unencrypted`, how)]
  }
  if (trustProxy > 0)
    return [ok(`${baseUrl} with ${trustProxy} trusted ${trustProxy === 1 ? 'proxy' : 'proxies'}`)]
  const how = 'Set DOCKET_TRUST_PROXY to the number of proxies in front of Docket.'
  return [warning('all clients appear to have the IP address of the proxy', how)]
}
