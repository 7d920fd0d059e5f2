import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { openFiles } from '#files/open.ts'
import type { S3 } from '#files/s3.ts'
import type { MailSettings } from '#mail/open.ts'
import { verifyMail } from '#mail/verify.ts'
import { type Finding, findings, wordsOf } from './finding.ts'

const PATIENCE_MS = 5_000
const BUCKET_MS = 10_000

/** Greets the mail server. */
export async function lookAtMail(settings: MailSettings | undefined): Promise<Finding> {
  const { ok, failed } = findings('mail')
  if (!settings) return ok('not set up: the operator resets passwords')
  const { host } = new URL(settings.url)
  try {
    await verifyMail(settings)
    return ok(`${host} takes mails`)
  } catch (error) {
    const how = 'Check DOCKET_SMTP_URL: address, port, name, password, and a firewall between.'
    return failed(`${host}: ${wordsOf(error)}`, how)
  }
}

/** Asks for the first of the files, where they are in a bucket. */
export async function lookAtBucket(dataDir: string, s3: S3 | undefined): Promise<Finding> {
  const { ok, failed } = findings('files')
  if (!s3) return ok('in the data directory')
  const files = openFiles({ dataDir, s3 })
  const late = new AbortController()
  try {
    const first = files.list()[Symbol.asyncIterator]().next()
    const silence = pause(BUCKET_MS, undefined, { signal: late.signal }).then(() => {
      throw new Error('It does not answer')
    })
    silence.catch(() => {})
    await Promise.race([first, silence])
    return ok(`the bucket ${s3.bucket} at ${s3.endpoint} can be listed`)
  } catch (error) {
    const how =
      'Check DOCKET_S3_…: the endpoint, that the bucket is there, and the rights of the key.'
    return failed(`${s3.bucket} at ${s3.endpoint}: ${wordsOf(error)}`, how)
  } finally {
    late.abort()
  }
}

/** Asks Redis how much of a minute that nobody spends is left, where limits are counted there. */
export async function lookAtCounters(redisUrl: string | undefined): Promise<Finding> {
  const { ok, failed } = findings('limits')
  if (redisUrl === undefined) return ok('counted by Docket itself')
  const { host } = new URL(redisUrl)
  // Its client takes time that a command without Redis does without.
  const { redisStore } = await import('#limits/redis.ts')
  const counters = redisStore(redisUrl)
  const nothing = { name: 'doctor', end: Date.now() + 60_000, limit: 1, wanted: 0 }
  const late = new AbortController()
  try {
    const silence = pause(PATIENCE_MS, undefined, { signal: late.signal }).then(() => {
      throw new Error('It does not answer')
    })
    silence.catch(() => {})
    await Promise.race([counters.ready().then(() => counters.take([nothing])), silence])
    return ok(`counted in ${host}`)
  } catch (error) {
    const how = 'Check DOCKET_REDIS_URL: until it answers, each process counts alone.'
    return failed(`${host}: ${wordsOf(error)}`, how)
  } finally {
    late.abort()
    await counters.close()
  }
}

/** How others come here. */
export interface Door {
  host: string
  port: number
  baseUrl: string
  /** Whether all of it is on this machine only. */
  loopback: boolean
  trustProxy: number
}

/** Whether the base URL leads here; `running`: a server is known to run. */
export async function lookAtBaseUrl(door: Door, running: boolean): Promise<Finding[]> {
  const { ok, warning, failed } = findings('base URL')
  const { baseUrl } = door
  const { hostname } = new URL(baseUrl)
  if (isIP(hostname.replace(/^\[|\]$/g, '')) === 0) {
    try {
      await lookup(hostname)
    } catch (error) {
      const how = `Make a DNS record for ${hostname}, or correct DOCKET_BASE_URL.`
      return [failed(`${hostname} does not resolve: ${wordsOf(error)}`, how), ...hints(door)]
    }
  }
  const answer = await askReady(baseUrl)
  if (answer === 'ready') return [ok(`${baseUrl} answers, and is ready`), ...hints(door)]
  if (answer === 'unavailable') {
    const how = 'Look at the log of the server; it may be starting or stopping.'
    return [failed(`${baseUrl} answers, and is not ready`, how), ...hints(door)]
  }
  if (answer === 'strange') {
    const how = 'Something else is at this address: check DOCKET_BASE_URL, DOCKET_PORT, the proxy.'
    return [failed(`${baseUrl}/readyz is not answered by Docket`, how), ...hints(door)]
  }
  const said = `${baseUrl}: ${wordsOf(answer)}`
  const how = 'A server runs: check the proxy, its certificate, and DOCKET_BASE_URL.'
  if (running || (await isServed(door))) return [failed(said, how), ...hints(door)]
  return [warning(`no server runs (${said})`, 'Start it, and ask again.'), ...hints(door)]
}

/** What the server says of itself at an address: `strange`: it is none of ours; an error: it says nothing. */
async function askReady(origin: string): Promise<'ready' | 'unavailable' | 'strange' | Error> {
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS)
    const reply = await fetch(`${origin}/readyz`, { redirect: 'manual', signal })
    const body: unknown = await reply.json().catch(() => undefined)
    const status = typeof body === 'object' && body !== null && 'status' in body && body.status
    return status === 'ready' || status === 'unavailable' ? status : 'strange'
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

const isServed = async ({ host, port }: Door): Promise<boolean> => {
  const near = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host
  const answer = await askReady(`http://${near.includes(':') ? `[${near}]` : near}:${port}`)
  return answer === 'ready' || answer === 'unavailable'
}

function hints({ baseUrl, loopback, trustProxy }: Door): Finding[] {
  const { ok, warning } = findings('https')
  if (loopback) return [ok('not needed: it serves this machine only')]
  if (baseUrl.startsWith('http:')) {
    const how = 'Put a proxy with TLS in front, and set DOCKET_BASE_URL to its https address.'
    return [warning(`${baseUrl}: passwords and sessions travel for all to read`, how)]
  }
  if (trustProxy > 0) return [ok(`${baseUrl} behind ${trustProxy} of your proxies`)]
  const how = 'Set DOCKET_TRUST_PROXY to the number of proxies that TLS passes through.'
  return [warning('everybody seems to come from the address of the proxy', how)]
}
