import { useBlocker } from '@tanstack/react-router'
import { confirmFormLoss } from '../../ui/overlays/confirm-form-loss.ts'

interface ScreenLocation {
  pathname: string
  search: object
}

/** The screen, its tab, and the task that is open beside it. */
function formatScreenLocation({ pathname, search }: ScreenLocation): string {
  const { tab, task }: { tab?: unknown; task?: unknown } = search
  return JSON.stringify([pathname, tab, task])
}

/** Asks before the person leaves a form with edits. Dialogs stay open over another screen. */
export function UnsavedFormGuard(): null {
  useBlocker({
    shouldBlockFn: async ({ current, next }) => {
      const isLeft = formatScreenLocation(current) !== formatScreenLocation(next)
      return isLeft && !(await confirmFormLoss(document.querySelector('#app')))
    },
    enableBeforeUnload: true,
  })
  return null
}
