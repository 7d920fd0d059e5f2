import type { S3Settings } from '#files/s3.ts'
import type { ReadText } from './env-reader.ts'

const DATABASE_URL_SETTINGS = [
  'DOCKET_DATABASE_URL',
  'DOCKET_DATABASE_LISTEN_URL',
  'DOCKET_DATABASE_REPLICA_URL',
]

/** Checks the URLs of the database. Mistakes never repeat them, because they hold passwords. */
export function checkDatabaseUrls(text: ReadText, mistakes: string[]): void {
  for (const name of DATABASE_URL_SETTINGS) {
    if (!/^postgres(ql)?:\/\//.test(text(name) ?? 'postgres://')) {
      mistakes.push(`${name} must be a URL that begins with postgres://`)
    }
    if (/^postgres(ql)?:\/\/([^/]*@)?[^/@]*,[^/@]*(\/|$)/.test(text(name) ?? '')) {
      mistakes.push(`${name} must name exactly one host; lists of hosts are not supported`)
    }
  }
  if (
    text('DOCKET_DATABASE_REPLICA_URL') !== undefined &&
    text('DOCKET_DATABASE_URL') === undefined
  ) {
    mistakes.push(
      'DOCKET_DATABASE_REPLICA_URL requires DOCKET_DATABASE_URL, the primary of the replica',
    )
  }
}

const S3_SETTING_NAMES = ['ENDPOINT', 'BUCKET', 'REGION', 'ACCESS_KEY_ID', 'SECRET_ACCESS_KEY']

/** Reads the settings of the bucket: all five or none. */
export function readBucket(text: ReadText, mistakes: string[]): S3Settings | undefined {
  const values = S3_SETTING_NAMES.map((name) => text(`DOCKET_S3_${name}`))
  if (values.every((value) => value === undefined)) return undefined
  for (const [at, value] of values.entries()) {
    if (value === undefined) {
      mistakes.push(
        `DOCKET_S3_${S3_SETTING_NAMES[at]} is missing: set all five DOCKET_S3_… settings, or none`,
      )
    }
  }
  const [endpoint = '', bucket = '', region = '', accessKeyId = '', secretAccessKey = ''] = values
  if (endpoint && !isOrigin(endpoint)) {
    mistakes.push(
      `DOCKET_S3_ENDPOINT must be a URL without a path, such as https://s3.example.com, not "${endpoint}"`,
    )
  }
  if (bucket && !/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) {
    mistakes.push(
      `DOCKET_S3_BUCKET must be a bucket name of 3–63 lower-case letters, digits, dots and hyphens, not "${bucket}"`,
    )
  }
  return { endpoint, bucket, region, accessKeyId, secretAccessKey }
}

/** Checks the URL of Redis, which a mistake never repeats, because it may hold a password. */
export function readRedisUrl(url: string | undefined, mistakes: string[]): string | undefined {
  const { protocol = '', hostname = '' } = URL.parse(url ?? '') ?? {}
  if (url !== undefined && (!/^rediss?:$/.test(protocol) || hostname === '')) {
    mistakes.push(
      'DOCKET_REDIS_URL must be a URL that begins with redis:// or rediss:// and names a host',
    )
  }
  return url
}

/** Whether a URL is an origin: without a path and without a slash at the end. */
export function isOrigin(address: string): boolean {
  const url = URL.parse(address)
  return url !== null && /^https?:$/.test(url.protocol) && address === url.origin
}
