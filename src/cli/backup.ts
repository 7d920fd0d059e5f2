import { readFile } from 'node:fs/promises'
import { setPriority } from 'node:os'
import { join, resolve } from 'node:path'
import { makeBackup } from '#backup/make.ts'
import { checkBackup, restoreBackup } from '#backup/restore.ts'
import { conflict } from '#core/refusal.ts'
import { SENT_FROM_NOWHERE } from '#delivery/home.ts'
import { lookAtStore } from '#storage/look.ts'
import { MIGRATIONS } from '#storage/migrations.ts'
import { Flag, Line, Optional } from '#wire/schema.ts'
import type { Config } from '../config.ts'
import { command } from './command.ts'
import { openProgress } from './progress.ts'

const Path = (description: string) => Line(1, 4_096, { description })

/** As `nice` counts. */
const LOW = 10

const backup = command({
  name: 'backup',
  summary: 'Save all data to a new directory, beside a running server',
  options: {
    to: Path('A new name, or a directory in which one is made by the time'),
    'with-secret': Optional(
      Flag({ description: 'Save the secret with it, for anybody who has it' }),
    ),
  },
  async run({ config, storage, unowned }, { to, 'with-secret': withSecret = false }) {
    await refuseVersion(config)
    const opened = await storage()
    const secret = withSecret ? await secretOf(config) : undefined
    await opened.write(unowned, async (tx) => {
      tx.audit('backup.started', null, { with_secret: withSecret })
    })
    // Requests go first.
    setPriority(LOW)
    const progress = openProgress('Saving')
    const wanted = { to: resolve(to), secret, told: progress.told }
    const { counts, files, format, secret_proof, ...made } = await makeBackup(
      placeOf(config),
      opened,
      wanted,
    ).finally(progress.end)
    const rows = Object.values(counts).reduce((sum, count) => sum + count, 0)
    return { ...made, rows, ...hintsAfter(made) }
  },
  failed: (made) => 'attachments' in made && (made.attachments as { missing: number }).missing > 0,
})

const restore = command({
  name: 'restore',
  summary:
    'Fill an empty installation from a backup; nothing is sent from it before webhook resume',
  options: {
    from: Path('The directory that a backup has made'),
    'to-dir': Optional(Path('Data directory instead of DOCKET_DATA_DIR')),
    check: Optional(Flag({ description: 'Only read the backup to its last byte' })),
  },
  async run({ config }, { from, 'to-dir': dataDir = config.dataDir, check = false }) {
    const progress = openProgress(check ? 'Reading' : 'Restoring')
    try {
      if (check) {
        const { made_at, engine, schema, files } = await checkBackup(from, progress.told)
        return { sound: true, made_at, engine, schema, files }
      }
      const { secret } = config
      const target = { ...placeOf(config), dataDir, secret, values: SENT_FROM_NOWHERE }
      const restored = await restoreBackup(from, target, progress.told)
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

export const backupCommands = [backup, restore]

const placeOf = ({ dataDir, databaseUrl, s3 }: Config) => ({
  dataDir,
  databaseUrl,
  bucket: s3 !== undefined,
})

/** Opening the store would bring it to this version, which is no part of saving it. */
async function refuseVersion(config: Config): Promise<void> {
  const found = await lookAtStore(config)
  if (!found || found.schema === 0) {
    throw conflict('nothing_to_back_up', `There is no Docket in ${config.dataDir} to be saved.`)
  }
  if (found.schema === MIGRATIONS.length) return
  throw conflict(
    'other_version',
    `The database is at version ${found.schema} and this Docket knows ${MIGRATIONS.length}: ` +
      'save it with the Docket that serves it.',
  )
}

const secretOf = async ({ secret, dataDir }: Config): Promise<string> =>
  secret ?? (await readFile(join(dataDir, 'secret'), 'utf8')).trim()

function hintsAfter({ secret, attachments }: { secret: string; attachments: { kept: string } }) {
  const hints: string[] = []
  if (secret === 'apart') hints.push('Keep the secret of the installation elsewhere.')
  if (attachments.kept === 'in the bucket') hints.push('The files are in the bucket: save it, too.')
  return hints.length > 0 ? { hints } : {}
}

function nextAfter(secret: string, dataDir: string): string {
  const missing = `Put the secret into ${join(dataDir, 'secret')}, or set DOCKET_SECRET.`
  const resume = 'When nobody else sends to its webhooks: docket webhook resume.'
  return secret === 'missing' ? `${missing} Then start. ${resume}` : `Start. ${resume}`
}
