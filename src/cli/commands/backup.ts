import { readFile } from 'node:fs/promises'
import { setPriority } from 'node:os'
import { join, resolve } from 'node:path'
import { createBackup, type InstallationLocation } from '#backup/create-backup.ts'
import { checkBackup, type RestoreTarget, restoreBackup } from '#backup/restore-backup.ts'
import { conflict } from '#core/api-error.ts'
import { inspectDatabase } from '#db/installation/inspect-database.ts'
import { MIGRATIONS } from '#db/migrate/migrations.ts'
import { SENDING_PAUSED_VALUES } from '#webhooks/dispatch/installation-id.ts'
import { Flag, Optional, SingleLineText } from '#wire/schema-builders.ts'
import type { Config } from '../../config/config.ts'
import { defineCommand } from '../command.ts'
import { createProgress } from '../progress.ts'

const PathOption = (description: string) => SingleLineText(1, 4_096, { description })

/** A nice value, so that the server gets the CPU first. */
const LOW_PRIORITY = 10

const backupCommand = defineCommand({
  name: 'backup',
  summary: 'Back up all data to a new directory; the server may keep running',
  options: {
    to: PathOption(
      'A new directory, or an existing one in which a directory named by the time is created',
    ),
    'with-secret': Optional(
      Flag({ description: 'Include the secret; anybody who has the backup can then read it' }),
    ),
  },
  async run(
    { config, storage, installationActor: actor },
    { to, 'with-secret': withSecret = false },
  ) {
    await assertCurrentVersion(config)
    const store = await storage()
    const secret = withSecret ? await readSecret(config) : undefined
    await store.write(actor, async (tx) => {
      tx.audit('backup.started', null, { with_secret: withSecret })
    })
    setPriority(LOW_PRIORITY)
    const progress = createProgress('Backing up')
    const backup = createBackup(locationOf(config), store, {
      to: resolve(to),
      secret,
      onProgress: progress.report,
    })
    const { counts, files, format, secret_proof, ...result } = await backup.finally(progress.end)
    const rows = Object.values(counts).reduce((sum, count) => sum + count, 0)
    return { ...result, rows, ...hintsAfter(result) }
  },
  isFailure: (result) =>
    'attachments' in result && (result.attachments as { missing: number }).missing > 0,
})

const restoreCommand = defineCommand({
  name: 'restore',
  summary: 'Restore a backup into an empty installation; webhooks stay paused until webhook resume',
  options: {
    from: PathOption('A directory created by backup'),
    'to-dir': Optional(PathOption('Data directory to restore into; default: DOCKET_DATA_DIR')),
    check: Optional(Flag({ description: 'Verify the backup without restoring it' })),
  },
  async run({ config }, { from, 'to-dir': dataDir = config.dataDir, check = false }) {
    const progress = createProgress(check ? 'Checking' : 'Restoring')
    try {
      if (check) {
        const { made_at, engine, schema, files } = await checkBackup(from, progress.report)
        return { sound: true, made_at, engine, schema, files }
      }
      const { secret } = config
      const target: RestoreTarget = {
        ...locationOf(config),
        dataDir,
        secret,
        values: SENDING_PAUSED_VALUES,
      }
      const restored = await restoreBackup(from, target, progress.report)
      const { made_at, engine, schema, attachments, counts } = restored.manifest
      const { applied } = restored
      return {
        ...{ from, made_at, engine, schema, applied },
        ...{ workspaces: counts.workspaces, tasks: counts.tasks, events: counts.events },
        ...{ attachments: attachments.files, secret: restored.secret, sending: false },
        next: nextAfter(restored.secret, dataDir),
      }
    } finally {
      progress.end()
    }
  },
})

export const backupCommands = [backupCommand, restoreCommand]

const locationOf = ({ dataDir, databaseUrl, s3 }: Config): InstallationLocation => ({
  dataDir,
  databaseUrl,
  bucket: s3 !== undefined,
})

/** Opening the store would migrate it to this version, which a backup must not do. */
async function assertCurrentVersion(config: Config): Promise<void> {
  const state = await inspectDatabase(config)
  if (!state || state.schema === 0) {
    throw conflict(
      'nothing_to_back_up',
      `There is no Docket database in ${config.dataDir} to back up.`,
    )
  }
  if (state.schema === MIGRATIONS.length) return
  throw conflict(
    'other_version',
    `The database has schema version ${state.schema} and this release has ${MIGRATIONS.length}: ` +
      'back it up with the release that serves it.',
  )
}

const readSecret = async ({ secret, dataDir }: Config): Promise<string> =>
  secret ?? (await readFile(join(dataDir, 'secret'), 'utf8')).trim()

function hintsAfter({ secret, attachments }: { secret: string; attachments: { kept: string } }) {
  const hints: string[] = []
  if (secret === 'apart') hints.push('The backup does not include the secret: store it separately.')
  if (attachments.kept === 'in the bucket')
    hints.push('Attachments are in the bucket: back it up as well.')
  return hints.length > 0 ? { hints } : {}
}

function nextAfter(secret: string, dataDir: string): string {
  const missing = `Put the secret in ${join(dataDir, 'secret')}, or set DOCKET_SECRET.`
  const resume = 'Once no other server sends to its webhooks, run docket webhook resume.'
  return secret === 'missing'
    ? `${missing} Then start the server. ${resume}`
    : `Start the server. ${resume}`
}
