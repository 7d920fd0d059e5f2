import type { Registry } from 'prom-client'
import { invitationEmail } from '#accounts/invitations/invitations.ts'
import { passwordResetEmail } from '#accounts/password-reset/password-reset.ts'
import { createProfileChangeJob } from '#accounts/profile/change-member-profile.ts'
import { confirmationEmail } from '#accounts/profile/confirm-email.ts'
import { securityEmail } from '#accounts/security-emails/security-email.ts'
import { createExportJob, createExportJobs } from '#archive/export/export-jobs.ts'
import { sendFirstConfirmationLink } from '#auth/users/email-confirmation.ts'
import { createBackupMetrics, operatorEmailTemplate } from '#backup/scheduled/backup-records.ts'
import {
  createBackupJob,
  createBackupScheduler,
  type ScheduledBackupDeps,
} from '#backup/scheduled/run-backup.ts'
import type { Config } from '#config/config.ts'
import type { JobKind } from '#core/job.ts'
import type { Mailer } from '#core/mailer.ts'
import type { Storage } from '#core/transaction.ts'
import { loadBacklog } from '#db/deliveries/delivery-queue.ts'
import { deriveSecretProof } from '#db/installation/open-store.ts'
import { createEncryptor } from '#db/installation/sealed-values.ts'
import { loadJobBacklog } from '#db/jobs/jobs.ts'
import type { AppContext } from '#http/app-context.ts'
import {
  createImportJob,
  createImportJobDeps,
  createImportJobs,
} from '#importers/job/import-jobs.ts'
import {
  createPeriodicJob,
  enqueuePeriodicJob,
  startProcessJobs,
  writeRequestCounts,
} from '#jobs/jobs.ts'
import { notificationEmailTemplate } from '#jobs/notification-emails.ts'
import { createEmailJob } from '#jobs/queue/email-job.ts'
import { createJobMetrics } from '#jobs/queue/job-metrics.ts'
import { createJobWorker } from '#jobs/queue/job-worker.ts'
import type { ScheduledJob } from '#jobs/scheduler.ts'
import { createPushJob } from '#push/push-job.ts'
import type { VapidKeys } from '#push/vapid.ts'
import { continueErasures } from '#resources/offboarding/handover.ts'
import { type DispatcherTiming, startDispatcher } from '#webhooks/dispatcher.ts'
import { type InstallationId, openInstallationId } from '#webhooks/installation-id.ts'
import { createDeliveryMetrics } from '#webhooks/metrics.ts'
import { DELIVERY_RULES, type DeliveryRules } from '#webhooks/results.ts'
import type { WebhookRequest, WebhookSender } from '#webhooks/sender.ts'
import { startSendingSwitch } from '#webhooks/sending-switch.ts'
import type { createApp } from './app.ts'

/** What the background work of a process needs. */
interface BackgroundDeps
  extends Pick<
    Awaited<ReturnType<typeof createApp>>,
    'usage' | 'mail' | 'vapidKeys' | 'appContext'
  > {
  config: Config
  /** The secret of the installation. */
  secret: string
  installation: InstallationId
  runsJobs: boolean
  /** Whether no other process uses the database. */
  isAlone: boolean
}

/** Starts what this process does after replies and by the clock; webhooks and jobs only if its role runs them. */
export async function startBackgroundWork(
  {
    config,
    secret,
    installation,
    appContext,
    usage,
    mail,
    vapidKeys,
    runsJobs,
    isAlone,
  }: BackgroundDeps,
  options: DeliveryOptions,
): Promise<{ stop(): Promise<unknown>; close(): Promise<void> }> {
  const { storage, files, authenticator, log, metrics } = appContext
  const { baseUrl, backup } = config
  const delivering = runsJobs
    ? await startWebhookDelivery(storage, config, secret, appContext, options)
    : undefined
  const isCopy = createCopyCheck(installation, log)
  const backups = createBackupJobs(config, storage, secret, log, metrics.registry, isCopy)
  const pushes = createPushJobs(config, vapidKeys, isCopy)
  const periodic = {
    storage,
    files,
    hasMail: mail !== undefined,
    isCopy,
    log,
    authenticator,
    otherJobs: [
      ...createImportJobs(storage),
      ...createExportJobs(storage),
      ...backups.periodic,
      continueErasures(storage),
    ],
    writeRequestCounts: writeRequestCounts(storage, usage),
  }
  const processJobs = startProcessJobs(periodic)
  const worker = createJobWorker({
    storage,
    kinds: [
      ...createEmailJobs(mail, baseUrl, backup.operatorEmail),
      ...pushes.kinds,
      createProfileChangeJob(storage),
      createImportJob(createImportJobDeps({ storage, files })),
      createExportJob({ storage, files, log }),
      ...backups.kinds,
      createPeriodicJob(periodic),
    ],
    log,
    onAttempt: createJobMetrics(metrics.registry, () => loadJobBacklog(storage)),
  })
  if (runsJobs) {
    await enqueuePeriodicJob(storage)
    worker.start({ isAlone })
  }
  return {
    stop: () => Promise.all([delivering?.stop(), processJobs.stop(), worker.stop()]),
    async close() {
      await pushes.close()
      await writeAllCounts().catch((err) => log.error({ err }, 'Failed to save request counts'))
    },
  }

  async function writeAllCounts(): Promise<void> {
    while (await periodic.writeRequestCounts());
  }
}

const UNTIL_RESUME =
  'This data was restored, copied or paused. No files are deleted and no scheduled backups are made until docket webhook resume.'

/** Creates the check whether this is a copy, which logs once why background jobs do nothing. */
function createCopyCheck(
  installation: Pick<InstallationId, 'isCopy'>,
  log: { warn(about: object, message: string): void },
): () => Promise<boolean> {
  let hasWarned = false
  return async () => {
    if (!(await installation.isCopy())) return false
    if (!hasWarned) log.warn({}, UNTIL_RESUME)
    hasWarned = true
    return true
  }
}

/** The job that makes backups, and the periodic one that enqueues it. */
interface BackupJobs {
  kinds: JobKind[]
  periodic: ScheduledJob[]
}

/** Creates the jobs and metrics of scheduled backups. Without a target there are none. */
export function createBackupJobs(
  { backup, dataDir, databaseUrl, s3 }: Config,
  storage: Storage,
  secret: string,
  log: ScheduledBackupDeps['log'],
  registry: Registry,
  isCopy: () => Promise<boolean>,
): BackupJobs {
  const { plan: settings, passphrase, operatorEmail } = backup
  if (!settings) return { kinds: [], periodic: [] }
  const onOutcome = createBackupMetrics(registry, storage, settings.schedule)
  const location = { dataDir, databaseUrl, bucket: s3 !== undefined }
  const deps = {
    storage,
    location,
    settings,
    secret,
    secretProof: deriveSecretProof(secret),
    passphrase,
    operatorEmail,
    isCopy,
    log,
    onOutcome,
  }
  return {
    kinds: [createBackupJob(deps)],
    periodic: settings.schedule ? [createBackupScheduler(storage, settings.schedule, isCopy)] : [],
  }
}

/** The kinds of jobs that send emails, most urgent first. */
export function createEmailJobs(
  mail: Mailer | undefined,
  baseUrl: string,
  operatorEmail?: string,
): JobKind[] {
  // Without a mail server, emails wait for a process that has one.
  if (!mail) return []
  const templates = [
    passwordResetEmail,
    confirmationEmail,
    securityEmail,
    invitationEmail,
    (url: string) => notificationEmailTemplate(url, sendFirstConfirmationLink),
  ]
  if (operatorEmail !== undefined) templates.push(operatorEmailTemplate(operatorEmail))
  return templates.map((template) => createEmailJob(mail, baseUrl, template(baseUrl)))
}

/** Posts to receivers that people name, and to no address that the operator did not mean. */
function createOutboundSender({ settings }: Config, timeoutMs: number) {
  let sender: Promise<WebhookSender> | undefined

  /** Loads the HTTP client on first use: without webhooks it would only take memory. */
  async function open(): Promise<WebhookSender> {
    const { createWebhookSender } = await import('#webhooks/sender.ts')
    return createWebhookSender({
      targets: settings.webhookTargets,
      timeoutMs,
    })
  }

  return {
    async send(post: WebhookRequest) {
      sender ??= open().catch((error) => {
        // The next one tries to load it again.
        sender = undefined
        throw error
      })
      return (await sender).send(post)
    },
    close: async () => (await sender)?.close(),
  }
}

/** Push services answer at once; a host that hangs must not keep the others waiting. */
const PUSH_TIMEOUT_MS = 5_000

/** The job that sends notifications to devices, and what closes its connections. */
export function createPushJobs(
  config: Config,
  keys: VapidKeys,
  isCopy: () => Promise<boolean>,
): { kinds: JobKind[]; close(): Promise<void> } {
  const { send, close } = createOutboundSender(config, PUSH_TIMEOUT_MS)
  const { baseUrl } = config
  return { kinds: [createPushJob({ keys, baseUrl, send, isCopy })], close }
}

/** How long a receiver may take to answer an attempt. */
const ATTEMPT_TIMEOUT_MS = 10_000

/** What tests replace of the sending of webhooks. */
export interface DeliveryOptions extends DispatcherTiming {
  rules?: DeliveryRules
  attemptTimeoutMs?: number
}

/** Starts sending webhooks, unless the database was copied from another installation. */
export async function startWebhookDelivery(
  storage: Storage,
  config: Config,
  secret: string,
  { log, load, metrics }: AppContext,
  {
    rules = DELIVERY_RULES,
    attemptTimeoutMs = ATTEMPT_TIMEOUT_MS,
    ...timing
  }: DeliveryOptions = {},
): Promise<{ stop(): Promise<void> }> {
  const { dataDir } = config
  const { send, close } = createOutboundSender(config, attemptTimeoutMs)
  const deps = {
    storage,
    rules,
    log,
    load,
    send,
    decrypt: createEncryptor(secret).decrypt,
    observer: createDeliveryMetrics(metrics.registry, () => loadBacklog(storage)),
  }
  const sendingSwitch = await startSendingSwitch({
    installation: openInstallationId(storage, dataDir),
    start: () => startDispatcher(deps, timing),
    registry: metrics.registry,
    log,
  })
  return {
    async stop() {
      await sendingSwitch.stop()
      await close()
    },
  }
}
