import { accessSync, constants, existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  checkBackup,
  type RestoreResult,
  type RestoreTarget,
  restoreBackup,
} from '#backup/restore-backup.ts'
import { openBackupTarget } from '#backup/targets/backup-target.ts'
import { findFormerSecret } from '#db/installation/open-store.ts'
import { SENDING_PAUSED_VALUES } from '#webhooks/installation-id.ts'
import { Flag, Optional } from '#wire/schema-builders.ts'
import type { Config } from '../../config/config.ts'
import { defineCommand, PathOption } from '../arguments.ts'
import { createProgress } from '../output.ts'
import { locationOf } from './backup.ts'

const restoreCommand = defineCommand({
  name: 'restore',
  summary: 'Restore a backup into an empty installation; webhooks stay paused until webhook resume',
  options: {
    from: PathOption('A directory created by backup, or the name of a backup in DOCKET_BACKUP_TO'),
    'to-dir': Optional(PathOption('Data directory to restore into; default: DOCKET_DATA_DIR')),
    check: Optional(Flag({ description: 'Verify the backup without restoring it' })),
  },
  async run({ config }, { from, 'to-dir': dataDir = config.dataDir, check = false }) {
    const progress = createProgress(check ? 'Checking' : 'Restoring')
    const workDirectory = check ? findCheckDirectory(config) : dataDir
    const backup = await findBackup(config, from, workDirectory, progress.report)
    try {
      if (check) {
        const { made_at, engine, schema, files } = await checkBackup(backup.path, progress.report)
        return { sound: true, made_at, engine, schema, files }
      }
      const { secret, backup: settings } = config
      const target: RestoreTarget = {
        ...locationOf(config),
        dataDir,
        secret,
        passphrase: settings.passphrase,
        values: SENDING_PAUSED_VALUES,
      }
      const restored = await restoreBackup(backup.path, target, progress.report)
      const { made_at, engine, schema, attachments, counts } = restored.manifest
      const { applied } = restored
      return {
        from,
        made_at,
        engine,
        schema,
        applied,
        workspaces: counts.workspaces,
        tasks: counts.tasks,
        events: counts.events,
        attachments: attachments.files,
        secret: restored.secret,
        sending: false,
        next: nextAfter(restored, dataDir, config),
      }
    } finally {
      progress.end()
      await backup.release()
    }
  },
})

export const restoreCommands = [restoreCommand]

/**
 * Where a check downloads a backup: to the data directory, whose disk has room for one, because
 * the temporary directory is often in memory. Without a data directory that it may write to, that one is used.
 */
function findCheckDirectory({ dataDir }: Config): string {
  try {
    accessSync(dataDir, constants.W_OK)
    return dataDir
  } catch {
    return tmpdir()
  }
}

/** Finds a backup by its path, or by its name in the place where the settings keep backups. */
async function findBackup(
  { backup, dataDir }: Config,
  from: string,
  workDirectory: string,
  onProgress: (what: string) => void,
): Promise<{ path: string; release(): Promise<void> }> {
  if (!backup.plan || existsSync(from)) return { path: from, release: async () => {} }
  const target = openBackupTarget(backup.plan.place, dataDir)
  const prefix = `${target.description}/`
  const name = from.startsWith(prefix) ? from.slice(prefix.length) : from
  if (/[/\\]/.test(name)) return { path: from, release: async () => {} }
  return target.fetch(name, workDirectory, onProgress)
}

function nextAfter(
  { secret, manifest: { secret_proof } }: RestoreResult,
  dataDir: string,
  config: Config,
): string {
  const resume = 'Once no other server sends to its webhooks, run docket webhook resume.'
  if (secret !== 'missing') return `Start the server. ${resume}`
  const former =
    secret_proof === undefined ? undefined : findFormerSecret(config.dataDir, secret_proof)
  const where = former === undefined ? '' : ` It is in ${former}.`
  return `The backup has no secret, and Docket does not start without it: put the secret in ${join(dataDir, 'secret')}, or set DOCKET_SECRET.${where} Then start the server. ${resume}`
}
