import { useBlocker } from '@tanstack/react-router'
import { confirmFormLoss } from '../../ui/overlays/confirm-form-loss.ts'

const readTab = (search: object): unknown => ('tab' in search ? search.tab : undefined)

/** Asks before the person leaves a form with edits. Dialogs stay open over another screen. */
export function UnsavedFormGuard(): null {
  useBlocker({
    shouldBlockFn: async ({ current, next }) => {
      const isLeft =
        current.pathname !== next.pathname || readTab(current.search) !== readTab(next.search)
      return isLeft && !(await confirmFormLoss(document.querySelector('main')))
    },
    enableBeforeUnload: true,
  })
  return null
}
