import { resolve } from 'node:path'
import {
  type BackupSecret,
  fileTimeOf,
  type InstallationLocation,
  lowerPriority,
} from '#backup/create-backup.ts'
import { withFileDeletionPaused } from '#backup/pause-file-deletion.ts'
import { sealSecret } from '#backup/restore-backup.ts'
import {
  type BackupPlace,
  openBackupTarget,
  type StoredBackup,
} from '#backup/targets/backup-target.ts'
import { conflict } from '#core/api-error.ts'
import { inspectDatabase } from '#db/installation/inspect-database.ts'
import { MIGRATIONS } from '#db/migrate/migrations.ts'
import { timestampOf } from '#lib/clock.ts'
import { Flag, Optional } from '#wire/schema-builders.ts'
import type { Config } from '../../config/config.ts'
import { type Command, defineCommand, PathOption, UsageError } from '../arguments.ts'
import type { CliInstallation } from '../installation.ts'
import { createProgress } from '../output.ts'

const backupCommand: Command = defineCommand({
  name: 'backup',
  secretUse: 'optional',
  summary: 'Back up all data and check the backup; the server may keep running',
  options: {
    to: Optional(
      PathOption(
        'A directory, made if it is missing, in which the backup gets one named by the time; default: DOCKET_BACKUP_TO',
      ),
    ),
    'with-secret': Optional(
      Flag({
        description: 'Include the secret unencrypted; anybody who has the backup can then read it',
      }),
    ),
  },
  async run(installation, { to, 'with-secret': withSecret = false }) {
    const { config, storage, installationActor: actor } = installation
    const place = placeOf(config, to)
    if (!place) {
      throw new UsageError('Missing required: --to, or set DOCKET_BACKUP_TO', backupCommand)
    }
    await assertCurrentVersion(config)
    const store = await storage()
    const secret = await readBackupSecret(installation, withSecret)
    await store.write(actor, async (tx) => {
      tx.audit('backup.started', null, { with_secret: secret !== undefined })
    })
    lowerPriority()
    const progress = createProgress('Backing up')
    const [target, location] = [openBackupTarget(place, config.dataDir), locationOf(config)]
    const madeAt = store.clock.now()
    const name = `docket-${fileTimeOf(madeAt)}`
    const work = () =>
      target.store(
        name,
        { location, madeAt: timestampOf(madeAt), kind: 'manual', secret, linksFiles: false },
        progress.report,
      )
    const making = location.bucket ? work() : withFileDeletionPaused(store, work)
    const { manifest } = await making.finally(progress.end)
    const { counts, files, format, secret_proof, kind, bytes, ...result } = manifest
    const rows = Object.values(counts).reduce((sum, count) => sum + count, 0)
    const isLost = (await installation.findSecret()) === undefined
    return {
      backup: `${target.description}/${name}`,
      ...result,
      bytes,
      rows,
      ...hintsAfter(isLost ? { ...result, secret: 'lost' } : result),
    }
  },
  isFailure: (result) =>
    'attachments' in result && (result.attachments as { missing: number }).missing > 0,
})

const backupListCommand: Command = defineCommand({
  name: 'backup list',
  summary: 'List the backups in DOCKET_BACKUP_TO or in a directory, oldest first',
  options: { from: Optional(PathOption('A directory with backups; default: DOCKET_BACKUP_TO')) },
  async run({ config }, { from }) {
    const place = placeOf(config, from)
    if (!place) {
      throw new UsageError('Missing required: --from, or set DOCKET_BACKUP_TO', backupListCommand)
    }
    const backups = await openBackupTarget(place, config.dataDir).list()
    return { data: backups.map(toListedBackup) }
  },
})

// A command is found by its first words, so the longer name comes first.
export const backupCommands = [backupListCommand, backupCommand]

/** A directory, or the place of the settings. */
const placeOf = ({ backup }: Config, directory: string | undefined): BackupPlace | undefined =>
  directory === undefined ? backup.plan?.place : { kind: 'directory', path: resolve(directory) }

const toListedBackup = ({ name, manifest }: StoredBackup) => ({
  name,
  made_at: manifest.made_at,
  bytes: manifest.bytes,
  kind: manifest.kind,
  engine: manifest.engine,
  secret: manifest.secret,
})

export const locationOf = ({ dataDir, databaseUrl, s3 }: Config): InstallationLocation => ({
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

/** The secret as the backup holds it: as it is if that is asked for, encrypted with a passphrase. */
async function readBackupSecret(
  { config, findSecret }: CliInstallation,
  withSecret: boolean,
): Promise<BackupSecret | undefined> {
  const { passphrase } = config.backup
  if (!withSecret && passphrase === undefined) return undefined
  const text = await findSecret()
  if (text === undefined) {
    if (withSecret) throw conflict('secret_missing', 'The secret is lost: leave out --with-secret.')
    return undefined
  }
  if (withSecret || passphrase === undefined) return { form: 'here', text }
  return { form: 'sealed', text: await sealSecret(text, passphrase) }
}

function hintsAfter({ secret, attachments }: { secret: string; attachments: { kept: string } }) {
  const hints: string[] = []
  if (secret === 'lost') {
    hints.push('The secret is lost, so the backup can be restored only with docket secret renew.')
  }
  if (secret === 'apart') hints.push('The backup does not include the secret: store it separately.')
  if (attachments.kept === 'in the bucket')
    hints.push('Attachments are in the bucket: back it up as well.')
  return hints.length > 0 ? { hints } : {}
}
