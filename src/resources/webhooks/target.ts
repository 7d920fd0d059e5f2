import { assertNoFieldErrors } from '#core/api-error.ts'
import type { WebhookTargetPolicy } from '#core/operator-settings.ts'
import type { ReadTx } from '#core/transaction.ts'
import { isAddressAllowed, parseLiteralAddresses } from '#lib/ip-address.ts'
import { type FieldError, fieldError } from '#wire/field-error.ts'
import { projectsByIds } from './store.ts'

/** 422 for a URL to which this installation must not send (docs/spec/api.md#where-webhooks-may-go). */
export function assertWebhookTarget({ settings }: ReadTx, url: string): void {
  assertNoFieldErrors(validateWebhookTarget(url, settings.webhookTargets))
}

/**
 * Validates an absolute URL as a target. Host names are not resolved here, but at every delivery,
 * because they can point to another address by then.
 */
export function validateWebhookTarget(url: string, targets: WebhookTargetPolicy): FieldError[] {
  const { protocol, hostname } = new URL(url)
  if (protocol !== 'https:' && !targets.allowHttp && !targets.loopback) {
    return [fieldError('url', 'invalid_format', 'must start with https://')]
  }
  const addresses = parseLiteralAddresses(hostname)
  if (!addresses || addresses.some((address) => isAddressAllowed(address, targets))) return []
  return [
    fieldError(
      'url',
      'url_not_allowed',
      'must be a public address; Docket does not send webhooks to private ones',
    ),
  ]
}

/** 422 for each id that is not a project of the workspace. */
export async function assertProjectsInWorkspace(tx: ReadTx, ids: readonly string[]): Promise<void> {
  const projects = await tx.all(projectsByIds, { ids: [...ids] })
  const projectIds = new Set(projects.map(({ id }) => id))
  assertNoFieldErrors(
    ids.flatMap((id, index) =>
      projectIds.has(id)
        ? []
        : [
            fieldError(
              `project_ids[${index}]`,
              'invalid_reference',
              'must be a project of this workspace',
            ),
          ],
    ),
  )
}
