import type { SettingReader } from '#core/setting-reader.ts'
import { isOrigin } from '#lib/web-origin.ts'

/** A bucket of an S3-compatible store. */
export interface S3Settings {
  /** Origin, such as `https://s3.eu-central-1.amazonaws.com`. */
  endpoint: string
  bucket: string
  region: string
  accessKeyId: string
  secretAccessKey: string
}

/** What follows the prefix in the names of these settings. */
export const S3_SETTING_NAMES = [
  'ENDPOINT',
  'BUCKET',
  'REGION',
  'ACCESS_KEY_ID',
  'SECRET_ACCESS_KEY',
] as const

/** Reads the settings of a bucket whose names begin with `prefix`: all of `names`, or none. */
export function readS3Settings(
  { text, mistakes }: SettingReader,
  prefix: string,
  names: readonly string[] = S3_SETTING_NAMES,
): S3Settings | undefined {
  const values = new Map(names.map((name) => [name, text(prefix + name)]))
  if ([...values.values()].every((value) => value === undefined)) return undefined
  for (const [name, value] of values) {
    if (value === undefined) {
      const count = names.length === 5 ? 'five' : 'four'
      mistakes.push(`${prefix}${name} is missing: set all ${count} ${prefix}… settings, or none`)
    }
  }
  const settingOf = (name: string) => values.get(name) ?? ''
  const [endpoint, bucket] = [settingOf('ENDPOINT'), settingOf('BUCKET')]
  if (endpoint && !isOrigin(endpoint)) {
    mistakes.push(
      `${prefix}ENDPOINT must be a URL without a path, such as https://s3.example.com, not "${endpoint}"`,
    )
  }
  if (bucket && !/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) {
    mistakes.push(
      `${prefix}BUCKET must be a bucket name of 3–63 lower-case letters, digits, dots and hyphens, not "${bucket}"`,
    )
  }
  return {
    endpoint,
    bucket,
    region: settingOf('REGION'),
    accessKeyId: settingOf('ACCESS_KEY_ID'),
    secretAccessKey: settingOf('SECRET_ACCESS_KEY'),
  }
}
