import type { BackupSettings } from '#backup/scheduled/run-backup.ts'
import type { OperatorSettings } from '#core/operator-settings.ts'
import type { Storage } from '#core/transaction.ts'
import { isDataDirServed } from '#db/installation/data-dir.ts'
import { MIGRATIONS } from '#db/migrate/migrations.ts'
import type { S3Settings } from '#files/s3-settings.ts'
import type { MailSettings } from '#mail/mail-settings.ts'
import {
  checkAccessChanges,
  checkAuditLog,
  checkBackups,
  checkEventTimes,
  checkJobs,
  checkStorage,
  checkWebhooks,
} from './check-contents.ts'
import { checkDataDirectory } from './check-data-directory.ts'
import { checkDatabase, checkSecret } from './check-database.ts'
import { checkBaseUrl, checkBucket, checkMail, type PublicAddress } from './check-services.ts'
import { createFindings, describeError, type Finding } from './finding.ts'

/** The installation to check. */
export interface DoctorTarget extends PublicAddress {
  dataDir: string
  databaseUrl: string | undefined
  secret: string | undefined
  mail: MailSettings | undefined
  s3: S3Settings | undefined
  backup: BackupSettings | undefined
  settings: Pick<OperatorSettings, 'workspaceBytes'>
}

const unreadable = createFindings('database').failed(
  'not checked: this user cannot read the data directory',
  'Run docket doctor as the user of the server.',
)

/** Checks everything that an installation needs, without changing anything. */
export async function runDoctor(
  target: DoctorTarget,
  openStorage: () => Promise<Storage>,
): Promise<Finding[]> {
  const { dataDir, databaseUrl, secret } = target
  // These run before the database check, which reads all pages and blocks everything else.
  const services = await Promise.all([checkMail(target.mail), checkBucket(dataDir, target.s3)])
  const isRunning = databaseUrl === undefined && isDataDirServed(dataDir)
  const { findings: directory, isReadable } = await checkDataDirectory(target)
  // A directory that this user cannot read would look like one without a database.
  if (databaseUrl === undefined && !isReadable) return [...directory, unreadable, ...services]
  const { findings: database, inspection: state } = await checkDatabase(target)
  const secretFinding = await checkSecret(secret, target, state)
  const isHealthy = ![...directory, ...database, secretFinding].some(
    ({ status }) => status === 'failed',
  )
  // Otherwise opening the store would migrate it or make a secret.
  const canOpen =
    isHealthy && (state?.schema ?? 0) >= MIGRATIONS.length && state?.secret_proof !== undefined
  const stored = canOpen
    ? await openStorage()
        .then(async (storage) => [
          await checkEventTimes(storage),
          await checkAccessChanges(storage),
          await checkAuditLog(storage),
          await checkStorage(storage, target.settings.workspaceBytes),
          ...(await checkWebhooks(storage, dataDir, isRunning)),
          ...(await checkJobs(storage, isRunning, target.mail !== undefined)),
          await checkBackups(storage, dataDir, target.backup),
        ])
        .catch((error) => [
          createFindings('database').failed(describeError(error), 'Fix the problems above first.'),
        ])
    : []
  const baseUrl = await checkBaseUrl(target, isRunning)
  return [...directory, ...database, secretFinding, ...services, ...baseUrl, ...stored]
}
