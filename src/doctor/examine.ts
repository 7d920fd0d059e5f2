import type { Storage } from '#core/tx.ts'
import type { S3 } from '#files/s3.ts'
import type { MailSettings } from '#mail/open.ts'
import { isHeld } from '#storage/data-dir.ts'
import { MIGRATIONS } from '#storage/migrations.ts'
import { lookAtAudit } from './audit.ts'
import { lookAtDatabase, lookAtSecret } from './database.ts'
import { lookAtDirectory } from './directory.ts'
import { type Finding, findings, wordsOf } from './finding.ts'
import { type Door, lookAtBaseUrl, lookAtBucket, lookAtCounters, lookAtMail } from './outside.ts'
import { lookAtWebhooks } from './webhooks.ts'

/** What is looked at. */
export interface Patient extends Door {
  dataDir: string
  databaseUrl: string | undefined
  secret: string | undefined
  mail: MailSettings | undefined
  s3: S3 | undefined
  redisUrl: string | undefined
}

/** Looks at everything that an installation needs, and changes nothing. */
export async function examine(patient: Patient, open: () => Promise<Storage>): Promise<Finding[]> {
  const { dataDir, databaseUrl, secret } = patient
  // Before the database, for looking at all its pages holds up everything else.
  const outside = await Promise.all([
    lookAtMail(patient.mail),
    lookAtBucket(dataDir, patient.s3),
    lookAtCounters(patient.redisUrl),
  ])
  const running = databaseUrl === undefined && isHeld(dataDir)
  const directory = await lookAtDirectory(patient)
  const { found, looked } = await lookAtDatabase(patient)
  const secretFound = await lookAtSecret(secret, patient, looked)
  const sound = ![...directory, ...found, secretFound].some(({ status }) => status === 'failed')
  // Only then opening it changes nothing: neither its version nor a secret.
  const mayOpen =
    sound && (looked?.schema ?? 0) >= MIGRATIONS.length && looked?.secret_proof !== undefined
  const inside = mayOpen
    ? await open()
        .then(async (storage) => [
          await lookAtAudit(storage),
          ...(await lookAtWebhooks(storage, dataDir, running)),
        ])
        .catch((error) => [
          findings('database').failed(wordsOf(error), 'Look at what comes before.'),
        ])
    : []
  const base = await lookAtBaseUrl(patient, running)
  return [...directory, ...found, secretFound, ...outside, ...base, ...inside]
}
