import { waiting } from '../../data/queue.ts'
import { signOut } from '../../data/session.ts'
import { toast } from '../../data/toasts.ts'
import { m } from '../../messages/shell.ts'
import { confirm } from '../../ui/dialog.tsx'
import { messageOf } from '../../ui/trouble.tsx'

/** Signs out; asks first where something would be lost by it. */
export async function leave(): Promise<void> {
  const { length } = waiting.get()
  const question = { title: m.unsentTitle, text: m.unsentText(length), action: m.signOutAnyway }
  if (length > 0 && !(await confirm({ ...question, danger: true }))) return
  try {
    await signOut()
  } catch (error) {
    toast({ text: messageOf(error), tone: 'trouble' })
  }
}
