import { setTimeout as pause } from 'node:timers/promises'
import type { DatabaseLocation } from '#db/installation/inspect-database.ts'
import { openFiles } from '#files/open.ts'
import type { S3Settings } from '#files/s3-settings.ts'
import type { MailSettings } from '#mail/mail-settings.ts'
import { verifyMail } from '#mail/smtp.ts'
import { checkDataDirectory } from './check-data-directory.ts'
import { checkDatabase } from './check-database.ts'
import { createFindings, describeError, type Finding } from './finding.ts'

/** The installation to check. */
interface DoctorTarget extends DatabaseLocation {
  secret: string | undefined
  mail: MailSettings | undefined
  s3: S3Settings | undefined
  baseUrl: string
  /** Whether only this machine can reach it. */
  loopback: boolean
  /** The number of proxies in front of it. */
  trustProxy: number
}

/** Checks what a start and its first requests need, without changing anything. */
export async function runDoctor(target: DoctorTarget): Promise<Finding[]> {
  // These run before the database check, which reads all pages and blocks everything else.
  const services = await Promise.all([checkMail(target.mail), checkBucket(target)])
  const stored = [...(await checkDataDirectory(target)), ...(await checkDatabase(target))]
  return [checkHttps(target), ...stored, ...services]
}

function checkHttps({ baseUrl, loopback, trustProxy }: DoctorTarget): Finding {
  const { ok, warning } = createFindings('https')
  if (loopback) return ok('not needed: Docket serves this machine only')
  if (baseUrl.startsWith('http:')) {
    const how = 'Use a proxy with TLS, and set DOCKET_BASE_URL to its https URL.'
    return warning(`${baseUrl}: passwords and sessions are sent unencrypted`, how)
  }
  if (trustProxy > 0)
    return ok(`${baseUrl} with ${trustProxy} trusted ${trustProxy === 1 ? 'proxy' : 'proxies'}`)
  const how = 'Set DOCKET_TRUST_PROXY to the number of proxies in front of Docket.'
  return warning('all clients appear to have the IP address of the proxy', how)
}

/** Connects to the mail server. */
async function checkMail(settings: MailSettings | undefined): Promise<Finding> {
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

const BUCKET_TIMEOUT_MS = 10_000

/** Lists the first file, if files are in a bucket. */
async function checkBucket({ dataDir, s3 }: DoctorTarget): Promise<Finding> {
  const { ok, failed } = createFindings('files')
  if (!s3) return ok('stored in the data directory')
  const timeout = new AbortController()
  try {
    const first = openFiles({ dataDir, s3 }).list()[Symbol.asyncIterator]().next()
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
