import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Config, readSettingSources, type SettingReading } from '../../config/config.ts'
import { defineCommand } from '../arguments.ts'
import { formatTable } from '../output.ts'

/** A setting as it is printed. */
interface PrintedSetting {
  name: string
  /** Null if it has no value. Of a secret, `hidden` or a URL without its password. */
  value: string | null
  source: SettingReading['source'] | 'data_directory'
  /** The file that the value comes from, or will be generated in. */
  path: string | null
}

/** The output of `settings` with --json. */
interface SettingsReport {
  data: PrintedSetting[]
  mistakes: readonly string[]
}

const settings = defineCommand({
  name: 'settings',
  summary: 'Print the settings in force and where each comes from; secrets are hidden',
  options: {},
  run: async () => createReport(),
  misconfigured: createReport,
  isFailure: (result) => (result as SettingsReport).mistakes.length > 0,
  format(result) {
    const { data, mistakes } = result as SettingsReport
    const rows = data.map(({ name, value, source, path }) => {
      const from = source.replace('_', ' ')
      return { setting: name, value, from: path === null ? from : `${from} ${path}` }
    })
    return [...mistakes.map((mistake) => `MISTAKE  ${mistake}`), formatTable(rows)].join('\n')
  },
})

export const settingsCommands = [settings]

function createReport(): SettingsReport {
  const { config, readings, mistakes } = readSettingSources(process.env)
  const data = readings
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .map((one) => toPrinted(one, config))
  return { data, mistakes }
}

function toPrinted(reading: SettingReading, { dataDir }: Config): PrintedSetting {
  const { name, value, source, path = null } = reading
  if (name === 'DOCKET_SECRET' && source === 'default') {
    const generated = resolve(join(dataDir, 'secret'))
    const shown = existsSync(generated) ? 'hidden' : null
    return { name, value: shown, source: 'data_directory', path: generated }
  }
  if (value === undefined) return { name, value: null, source, path }
  return { name, value: printableValue(reading, value), source, path }
}

const isUrlSetting = (name: string): boolean => /_(URL|ENDPOINT|ISSUER)$/.test(name)

/** Any URL may contain a password. */
function printableValue({ name, isSecret }: SettingReading, value: string): string {
  if (name === 'DOCKET_DATA_DIR') return resolve(value)
  const url = isUrlSetting(name) ? URL.parse(value) : null
  if (url?.host) return withoutSecrets(url, value)
  return isSecret ? 'hidden' : value
}

function withoutSecrets(url: URL, value: string): string {
  if (url.password === '' && url.search === '' && url.hash === '') return value
  if (url.password !== '') url.password = 'hidden'
  if (url.search !== '') url.search = '?hidden'
  url.hash = ''
  return url.href
}
