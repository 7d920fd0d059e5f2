import type {
  Application,
  deleteApplication,
  rotateApplicationSecret,
} from '#resources/applications/internal.ts'
import { showToast } from '../../../data/app/toasts.ts'
import { queryClient } from '../../../data/cache/query-client.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { applicationMessages } from '../../../messages/settings/applications.ts'
import { showErrorToast } from '../../../ui/feedback/error-message.tsx'
import { copyText } from '../../../ui/form/copy-button.tsx'
import { openConfirmDialog } from '../../../ui/overlays/dialog.tsx'
import {
  applicationGrantsQuery,
  applicationsQuery,
  cacheApplication,
} from './application-queries.ts'

/** Deletes an application, after a confirmation with the number of grants that end with it. */
export async function confirmDeleteApplication({
  id,
  name,
  distribution,
}: Application): Promise<void> {
  let count: number
  try {
    const grants = await queryClient.fetchQuery({ ...applicationGrantsQuery(id), staleTime: 0 })
    count = grants.length
  } catch (error) {
    return showErrorToast(error)
  }
  const isConfirmed = await openConfirmDialog({
    title: applicationMessages.removeTitle(name),
    text: applicationMessages.removeWhy(count, distribution === 'public'),
    action: applicationMessages.remove,
    danger: true,
    run: async () => {
      await requestEndpoint<typeof deleteApplication>('DELETE /internal/apps/:id', {
        params: { id },
      })
      queryClient.setQueryData(applicationsQuery.queryKey, (all) =>
        all?.filter((one) => one.id !== id),
      )
    },
  })
  if (isConfirmed) showToast({ text: applicationMessages.removed(name) })
}

/** Rotates the secret of an application, after a confirmation; `onSecret` receives the new one. */
export async function confirmRotateApplicationSecret(
  { id, name }: Application,
  onSecret: (application: Application, secret: string) => void,
): Promise<void> {
  await openConfirmDialog({
    title: applicationMessages.rotateTitle(name),
    text: applicationMessages.rotateWhy,
    action: applicationMessages.rotate,
    run: async () => {
      const endpoint = 'POST /internal/apps/:id/rotate-secret'
      const input = { params: { id }, body: {} }
      const { client_secret, ...application } = await requestEndpoint<
        typeof rotateApplicationSecret
      >(endpoint, input)
      cacheApplication(application)
      onSecret(application, client_secret)
    },
  })
}

/** Copies the client id of an application to the clipboard. */
export async function copyApplicationId({ id }: Application): Promise<void> {
  if (await copyText(id, applicationMessages.idCopied))
    showToast({ text: applicationMessages.idCopied })
}
