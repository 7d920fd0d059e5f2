import type { deleteWebhook, updateWebhook, Webhook } from '#resources/webhooks/contract.ts'
import { queries } from '../../../data/refetch.ts'
import { toast } from '../../../data/toasts.ts'
import { call } from '../../../lib/call.ts'
import { m } from '../../../messages/webhooks.ts'
import { confirm } from '../../../ui/dialog.tsx'
import { tell } from '../tell.ts'
import { hostOf } from './host.ts'
import { webhooksQuery } from './queries.ts'

/** Lets a webhook be told of events again. */
export const enable = (webhook: Webhook): Promise<void> =>
  switchTo(webhook, true, m.enabled(hostOf(webhook.url)))

/** Stops telling a webhook; what waits for it is canceled. */
export const disable = (webhook: Webhook): Promise<void> =>
  switchTo(webhook, false, m.disabledNow(hostOf(webhook.url)))

async function switchTo({ id }: Webhook, is_active: boolean, done: string): Promise<void> {
  const sent = { params: { id }, body: { is_active } }
  try {
    replace(await call<typeof updateWebhook>('PATCH /api/v1/webhooks/:id', sent))
    toast({ text: done })
  } catch (error) {
    tell(error)
  }
}

/** Deletes a webhook with its log, after naming what goes. */
export async function remove({ id, url }: Webhook): Promise<void> {
  const host = hostOf(url)
  const yes = await confirm({
    title: m.removeTitle(host),
    text: m.removeWhy,
    action: m.remove,
    danger: true,
    run: async () => {
      await call<typeof deleteWebhook>('DELETE /api/v1/webhooks/:id', { params: { id } })
      queries.setQueryData(webhooksQuery.queryKey, (all) => all?.filter((one) => one.id !== id))
    },
  })
  if (!yes) return
  toast({ text: m.removed(host) })
}

/** Puts a webhook in place of the one that the list shows, or at its end. */
export function replace(webhook: Webhook): void {
  queries.setQueryData(webhooksQuery.queryKey, (all = []) =>
    all.some(({ id }) => id === webhook.id)
      ? all.map((one) => (one.id === webhook.id ? webhook : one))
      : [...all, webhook],
  )
}
