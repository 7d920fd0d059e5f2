import type { SettingReader } from '#core/setting-reader.ts'

/** Where the data of an installation is. */
export interface StoreSettings {
  dataDir: string
  /** The secret of the installation; undefined to use the one generated in the data directory. */
  secret: string | undefined
  /** PostgreSQL instead of SQLite in the data directory. */
  databaseUrl: string | undefined
  /** The database URL for LISTEN, which a pooler may not support; undefined: `databaseUrl`. */
  databaseListenUrl: string | undefined
  /** The number of processes that share the port; more than one needs PostgreSQL. */
  processes: number
}

/** Part of the texts that stand for a secret in deploy/, where somebody has to replace them. */
const SAMPLE_WORDS = 'openssl rand'

/** Reads where the data is. Mistakes never repeat a URL or the secret. */
export function readStoreSettings(reader: SettingReader): StoreSettings {
  const { path, integer, mistakes } = reader
  const databaseUrl = reader.secret('DOCKET_DATABASE_URL')
  const secret = reader.secret('DOCKET_SECRET')
  const processes = integer('DOCKET_PROCESSES', 1, 1, 64)
  if (processes > 1 && databaseUrl === undefined) {
    mistakes.push(
      'DOCKET_PROCESSES greater than 1 requires PostgreSQL: set DOCKET_DATABASE_URL, or leave DOCKET_PROCESSES at 1',
    )
  }
  const dataDir = path('DOCKET_DATA_DIR', './data')
  const databaseListenUrl = reader.secret('DOCKET_DATABASE_LISTEN_URL')
  checkDatabaseUrl('DOCKET_DATABASE_URL', databaseUrl, mistakes)
  checkDatabaseUrl('DOCKET_DATABASE_LISTEN_URL', databaseListenUrl, mistakes)
  if (secret !== undefined && secret.length < 16) {
    mistakes.push('DOCKET_SECRET must have at least 16 characters')
  }
  checkSampleText('DOCKET_SECRET', secret, mistakes)
  return { dataDir, secret, databaseUrl, databaseListenUrl, processes }
}

function checkDatabaseUrl(name: string, url: string | undefined, mistakes: string[]): void {
  if (url === undefined) return
  if (!/^postgres(ql)?:\/\//.test(url)) {
    mistakes.push(`${name} must be a URL that begins with postgres://`)
  }
  if (/^postgres(ql)?:\/\/([^/]*@)?[^/@]*,[^/@]*(\/|$)/.test(url)) {
    mistakes.push(`${name} must name exactly one host; lists of hosts are not supported`)
  }
}

/** Refuses the text that stands for a secret in the files of deploy/. */
export function checkSampleText(name: string, value: string | undefined, mistakes: string[]): void {
  if (!value?.includes(SAMPLE_WORDS)) return
  mistakes.push(
    `${name} is the sample text of deploy/, which everybody knows: set it to the output of openssl rand -hex 32`,
  )
}
