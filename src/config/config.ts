import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type AccountSettings, readAccountSettings } from '#accounts/account-settings.ts'
import { type BackupSettings, readBackupSettings } from '#backup/scheduled/backup-settings.ts'
import type { OperatorSettings } from '#core/operator-settings.ts'
import type { SettingReader } from '#core/setting-reader.ts'
import { readStoreSettings, type StoreSettings } from '#db/installation/store-settings.ts'
import { readFileSettings, type S3Settings } from '#files/s3-settings.ts'
import {
  type HttpSettings,
  type LogSettings,
  readHttpSettings,
  readLogSettings,
} from '#http/server/http-settings.ts'
import { isTildePath, NO_TILDE_PATH } from '#lib/tilde-path.ts'
import { type MailSettings, readMailSettings } from '#mail/mail-settings.ts'
import { readLimitSettings } from '#rate-limits/limit-settings.ts'
import { readSsoSettings, type SsoSettings } from '#sso/sso-settings.ts'
import { readWebhookTargets } from '#webhooks/webhook-settings.ts'
import {
  type EnvVariables,
  FILE_SUFFIX,
  findUnknownVariables,
  isServiceLinkPort,
  SERVICE_LINK_PORT_MISTAKE,
} from './setting-names.ts'

/** One setting: its value, and where the value comes from. */
export interface SettingReading {
  name: string
  /** Whether it may also be in a file, and is never printed. */
  isSecret: boolean
  /** The text in force; undefined if the setting is not set and has no default. */
  value: string | undefined
  source: 'default' | 'environment' | 'file'
  /** The file with the value, for the source `file`. */
  path?: string
}

/** Creates functions that read single settings and collect all mistakes. */
function createEnvReader(env: EnvVariables) {
  const mistakes: string[] = []
  const fileMistakes: string[] = []
  const failedNames: string[] = []
  const readings = new Map<string, SettingReading>()

  const text = (name: string) => read(name, false)
  const secret = (name: string) => read(name, true)

  function read(name: string, isSecret: boolean): string | undefined {
    const reading = readings.get(name) ?? { name, isSecret, ...findValue(name, isSecret) }
    readings.set(name, reading)
    return reading.source === 'default' ? undefined : reading.value
  }

  /** Reads a setting and records its default as the value in force where it is not set. */
  function textOrDefault(name: string, defaultValue: string): string {
    return text(name) ?? recordDefault(name, defaultValue)
  }

  function recordDefault(name: string, value: string): string {
    const reading = readings.get(name)
    if (reading?.source === 'default') readings.set(name, { ...reading, value })
    return value
  }

  function findValue(name: string, isSecret: boolean): Omit<SettingReading, 'name' | 'isSecret'> {
    const value = env[name] || undefined
    const path = isSecret ? env[`${name}${FILE_SUFFIX}`] || undefined : undefined
    if (path === undefined) {
      return { value, source: value === undefined ? 'default' : 'environment' }
    }
    try {
      if (value !== undefined) throw new Error(`is set, and so is ${name}: remove one of them`)
      return { value: readSecretFile(path), source: 'file', path: resolve(path) }
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      fileMistakes.push(`${name}${FILE_SUFFIX} ${why}`)
      failedNames.push(name)
      return { value: undefined, source: 'default' }
    }
  }

  function path(name: string, defaultValue: string): string {
    const value = textOrDefault(name, defaultValue)
    if (isTildePath(value)) mistakes.push(`${name} must be ${NO_TILDE_PATH}, not "${value}"`)
    return value
  }

  function integer(name: string, defaultValue: number, min: number, max: number): number {
    const input = text(name)
    if (input === undefined) {
      recordDefault(name, `${defaultValue}`)
      return defaultValue
    }
    const value = /^\d{1,12}$/.test(input) ? Number(input) : Number.NaN
    if (value >= min && value <= max) return value
    mistakes.push(`${name} must be a whole number from ${min} to ${max}, not "${input}"`)
    return defaultValue
  }

  function oneOf<const W extends string>(name: string, values: readonly W[], defaultValue: W): W {
    const input = textOrDefault(name, defaultValue)
    const value = values.find((one) => one === input)
    if (value !== undefined) return value
    mistakes.push(`${name} must be one of ${values.join(', ')}, not "${input}"`)
    return defaultValue
  }

  function list(name: string, isValid: (part: string) => boolean, expected: string): string[] {
    const parts = (text(name) ?? '').split(',').map((part) => part.trim())
    const values = parts.filter((part) => part !== '')
    const invalid = values.filter((part) => !isValid(part))
    if (invalid.length > 0)
      mistakes.push(`${name} must list ${expected}, not "${invalid.join(', ')}"`)
    return values
  }

  const flag = (name: string, defaultValue: boolean) =>
    oneOf(name, ['0', '1'], defaultValue ? '1' : '0') === '1'

  /** All mistakes; those that only follow from a file that could not be read are left out. */
  function listMistakes(): string[] {
    const failed = failedNames.map((name) => new RegExp(`\\b${name}\\b`))
    const others = mistakes.filter((mistake) => !failed.some((name) => name.test(mistake)))
    return [...fileMistakes, ...others]
  }

  const reader: SettingReader = {
    mistakes,
    text,
    secret,
    textOrDefault,
    recordDefault,
    path,
    integer,
    oneOf,
    list,
    flag,
  }
  return { reader, readings, listMistakes }
}

const READ_FAILURES: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: 'is not readable by this user',
  EISDIR: 'is a directory',
}

/** Reads a secret without its last line break. Errors name the path, never the content. */
function readSecretFile(path: string): string {
  if (isTildePath(path)) throw new Error(`must be ${NO_TILDE_PATH}, not "${path}"`)
  const absolute = resolve(path)
  let content: string
  try {
    content = readFileSync(absolute, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
    throw new Error(`names ${absolute}, which ${READ_FAILURES[code] ?? `cannot be read (${code})`}`)
  }
  const value = content.replace(/\r?\n$/, '')
  if (value === '') throw new Error(`names ${absolute}, which is empty`)
  return value
}

/**
 * All settings of the operator, read once at the start (docs/spec/api.md#settings). Each feature declares and
 * reads its own group.
 */
export interface Config extends StoreSettings, HttpSettings {
  log: LogSettings
  accounts: AccountSettings
  /** Single sign-on; undefined: not configured. */
  sso: SsoSettings | undefined
  /** The mail server; undefined: no emails are sent. */
  mail: MailSettings | undefined
  /** The bucket for files; undefined: they are in the data directory. */
  s3: S3Settings | undefined
  backup: BackupSettings
  /** The settings that operations read. */
  settings: OperatorSettings
}

/** Lists all mistakes in the environment, one line each. */
export class ConfigError extends Error {
  readonly mistakes: readonly string[]

  constructor(mistakes: readonly string[]) {
    super(`Invalid settings:\n  ${mistakes.join('\n  ')}`)
    this.mistakes = mistakes
  }
}

/** Reads the environment; nothing else does. Throws an error that lists all mistakes at once. */
export function parseConfig(env: EnvVariables): Config {
  const { config, mistakes } = readSettingSources(env)
  if (mistakes.length > 0) throw new ConfigError(mistakes)
  return config
}

/** The settings as they were read; `config` is not valid if there are mistakes. */
interface SettingsResult {
  config: Config
  mistakes: readonly string[]
  /** Each setting with its value and where the value comes from. */
  readings: readonly SettingReading[]
}

/** Reads the environment as `parseConfig` does, and tells where each value comes from. */
export function readSettingSources(env: EnvVariables): SettingsResult {
  const hasLinkedPort = isServiceLinkPort(env)
  const { reader, readings, listMistakes } = createEnvReader(
    hasLinkedPort ? { ...env, DOCKET_PORT: undefined } : env,
  )
  if (hasLinkedPort) reader.mistakes.push(SERVICE_LINK_PORT_MISTAKE)
  const http = readHttpSettings(reader)
  const { loopback } = http
  const accounts = readAccountSettings(reader, loopback)
  const mail = readMailSettings(reader)
  const files = readFileSettings(reader)
  const limits = readLimitSettings(reader)
  const planLocked = accounts.signup === 'open'
  const config: Config = {
    ...http,
    ...readStoreSettings(reader),
    log: readLogSettings(reader),
    accounts,
    sso: readSsoSettings(reader),
    mail,
    s3: files.s3,
    backup: readBackupSettings(reader, files),
    settings: {
      requestsPerMinute: limits,
      planLocked,
      web: {
        max_attachment_bytes: files.maxAttachmentBytes,
        signup: accounts.signup,
        mail: mail !== undefined,
        offers_plans: !planLocked && limits.free !== limits.paid,
      },
      webhookTargets: readWebhookTargets(reader, loopback),
      workspaceBytes: files.workspaceBytes,
    },
  }
  const values = [...readings.values()]
  const unknown = findUnknownVariables(env, values)
  return { config, readings: values, mistakes: [...unknown, ...listMistakes()] }
}

/** All settings, in the order in which they are read. */
export const listSettings = (): readonly SettingReading[] => readSettingSources({}).readings
