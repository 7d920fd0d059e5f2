import type { deleteWebhook, updateWebhook, Webhook } from '#resources/webhooks/contract.ts'
import { showToast } from '../../../data/app/toasts.ts'
import { queryClient } from '../../../data/cache/query-client.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { webhookMessages } from '../../../messages/settings/webhooks.ts'
import { showErrorToast } from '../../../ui/feedback/error-message.tsx'
import { openConfirmDialog } from '../../../ui/overlays/dialog.tsx'
import { formatWebhookUrl } from './format-webhook-url.ts'
import { webhooksQuery } from './webhook-queries.ts'

/** Turns a webhook on. */
export const activateWebhook = (webhook: Webhook): Promise<void> =>
  setActive(webhook, true, webhookMessages.enabled(formatWebhookUrl(webhook.url)))

/** Turns a webhook off; the server cancels its pending deliveries. */
export const deactivateWebhook = (webhook: Webhook): Promise<void> =>
  setActive(webhook, false, webhookMessages.disabledNow(formatWebhookUrl(webhook.url)))

async function setActive({ id }: Webhook, is_active: boolean, message: string): Promise<void> {
  const input = { params: { id }, body: { is_active } }
  try {
    cacheWebhook(await requestEndpoint<typeof updateWebhook>('PATCH /api/v1/webhooks/:id', input))
    showToast({ text: message })
  } catch (error) {
    showErrorToast(error)
  }
}

/** Deletes a webhook with its delivery log, after a confirmation. */
export async function confirmDeleteWebhook({ id, url }: Webhook): Promise<void> {
  const host = formatWebhookUrl(url)
  const isConfirmed = await openConfirmDialog({
    title: webhookMessages.removeTitle(host),
    text: webhookMessages.removeWhy,
    action: webhookMessages.remove,
    danger: true,
    run: async () => {
      await requestEndpoint<typeof deleteWebhook>('DELETE /api/v1/webhooks/:id', { params: { id } })
      queryClient.setQueryData(webhooksQuery.queryKey, (all) => all?.filter((one) => one.id !== id))
    },
  })
  if (!isConfirmed) return
  showToast({ text: webhookMessages.removed(host) })
}

/** Replaces a webhook in the cached list, or appends it. */
export function cacheWebhook(webhook: Webhook): void {
  queryClient.setQueryData(webhooksQuery.queryKey, (all = []) =>
    all.some(({ id }) => id === webhook.id)
      ? all.map((one) => (one.id === webhook.id ? webhook : one))
      : [...all, webhook],
  )
}
