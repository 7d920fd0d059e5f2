import type { InstallationId } from '#webhooks/dispatch/installation-id.ts'

const UNTIL_RESUME =
  'This data was restored, copied or paused. No files are deleted and no scheduled backups are made until docket webhook resume.'

/** Creates the check whether this is a copy, which logs once why background jobs do nothing. */
export function createCopyCheck(
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
