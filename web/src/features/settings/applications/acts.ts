import type {
  Application,
  deleteApplication,
  rotateApplicationSecret,
} from '#resources/applications/internal.ts'
import { queries } from '../../../data/refetch.ts'
import { toast } from '../../../data/toasts.ts'
import { call } from '../../../lib/call.ts'
import { m } from '../../../messages/applications.ts'
import { copyText } from '../../../ui/copy.tsx'
import { confirm } from '../../../ui/dialog.tsx'
import { tell } from '../tell.ts'
import { applicationsQuery, authorizationsQuery, replace } from './queries.ts'

/** Deletes an application, after naming how much ends with it. */
export async function remove({ id, name, distribution }: Application): Promise<void> {
  let count: number
  try {
    const found = await queries.fetchQuery({ ...authorizationsQuery(id), staleTime: 0 })
    count = found.length
  } catch (error) {
    return tell(error)
  }
  const yes = await confirm({
    title: m.removeTitle(name),
    text: m.removeWhy(count, distribution === 'public'),
    action: m.remove,
    danger: true,
    run: async () => {
      await call<typeof deleteApplication>('DELETE /internal/apps/:id', { params: { id } })
      queries.setQueryData(applicationsQuery.queryKey, (all) => all?.filter((one) => one.id !== id))
    },
  })
  if (yes) toast({ text: m.removed(name) })
}

/** Gives an application another secret, after asking; `onSecret` gets it. */
export async function rotate(
  { id, name }: Application,
  onSecret: (application: Application, secret: string) => void,
): Promise<void> {
  await confirm({
    title: m.rotateTitle(name),
    text: m.rotateWhy,
    action: m.rotate,
    run: async () => {
      const to = 'POST /internal/apps/:id/rotate-secret'
      const sent = { params: { id }, body: {} }
      const { client_secret, ...shown } = await call<typeof rotateApplicationSecret>(to, sent)
      replace(shown)
      onSecret(shown, client_secret)
    },
  })
}

/** Puts the id by which an application names itself into the clipboard. */
export async function copyId({ id }: Application): Promise<void> {
  if (await copyText(id, m.idCopied)) toast({ text: m.idCopied })
}
