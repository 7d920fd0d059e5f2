import { invitationEmail } from '#accounts/invitations/invitation-email.ts'
import { passwordResetEmail } from '#accounts/password-reset/password-reset-email.ts'
import { securityEmail } from '#accounts/security-emails/security-email.ts'
import { createExportJob } from '#archive/export/export-jobs.ts'
import type { JobKind } from '#core/job.ts'
import type { Mailer } from '#core/mailer.ts'
import type { Storage } from '#core/transaction.ts'
import type { Files } from '#files/files.ts'
import { createImportJob, createImportJobDeps } from '#importers/job/import-jobs.ts'
import { notificationEmailTemplate } from '#jobs/notification-email-template.ts'
import { createEmailJob } from '#jobs/queue/email-job.ts'

/** The kinds of jobs that send emails, most urgent first. */
export const createEmailJobs = (mail: Mailer | undefined, baseUrl: string): JobKind[] =>
  // Without a mail server, emails wait for a process that has one.
  mail
    ? [passwordResetEmail, securityEmail, invitationEmail, notificationEmailTemplate].map(
        (template) => createEmailJob(mail, baseUrl, template(baseUrl)),
      )
    : []

/** What imports and exports need. */
interface TransferJobDeps {
  storage: Storage
  files: Files
  log: { error(about: object, message: string): void }
  /** The most bytes of the downloadable archives of a workspace. */
  maxExportBytes: number
}

/** The kinds of jobs that import and export. */
export const createTransferJobs = ({
  storage,
  files,
  log,
  maxExportBytes: maxBytes,
}: TransferJobDeps): JobKind[] => [
  createImportJob(createImportJobDeps({ storage, files })),
  createExportJob({ storage, files, log, maxBytes }),
]
